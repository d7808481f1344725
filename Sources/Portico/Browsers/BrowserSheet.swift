import PorticoProtocol

/// The system's own browser sheet: it shows an address, and closes with the URI that the browser
/// was redirected to (RFC 8252 §6, appendix B.1).
///
/// The app sees neither the pages nor the cookies.
protocol BrowserSheet: Sendable {
    /// Whether it can close on an https address.
    var takesHTTPS: Bool { get }

    /// Shows `address` until the browser is redirected to `ending`. Cancelling the task closes the
    /// sheet.
    ///
    /// - Returns: The whole URI. Whether it is the awaited answer is for the caller to decide.
    /// - Throws: cancelled(.user), cancelled(.program), misconfigured if it could not be shown.
    func show(_ address: String, until ending: SheetEnding) async throws(SignInError) -> String
}

/// The addresses that close a sheet.
enum SheetEnding: Hashable, Sendable {
    case https(host: String, path: String)
    case scheme(String)

    /// - Returns: `nil` for what no sheet can tell apart: http, or an https port of its own.
    init?(_ uri: String) {
        switch RedirectURI(uri).kind {
        case .privateUseScheme:
            // As browsers write it (RFC 3986 §6.2.2.1).
            self = .scheme(RedirectURI(uri).scheme.lowercased())
        case .https:
            guard let address = HTTPAddress(uri), address.port == 443 else { return nil }
            self = .https(host: address.host, path: address.path.isEmpty ? "/" : address.path)
        case .http, .loopback:
            return nil
        }
    }
}

extension Redirect {
    /// The redirect URI of a sign-in in `sheet`: https where it can be, because no other app can
    /// claim it (RFC 8252 §8.1).
    ///
    /// - Throws: misconfigured(.redirectNotForSheet)
    func target(of sheet: any BrowserSheet) throws(SignInError) -> (uri: String, SheetEnding) {
        for case .uri(let uri)? in [kind, fallback] {
            guard let ending = SheetEnding(uri) else { continue }
            if case .https = ending, !sheet.takesHTTPS { continue }
            return (uri, ending)
        }
        throw SignInError(.misconfigured(.redirectNotForSheet))
    }
}
