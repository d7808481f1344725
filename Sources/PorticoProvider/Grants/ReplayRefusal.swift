import PorticoProtocol
import PorticoStores

/// A one-time value was presented again by its own authenticated client: a sign of theft (RFC 9700
/// §2.2.2, §4.14.2; RFC 6749 §10.5). The client reads ``error``; the security log gets what was replayed and
/// its owner.
struct ReplayRefusal: Error {
    enum Subject: String, Sendable {
        case code
        case refreshToken = "refresh_token"
        /// A rotated refresh token, presented for a login token: that ends nothing, because another
        /// process of the app may have rotated it.
        case subjectToken = "subject_token"
        /// Of the server before (docs/decisions/0051).
        case oldRefreshToken = "old_refresh_token"
    }

    let subject: Subject
    /// The grant of the code or token.
    let grant: Grant
    let error: OAuthError
}
