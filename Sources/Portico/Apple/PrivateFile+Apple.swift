#if canImport(Darwin)
    import PorticoSystem

    extension PrivateFile {
        /// Keeps the file out of backups, and on iOS encrypted until the device was first unlocked.
        static func protect(_ path: String) -> Bool {
            do {
                var url = URL(fileURLWithPath: path)
                var values = URLResourceValues()
                values.isExcludedFromBackup = true
                try url.setResourceValues(values)
                #if canImport(UIKit)
                    let protection = FileProtectionType.completeUntilFirstUserAuthentication
                    try FileManager.default.setAttributes(
                        [.protectionKey: protection],
                        ofItemAtPath: path
                    )
                #endif
                return true
            } catch {
                return false
            }
        }
    }
#endif
