import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// Authenticates us to a provider (RFC 6749 §2.3, OpenID Connect Core §9). Only this type puts
/// secrets into requests.
struct ClientProof: Sendable {
    let provider: IdentityProvider
    let secret: ProviderSecret?
    let now: @Sendable () -> Date
    let random: RandomSource

    /// The life of an assertion or a generated secret, in seconds (PRV-A-10 allows months).
    private static let life: Int64 = 300

    /// - Parameter clientID: Ours, or that of the app that received the native code (PRV-A-12).
    func identification(of clientID: String, at metadata: ProviderMetadata)
        throws(SignInError) -> ClientIdentification
    {
        switch (provider.proof, secret) {
        case (.secret(let method), .text(let secret)):
            return try shared(secret, method, clientID, metadata)
        case (.secret, nil) where provider.kind == .oidc || provider.kind == .keycloak:
            return ClientIdentification(clientID: clientID)
        case (.mintedSecret(let teamID, let keyID), .key(let key)):
            let minted = try sign(
                key,
                keyID,
                claims: ["iss": .string(teamID), "sub": .string(clientID)],
                type: .jwt
            )
            return Self.posted(clientID, SecretText(minted))
        case (.assertion(let keyID), .key(let key)):
            return try assertion(key, keyID, clientID, metadata)
        default: throw SignInError(.misconfigured(.providerSecret))
        }
    }

    /// A method that the metadata offers, or `client_secret_basic` if it lists none (RFC 8414 §2).
    private func shared(
        _ secret: SecretText,
        _ chosen: IdentityProvider.ProofMethod?,
        _ clientID: String,
        _ metadata: ProviderMetadata
    ) throws(SignInError) -> ClientIdentification {
        let offered =
            metadata.list("token_endpoint_auth_methods_supported")
            ?? [IdentityProvider.ProofMethod.basic.rawValue]
        let method = chosen ?? [.basic, .post].first { offered.contains($0.rawValue) }
        switch method {
        case .basic?: return Self.basic(clientID, secret)
        case .post?: return Self.posted(clientID, secret)
        case .assertion?, nil: throw SignInError(.misconfigured(.providerSecret))
        }
    }

    /// Both are form-encoded before they are joined (RFC 6749 §2.3.1); a space as `%20`, because
    /// some servers do not support its other form, `+`.
    private static func basic(_ clientID: String, _ secret: SecretText) -> ClientIdentification {
        var pair: [UInt8] = []
        FormEncoding.append(clientID.utf8, to: &pair)
        pair.append(UInt8(ascii: ":"))
        FormEncoding.append(secret.reveal().utf8, to: &pair)
        let spelled = pair.flatMap { $0 == UInt8(ascii: "+") ? Array("%20".utf8) : [$0] }
        return ClientIdentification(form: [], fields: [.authorization: "Basic \(base64(spelled))"])
    }

    private static func posted(_ clientID: String, _ secret: SecretText) -> ClientIdentification {
        ClientIdentification(form: [("client_id", clientID), ("client_secret", secret.reveal())])
    }

    /// RFC 7523 §2.2, §3. The only audience is the issuer: an endpoint named in the metadata may
    /// belong to an attacker (attack E20).
    private func assertion(
        _ key: P256PrivateKey,
        _ keyID: String?,
        _ clientID: String,
        _ metadata: ProviderMetadata
    ) throws(SignInError) -> ClientIdentification {
        let algorithms = metadata.list("token_endpoint_auth_signing_alg_values_supported")
        guard algorithms?.contains(SignatureAlgorithm.es256.rawValue) ?? true else {
            throw SignInError(.misconfigured(.providerSecret))
        }
        let assertion = try sign(
            key,
            keyID,
            claims: [
                "iss": .string(clientID), "sub": .string(clientID),
                "jti": .string(random.text(16)),
            ],
            type: .clientAuthentication
        )
        return ClientIdentification(form: [
            ("client_id", clientID),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", assertion),
        ])
    }

    private func sign(
        _ key: P256PrivateKey,
        _ keyID: String?,
        claims: JSONObject,
        type: JWTType
    ) throws(SignInError) -> String {
        let issuedAt = NumericDate.seconds(now())
        var claims = claims
        claims["aud"] = .string(provider.canonicalIssuer)
        claims["iat"] = .integer(issuedAt)
        claims["exp"] = .integer(issuedAt + Self.life)
        do {
            return try key.signingKey(named: keyID).sign(claims: claims, type: type)
        } catch {
            throw SignInError(.misconfigured(.providerSecret))
        }
    }

    /// With the alphabet and padding of RFC 4648 §4, as HTTP Basic requires.
    private static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { character -> Character in
            switch character {
            case "-": "+"
            case "_": "/"
            default: character
            }
        }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
