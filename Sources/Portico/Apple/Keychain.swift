#if canImport(Security)
    import PorticoBytes
    import PorticoSystem
    import Security

    /// Keeps a session in the keychain of this device (kSecClassGenericPassword).
    ///
    /// The item can be read once the device was unlocked after its start, also in the background;
    /// it leaves the device neither in a backup nor by iCloud. Before that, reading throws
    /// storage(.locked), which is not "signed out". An app that is deleted and installed again
    /// starts signed out: what an earlier installation left is dropped.
    ///
    /// On macOS it is the data protection keychain, which needs a signed app. Use a ``PrivateFile``
    /// in programs without a signature.
    public struct Keychain: SessionStorage {
        private let account: String
        private let accessGroup: String?
        private let container: AppContainer

        /// An item of this app alone.
        ///
        /// - Parameter account: Keeps several accounts, or the sessions of several clients, apart.
        public init(account: String = "session") {
            self.account = account
            accessGroup = nil
            container = .own
        }

        /// An item that several apps of one team, or an app and its extensions, share.
        ///
        /// - Parameters:
        ///   - account: Keeps several accounts, or the sessions of several clients, apart.
        ///   - accessGroup: From the entitlement `keychain-access-groups`, with the team's prefix.
        ///   - appGroup: From the entitlement `com.apple.security.application-groups`. In its
        ///     container lies the lock that keeps two processes from renewing one session at once.
        public init(account: String = "session", accessGroup: String, appGroup: String) {
            self.account = account
            self.accessGroup = accessGroup
            container = .group(appGroup)
        }

        @concurrent public func read() async throws(SignInError) -> [UInt8]? {
            let install = try install()
            var query = item
            query[kSecReturnData as String] = true
            query[kSecReturnAttributes as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw Self.problem(status, else: .unreadable) }
            guard let found = result as? [String: Any],
                let record = found[kSecValueData as String] as? Data
            else { throw .storage(.unreadable) }
            guard let owner = found[kSecAttrGeneric as String] as? Data, owner == install else {
                drop(leftBy: found[kSecAttrGeneric as String] as? Data)
                return nil
            }
            return [UInt8](record)
        }

        @concurrent public func write(_ record: [UInt8]) async throws(SignInError) {
            let content: [String: Any] = [
                kSecValueData as String: Data(record),
                kSecAttrGeneric as String: try install(),
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            // Never deleted first: between the two there would be no session at all.
            var status = SecItemUpdate(item as CFDictionary, content as CFDictionary)
            if status == errSecItemNotFound {
                let new = item.merging(content) { _, new in new }
                status = SecItemAdd(new as CFDictionary, nil)
                // Another process was faster.
                if status == errSecDuplicateItem {
                    status = SecItemUpdate(item as CFDictionary, content as CFDictionary)
                }
            }
            guard status == errSecSuccess else { throw Self.problem(status, else: .unwritable) }
        }

        @concurrent public func remove() async throws(SignInError) {
            let status = SecItemDelete(item as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw Self.problem(status, else: .unwritable)
            }
        }

        public func tryLock() throws(SignInError) -> SessionLock? {
            switch FileLock.attempt("\(try path()).lock") {
            case .taken(let descriptor): return SessionLock { FileLock.release(descriptor) }
            case .held: return nil
            case .impossible(errno: EACCES), .impossible(errno: EPERM): throw .storage(.locked)
            case .impossible: throw .storage(.unwritable)
            }
        }

        /// Without a group to ask for, the system looks in all groups that the app may read: an
        /// extension or another app of the team must not be found there.
        private var service: String {
            guard accessGroup == nil, let bundle = Bundle.main.bundleIdentifier else {
                return "portico.session"
            }
            return "portico.session.\(bundle)"
        }

        /// What identifies the item.
        private var item: [String: Any] {
            var item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: account,
                kSecAttrSynchronizable as String: false,
                kSecUseDataProtectionKeychain as String: true,
            ]
            if let accessGroup { item[kSecAttrAccessGroup as String] = accessGroup }
            return item
        }

        /// Only if it still is what the earlier installation left: another process may have stored
        /// a new session meanwhile.
        private func drop(leftBy owner: Data?) {
            var query = item
            if let owner { query[kSecAttrGeneric as String] = owner }
            // Whether it succeeds does not matter: it is not read, and the next write replaces it.
            _ = SecItemDelete(query as CFDictionary)
        }

        private func install() throws(SignInError) -> Data {
            #if os(tvOS)
                // Apps have no folder there that lasts: a purged one is no new installation.
                Data()
            #else
                Data(try InstallMarker("\(try path()).install").name())
            #endif
        }

        /// Of the files beside the item, without their ending.
        private func path() throws(SignInError) -> String {
            let name = Hash256(of: account).bytes.prefix(16)
            return "\(try container.folder())/\(Hexadecimal.text(name))"
        }

        private static func problem(
            _ status: OSStatus,
            else problem: SignInError.StorageProblem
        ) -> SignInError {
            switch status {
            case errSecInteractionNotAllowed: .storage(.locked)
            case errSecMissingEntitlement: .storage(.entitlementMissing)
            default: .storage(problem)
            }
        }
    }

    extension SessionStorage where Self == Keychain {
        /// A ``Keychain`` item of this app alone.
        public static var keychain: Keychain { Keychain() }
    }
#endif
