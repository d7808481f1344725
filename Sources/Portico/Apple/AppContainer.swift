#if canImport(Security)
    import PorticoBytes
    import PorticoSystem
    import Security

    /// The folder of the files that belong to a keychain item. The system deletes it with the app,
    /// or with the last app of the group.
    enum AppContainer: Hashable, Sendable {
        case own
        /// An app group (com.apple.security.application-groups).
        case group(String)

        /// - Throws: storage(.entitlementMissing), storage(.unwritable)
        func folder() throws(SignInError) -> String {
            let folder = "\(try support())/Portico"
            do {
                try OwnerOnlyFile.makeFolder(folder)
            } catch {
                throw .storage(.unwritable)
            }
            return folder
        }

        private func support() throws(SignInError) -> String {
            switch self {
            case .own:
                #if os(tvOS)
                    let directory = FileManager.SearchPathDirectory.cachesDirectory
                #else
                    let directory = FileManager.SearchPathDirectory.applicationSupportDirectory
                #endif
                let folders = FileManager.default.urls(for: directory, in: .userDomainMask)
                guard let folder = folders.first else { throw .storage(.unwritable) }
                // Outside a sandbox all apps have one folder.
                return "\(folder.path)/\(Bundle.main.bundleIdentifier ?? "program")"
            case .group(let name):
                let manager = FileManager.default
                guard
                    let group = manager.containerURL(forSecurityApplicationGroupIdentifier: name)
                else { throw .storage(.entitlementMissing) }
                return "\(group.path)/Library/Application Support"
            }
        }
    }
#endif
