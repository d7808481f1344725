package import PorticoProtocol

/// Where the answer to the form of a page leads in the end: Chromium applies `form-action` to the
/// redirects behind a form, too (WEB-CSP-3).
package enum FormTarget: Sendable {
    /// Our own origin.
    case ours
    /// A checked address besides.
    case redirect(RedirectURI)
    /// Other servers besides, such as the identity providers of the page's buttons, or an app's
    /// redirect URI: `https://accounts.example`, `http://127.0.0.1:8001`, or the scheme of an app,
    /// `com.example.notes:`. Any other text is left out: the page then works less, but never allows
    /// more.
    case servers([String])
    /// The server of a client which leads on to an app of its own, by whatever scheme the app has:
    /// Chromium would stop the browser there. Nothing on the page lets a stranger choose where the
    /// form goes.
    case onward
}
