/// Shows an address to the person outside the app (RFC 8252 §5, §6).
///
/// The app never sees the pages or cookies of the browser: it passes an address, and the answer
/// comes back on the redirect URI. An embedded web view does not qualify (§8.12).
public protocol ExternalBrowser: Sendable {
    /// Returns once the browser is starting; does not wait for the person.
    ///
    /// - Parameter address: An https URL, or http on this machine.
    /// - Throws: Ends the sign-in. To continue with a message instead, do not throw.
    func open(_ address: String) async throws
}

extension ExternalBrowser where Self == SystemBrowser {
    /// The person's default browser (RFC 8252 §6).
    public static var systemBrowser: SystemBrowser { SystemBrowser() }
}
