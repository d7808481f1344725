import Crypto
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Authenticates the client of a request (RFC 6749 §2.3, §3.2.1; RFC 7523 §3; OpenID Connect Core
/// §9).
///
/// A client that is registered for a secret sends it in the header or in the body, never in both,
/// unless it must use the method of its registration. A secret authenticates no other client, and
/// never a client that is registered with a key.
struct ClientAuthentication: Sendable {
    private let secrets: ClientSecretSeal

    init(ring: KeyRing) {
        secrets = ClientSecretSeal(ring: ring)
    }

    func callAsFunction(
        _ credentials: PresentedCredentials,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> AuthenticatedClient {
        switch credentials {
        case .none(nil):
            let error = OAuthError(.invalidClient, "The request names no client.")
            throw UnprovenClient(.noClientID, error: error)
        case .none(let clientID?):
            let client = try await registered(clientID, realm)
            guard client.isNameEnough else { throw UnprovenClient(.method, client) }
            return AuthenticatedClient(proven: client, assertion: nil)
        case .basic(let clientID, let secret):
            return try await proven(clientID, by: secret, .clientSecretBasic, in: realm)
        case .post(let clientID, let secret):
            return try await proven(clientID, by: secret, .clientSecretPost, in: realm)
        case .assertion(let clientID, let text):
            return try await ClientAssertion(text).prove(clientID, in: realm, at: moment)
        }
    }

    private func registered(_ clientID: String, _ realm: LiveRealm) async throws -> Client {
        guard let client = try await realm.client(clientID: clientID) else {
            throw try await UnprovenClient(unknown: clientID, in: realm)
        }
        return client
    }

    private func proven(
        _ clientID: String,
        by secret: SecretText,
        _ method: ClientAuthenticationMethod,
        in realm: LiveRealm
    ) async throws -> AuthenticatedClient {
        let client = try await registered(clientID, realm)
        // RFC 6749 §2.3.1: an empty password means no password, in the header as in the body. Some
        // apps send a word because their library wants one, and it counts for nothing.
        if client.isNameEnough,
            secret.reveal().isEmpty || client.compatibility.contains(.needlessSecret)
        {
            return AuthenticatedClient(proven: client, assertion: nil)
        }
        guard client.takesSecret(by: method) else { throw UnprovenClient(.method, client) }
        // RFC 8252 §8.5: a secret proves nothing for a public client.
        guard client.type == .confidential, let kept = client.secret,
            secrets.isRight(secret, for: kept, of: client)
        else { throw UnprovenClient(.secret, client) }
        return AuthenticatedClient(proven: client, assertion: nil)
    }
}

extension UnprovenClient {
    /// - Parameter clientID: Not the ID of any permitted client.
    init(unknown clientID: String, in realm: LiveRealm) async throws {
        let disabled = try await realm.disabledClient(clientID: clientID)
        self.init(disabled == nil ? .unknown : .disabled, disabled)
    }
}

extension Client {
    /// A public client identifies itself and proves nothing. Its type comes from the registration
    /// and is never guessed (RFC 8252 §8.4).
    fileprivate var isNameEnough: Bool { type == .public && authentication == .none }

    fileprivate func takesSecret(by method: ClientAuthenticationMethod) -> Bool {
        switch authentication {
        case .clientSecretBasic, .clientSecretPost:
            method == authentication || !authenticatesStrictly
        case .none, .privateKeyJWT: false
        }
    }
}

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
