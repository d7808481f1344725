import PorticoProtocol
import PorticoStores

/// Something that is good once was presented again, by a client that proved to be its own: a sign
/// of theft (RFC 9700 §2.2.2, RFC 6749 §10.5). The client reads ``error``; the security log gets
/// what was replayed and whose it was.
struct ReplayRefusal: Error {
    enum Subject: String, Sendable {
        case code
        case refreshToken = "refresh_token"
    }

    let subject: Subject
    /// What the code or token stands for.
    let grant: Grant
    let error: OAuthError
}
