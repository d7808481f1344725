#if os(Linux)
    import CSecret
    import Dispatch
    import PorticoBytes
    import PorticoSystem

    /// Keeps a session in the person's keyring on a Linux desktop: the Secret Service, which GNOME
    /// Keyring and KWallet offer over D-Bus.
    ///
    /// It needs the library libsecret-1, which is loaded when it is first used. Where there is no
    /// library, no D-Bus session or no keyring, every call throws storage(.noKeyring): use a
    /// ``PrivateFile`` there. A locked keyring throws storage(.locked); only the first session of
    /// an account makes the system ask the person to unlock it.
    public struct SecretService: SessionStorage {
        private let account: String

        // One after the other: each call blocks its thread, for as long as a person is asked.
        private static let queue = DispatchQueue(label: "portico.secret-service")

        /// - Parameter account: Keeps several accounts, or the sessions of several clients, apart.
        ///   Name it after the app: all apps of a person share the keyring.
        public init(account: String) {
            self.account = account
        }

        @concurrent public func read() async throws(SignInError) -> [UInt8]? {
            let (outcome, text) = await perform { account in
                var text: UnsafeMutablePointer<CChar>?
                let outcome = csecret_read(account, &text)
                defer { free(text) }
                return (outcome, text.map { String(cString: $0) })
            }
            switch Int(outcome) {
            case CSECRET_NOTHING: return nil
            case CSECRET_DONE:
                guard let record = text.flatMap({ Base64URL.decode($0) }) else {
                    throw .storage(.unreadable)
                }
                return Array(record)
            default: throw Self.problem(outcome, else: .unreadable)
            }
        }

        @concurrent public func write(_ record: [UInt8]) async throws(SignInError) {
            // A keyring keeps text.
            let text = Base64URL.encode(record)
            let outcome = await perform { csecret_write($0, "Sign-in", text) }
            guard Int(outcome) == CSECRET_DONE else {
                throw Self.problem(outcome, else: .unwritable)
            }
        }

        @concurrent public func remove() async throws(SignInError) {
            let outcome = await perform { csecret_remove($0) }
            guard Int(outcome) == CSECRET_DONE || Int(outcome) == CSECRET_NOTHING else {
                throw Self.problem(outcome, else: .unwritable)
            }
        }

        public func tryLock() throws(SignInError) -> SessionLock? {
            let folder = try Self.folder()
            let name = Hexadecimal.text(Hash256(of: account).bytes.prefix(16))
            switch FileLock.attempt("\(folder)/\(name).lock") {
            case .taken(let descriptor): return SessionLock { FileLock.release(descriptor) }
            case .held: return nil
            case .impossible: throw .storage(.unwritable)
            }
        }

        /// For locks: the keyring has none (XDG Base Directory Specification).
        private static func folder() throws(SignInError) -> String {
            func variable(_ name: String) -> String? {
                getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
            }
            guard
                let state = variable("XDG_STATE_HOME")
                    ?? variable("HOME").map({ "\($0)/.local/state" })
            else { throw .storage(.unwritable) }
            let folder = "\(state)/portico"
            do {
                try OwnerOnlyFile.makeFolder(folder)
            } catch {
                throw .storage(.unwritable)
            }
            return folder
        }

        private func perform<Result: Sendable>(
            _ call: @escaping @Sendable (_ account: String) -> Result
        ) async -> Result {
            let account = account
            return await withCheckedContinuation { continuation in
                Self.queue.async { continuation.resume(returning: call(account)) }
            }
        }

        private static func problem(
            _ outcome: Int32,
            else problem: SignInError.StorageProblem
        ) -> SignInError {
            switch Int(outcome) {
            case CSECRET_LOCKED: .storage(.locked)
            case CSECRET_UNAVAILABLE: .storage(.noKeyring)
            default: .storage(problem)
            }
        }
    }
#endif
