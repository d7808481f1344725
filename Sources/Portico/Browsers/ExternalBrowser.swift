/// Shows an address to the person outside of the app (RFC 8252 §5, §6).
///
/// The app never sees the pages or cookies of what it opens: only an address goes in, and the
/// answer comes back on the redirect URI. A web view of the app's own is no such browser (§8.12).
public protocol ExternalBrowser: Sendable {
    /// Returns once the browser is on its way; it does not wait for the person.
    ///
    /// - Parameter address: An https URL, or http on this machine.
    /// - Throws: Ends the sign-in. To go on with a message instead, do not throw.
    func open(_ address: String) async throws
}

extension ExternalBrowser where Self == SystemBrowser {
    /// The person's default browser (RFC 8252 §6).
    public static var systemBrowser: SystemBrowser { SystemBrowser() }
}
