import PorticoProtocol
import PorticoStores

/// A client did not authenticate (RFC 6749 §5.2: `invalid_client`).
///
/// The answer has ``error``, with the same text for every failure, so that it does not reveal which
/// clients exist. The reason and the client are for the log and the operator.
struct UnprovenClient: Error {
    let reason: Reason
    /// The registered client that the request named, even a disabled one.
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

    /// In the words of the log and `portico events`; docs/operating.md explains each.
    enum Reason: String, CaseIterable, Sendable {
        /// The Authorization header, or the type of the assertion, is not supported.
        case unreadable
        case noClientID = "no_client_id"
        case unknown = "unknown_client"
        case disabled
        /// Not the method it is registered for, or no method.
        case method
        case secret
        /// The assertion is not a JWT.
        case assertion
        /// `client_id` differs from that of the assertion.
        case subject
        /// No registered key verifies the assertion, or it is another kind of JWT.
        case signature
        case issuer
        case audience
        case expired
        /// It has no expiry, or one too far in the future.
        case expiry
        case notYetValid = "not_yet_valid"
        case tooOld = "too_old"
        /// The assertion has no usable `jti`.
        case jti
        case replayed
    }
}
