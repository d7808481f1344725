/// Where the answer to the form of a page leads: Chromium and WebKit apply `form-action` to every redirect
/// behind a form, too (WEB-CSP-3; docs/decisions/0101).
package enum FormTarget: Sendable {
    /// Our own origin, and nowhere else.
    case ours
    /// Another's server, proven before: a client's, or an identity provider's. Where that leads on to, to
    /// whichever server or app, is its own matter, and known to no one here.
    case onward
}
