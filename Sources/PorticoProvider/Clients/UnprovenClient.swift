import PorticoProtocol
import PorticoStores

/// A client did not prove itself (RFC 6749 §5.2: `invalid_client`).
///
/// The answer has ``error``, the same words whatever failed, so that nobody learns which clients
/// there are. Why, and which client, is for the log and for whoever runs the server.
struct UnprovenClient: Error {
    let reason: Reason
    /// The registered client that it was said to be; disabled ones too.
    let client: Client?
    let error: OAuthError

    init(_ reason: Reason, _ client: Client? = nil, error: OAuthError = Self.refusal) {
        self.reason = reason
        self.client = client
        self.error = error
    }

    private static let refusal = OAuthError(
        .invalidClient,
        "The client is unknown or did not prove itself."
    )

    /// As the log and `portico events` say it; docs/operating.md has each.
    enum Reason: String, CaseIterable, Sendable {
        /// The Authorization header, or the type of the assertion, is none that is read here.
        case unreadable
        case noClientID = "no_client_id"
        case unknown = "unknown_client"
        case disabled
        /// Not the way it is registered for, or none.
        case method
        case secret
        /// The assertion is no JWT.
        case assertion
        /// `client_id` is another than the assertion's.
        case subject
        /// No registered key verifies the assertion, or it is another kind of JWT.
        case signature
        case issuer
        case audience
        case expired
        /// Without an end, or with one that is too far away.
        case expiry
        case notYetValid = "not_yet_valid"
        case tooOld = "too_old"
        /// The assertion has no `jti` that could be remembered.
        case jti
        case replayed
    }
}
