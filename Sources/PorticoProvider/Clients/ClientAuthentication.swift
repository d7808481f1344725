import Crypto
package import PorticoBytes
import PorticoProtocol
package import PorticoSeals
package import PorticoStores

/// Authenticates the client of a request (RFC 6749 §2.3, §3.2.1; RFC 7523 §3; OpenID Connect Core
/// §9). Each client uses the one method of its registration and no other.
struct ClientAuthentication: Sendable {
    private let secrets: ClientSecretSeal

    init(ring: KeyRing) {
        secrets = ClientSecretSeal(ring: ring)
    }

    /// - Throws: `invalid_client`, with one description for every reason, so that nobody learns
    ///   which clients there are.
    func callAsFunction(
        _ credentials: PresentedCredentials,
        in realm: LiveRealm,
        at moment: Moment
    ) throws(OAuthError) -> AuthenticatedClient {
        switch credentials {
        case .none(let clientID):
            guard let clientID else {
                throw OAuthError(.invalidClient, "The request names no client.")
            }
            let client = try registered(clientID, realm, method: .none)
            // RFC 8252 §8.4: the type is the registration's, never guessed.
            guard client.type == .public else { throw Self.refusal }
            return AuthenticatedClient(proven: client, assertion: nil)
        case .basic(let clientID, let secret):
            let client = try registered(clientID, realm, method: .clientSecretBasic)
            try check(secret, of: client)
            return AuthenticatedClient(proven: client, assertion: nil)
        case .post(let clientID, let secret):
            let client = try registered(clientID, realm, method: .clientSecretPost)
            try check(secret, of: client)
            return AuthenticatedClient(proven: client, assertion: nil)
        case .assertion(let clientID, let text):
            return try ClientAssertion(text).prove(clientID, in: realm, at: moment)
        }
    }

    static let refusal = OAuthError(
        .invalidClient,
        "The client is unknown or did not prove itself."
    )

    private func registered(
        _ clientID: String,
        _ realm: LiveRealm,
        method: ClientAuthenticationMethod
    ) throws(OAuthError) -> Client {
        guard let client = realm.client(clientID: clientID),
            client.authentication == method
        else { throw Self.refusal }
        return client
    }

    private func check(_ secret: SecretText, of client: Client) throws(OAuthError) {
        // RFC 8252 §8.5: a secret proves nothing for a public client.
        guard client.type == .confidential, let kept = client.secret,
            secrets.isRight(secret, for: kept, of: client)
        else { throw Self.refusal }
    }
}

/// Keeps client secrets: hashed where they were made here with 256 random bits, sealed where
/// somebody chose them (mechanisms, "Seals and secrets").
package struct ClientSecretSeal: Sendable {
    private let seal: SealedAtRest

    package init(ring: KeyRing) {
        seal = SealedAtRest(ring: ring, purpose: "client secret")
    }

    /// A new secret of 43 characters, shown once, and what is kept of it.
    package func make(random: RandomSource) -> (shown: SecretText, kept: ClientSecret) {
        let secret = random.text(32)
        return (SecretText(secret), .hashed(Hash256(of: secret).bytes))
    }

    /// What is kept of a secret that somebody chose.
    package func keep(_ chosen: SecretText, of clientID: String, random: RandomSource)
        -> ClientSecret
    {
        let sealed = seal.seal(Array(chosen.reveal().utf8), for: clientID, random: random)
        return .sealed(Base64URL.encode(sealed))
    }

    func isRight(_ presented: SecretText, for kept: ClientSecret, of client: Client) -> Bool {
        switch kept {
        case .hashed(let hash):
            return ConstantTime.equal(Hash256(of: presented.reveal()).bytes, hash)
        case .sealed(let text):
            // `try?`: a secret that does not open is nobody's.
            guard let sealed = Base64URL.decode(text),
                let secret = try? seal.open(sealed, for: client.id)
            else { return false }
            return ConstantTime.equal(
                Hash256(of: presented.reveal()).bytes,
                Hash256(of: secret).bytes
            )
        }
    }
}
