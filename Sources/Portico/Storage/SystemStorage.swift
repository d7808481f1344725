/// Where a session is kept if the app does not say.
enum SystemStorage {
    /// - Parameters:
    ///   - client: The app's name at `server`. Several clients of one app do not share a session.
    static func storage(of client: String, at server: String) -> any SessionStorage {
        #if canImport(Security) && canImport(UIKit)
            Keychain(account: "\(client) \(server)")
        #else
            InMemory()
        #endif
    }
}
