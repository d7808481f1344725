import Crypto
import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

/// One provider on the other side, and our client of it.
struct Scene {
    let clock = StoppedClock(at: 1_700_000_000)
    let world = World()
    let client: UpstreamClient
    let addresses: Addresses
    private let told: Locked<Told>

    struct Addresses {
        var issuer: String
        var token: String
        var keys: String
        var nativeKeys: String?
        var userInfo: String?
        var revoke: String?
    }

    /// What the provider says next.
    struct Told: Sendable {
        var claims: JSONObject = [:]
        var tokens: JSONObject = [:]
        var signer = Scene.key
        var nonce: String?
    }

    /// Made once; the first use shows whether that worked.
    static let key = newKey(.rs256, "k1")
    static let otherKey = newKey(.rs256, "k1")
    static let p256 = newKey(.es256, "e1")
    /// As Apple hands out a `.p8` file.
    static let pem = P256.Signing.PrivateKey().pemRepresentation

    static let redirectURI = "https://bff.example.com/v1/auth/x/callback"

    static func newKey(_ algorithm: SignatureAlgorithm, _ keyID: String) -> Result<
        SigningKey, any Error
    > {
        Result { try SigningKey(generating: algorithm, keyID: keyID, random: .system) }
    }

    init(
        _ kind: IdentityProvider.Kind,
        _ settings: JSONObject = [:],
        metadata: JSONObject = [:],
        secret: String? = "s3cret & more",
        claims: JSONObject = [:]
    ) throws {
        let provider = try IdentityProvider(
            name: "x",
            kind: kind,
            settings: Self.settings(kind, settings)
        )
        let clock = clock
        client = UpstreamClient(
            provider,
            secret: try secret.map { try ProviderSecret(SecretText($0)) },
            transport: world,
            now: { clock.now },
            random: .system
        )
        addresses = Self.addresses(kind)
        told = Locked(Told(claims: claims))
        serve(metadata)
    }

    static func settings(_ kind: IdentityProvider.Kind, _ further: JSONObject) -> JSONObject {
        var settings: JSONObject = ["clientID": "us"]
        switch kind {
        case .google, .facebook: break
        case .apple:
            settings["teamID"] = "TEAM123456"
            settings["keyID"] = "KEY1234567"
        case .keycloak, .oidc: settings["issuer"] = "https://op.example.com"
        }
        settings.take(further)
        return settings
    }

    private static func addresses(_ kind: IdentityProvider.Kind) -> Addresses {
        switch kind {
        case .google:
            Addresses(
                issuer: "https://accounts.google.com",
                token: "https://oauth2.googleapis.com/token",
                keys: "https://www.googleapis.com/oauth2/v3/certs",
                revoke: "https://oauth2.googleapis.com/revoke"
            )
        case .apple:
            Addresses(
                issuer: "https://appleid.apple.com",
                token: "https://appleid.apple.com/auth/token",
                keys: "https://appleid.apple.com/auth/keys",
                revoke: "https://appleid.apple.com/auth/revoke"
            )
        case .facebook:
            Addresses(
                issuer: "https://www.facebook.com",
                token: "https://graph.facebook.com/v23.0/oauth/access_token",
                keys: "https://www.facebook.com/.well-known/oauth/openid/jwks/",
                nativeKeys: "https://limited.facebook.com/.well-known/oauth/openid/jwks/"
            )
        case .keycloak, .oidc:
            Addresses(
                issuer: "https://op.example.com",
                token: "https://op.example.com/token",
                keys: "https://op.example.com/keys",
                userInfo: "https://op.example.com/userinfo",
                revoke: "https://op.example.com/revoke"
            )
        }
    }

    /// The provider's usual answers.
    private func serve(_ further: JSONObject) {
        var metadata: JSONObject = [
            "issuer": .string(addresses.issuer),
            "authorization_endpoint": .string(addresses.issuer + "/auth"),
            "token_endpoint": .string(addresses.token), "jwks_uri": .string(addresses.keys),
            "code_challenge_methods_supported": ["S256"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "token_endpoint_auth_methods_supported": [
                "client_secret_basic", "client_secret_post", "private_key_jwt",
            ],
        ]
        if let address = addresses.userInfo { metadata["userinfo_endpoint"] = .string(address) }
        if let address = addresses.revoke { metadata["revocation_endpoint"] = .string(address) }
        metadata.take(further)
        let document = metadata
        world.answer(addresses.issuer + "/.well-known/openid-configuration") { _ in
            .json(document)
        }
        let told = told
        let clock = clock
        let issuer = addresses.issuer
        for address in [addresses.keys, addresses.nativeKeys].compactMap(\.self) {
            world.answer(address) { _ in Self.keySet([Self.key, Self.p256]) }
        }
        world.answer(addresses.token) { _ in
            let told = told.withLock(\.self)
            var tokens: JSONObject = [
                "access_token": "A1", "token_type": "Bearer", "expires_in": 300,
                "refresh_token": "R1",
                "id_token": .string(
                    Self.idToken(told.claims, told.nonce, issuer, told.signer, at: clock.now)
                ),
            ]
            tokens.take(told.tokens)
            return .json(tokens)
        }
        if let address = addresses.userInfo {
            world.answer(address) { _ in .json(["sub": "alice"]) }
        }
        if let address = addresses.revoke {
            world.answer(address) { _ in .json([:]) }
        }
    }

    static func keySet(_ keys: [Result<SigningKey, any Error>]) -> HTTPReply {
        // `try?`: without a key the test fails where it should.
        let keys = keys.compactMap { try? $0.get().verificationKey }
        var response = HTTPResponse(status: .ok)
        response.headerFields[.contentType] = "application/json"
        return HTTPReply(response: response, body: JWKSet(keys).serialized())
    }

    static func idToken(
        _ further: JSONObject,
        _ nonce: String?,
        _ issuer: String,
        _ signer: Result<SigningKey, any Error>,
        at now: Date
    ) -> String {
        let seconds = NumericDate.seconds(now)
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": "alice", "aud": "us", "iat": .integer(seconds),
            "exp": .integer(seconds + 300),
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        claims.take(further)
        // `try?`: without a token the test fails where it should.
        return (try? signer.get().sign(claims: claims, type: .jwt)) ?? ""
    }

    /// A native identity token of this provider.
    func nativeToken(
        _ claims: JSONObject = [:],
        nonce: String? = nil,
        signer: Result<SigningKey, any Error> = Scene.key
    ) -> String {
        Self.idToken(claims, nonce, addresses.issuer, signer, at: clock.now)
    }

    func tell(_ change: (inout Told) -> Void) {
        told.withLock(change)
    }

    var moment: Moment { Moment(now: clock.now, random: .system) }

    func begin(_ request: UpstreamRequest = UpstreamRequest()) async throws -> (
        attempt: Attempt, address: String
    ) {
        let begun = try await client.begin(redirectURI: Self.redirectURI, request, at: moment)
        tell { $0.nonce = begun.attempt.secrets.nonce.reveal() }
        return (begun.attempt, begun.address)
    }

    /// An answer as the provider gives it to an attempt.
    func answer(to attempt: Attempt, _ further: [(String, String)] = []) -> FormParameters {
        FormParameters(
            [("code", "c0de"), ("state", attempt.state.reveal())]
                + further.map { (name: $0.0, value: $0.1) }
        )
    }

    /// A whole sign-in, as two requests make it: the attempt travels as bytes.
    func signIn(
        _ request: UpstreamRequest = UpstreamRequest(),
        appleUser: String? = nil,
        claims: JSONObject = [:]
    ) async throws -> ProvenPerson {
        if !claims.isEmpty { tell { $0.claims.note(claims) } }
        let attempt = try Attempt(encoded: try await begin(request).attempt.encoded)
        let code = try await client.code(in: answer(to: attempt), to: attempt)
        return try await client.redeem(code, of: attempt, appleUser: appleUser)
    }

    /// What a sign-in throws.
    func failure(
        _ request: UpstreamRequest = UpstreamRequest(),
        claims: JSONObject = [:]
    ) async -> SignInError.Kind? {
        await kind(of: { _ = try await signIn(request, claims: claims) })
    }
}

/// What an action throws.
func kind(of action: () async throws -> Void) async -> SignInError.Kind? {
    do {
        try await action()
        return nil
    } catch {
        return ((error as? RefreshFailure)?.error ?? error as? SignInError)?.kind
    }
}

extension JSONObject {
    /// Changes to be taken later: a `null` stays one.
    mutating func note(_ changes: JSONObject) {
        for (name, value) in changes { self[name] = value }
    }

    /// Members of another object instead of one's own; `null` takes one away.
    mutating func take(_ other: JSONObject) {
        for (name, value) in other {
            // A literal `nil` would be a JSON null.
            let absent: JSONValue? = .none
            self[name] = value == .null ? absent : value
        }
    }
}

/// One parameter of an address.
func parameter(_ name: String, of address: String) throws -> String? {
    let query = address.split(separator: "?", maxSplits: 1).last ?? ""
    return try FormParameters(decoding: query.utf8).value(name)
}

/// Everything that is on the other side of a transport: answers by address, and what was asked.
final class World: HTTPTransport {
    struct Request: Sendable {
        let method: String
        /// Without the query.
        let address: String
        let query: FormParameters
        let form: FormParameters
        let fields: HTTPFields
        let limits: HTTPLimits
    }

    typealias Answer = @Sendable (Request) throws(HTTPTransportError) -> HTTPReply

    private struct State {
        var answers: [String: Answer] = [:]
        var requests: [Request] = []
    }

    private let state = Locked(State())

    func answer(_ address: String, _ answer: @escaping Answer) {
        state.withLock { $0.answers[address] = answer }
    }

    func answer(of address: String) -> Answer? {
        state.withLock { $0.answers[address] }
    }

    var requests: [Request] { state.withLock { $0.requests } }

    func requests(_ address: String) -> [Request] {
        requests.filter { $0.address == address }
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address,
            // `try?`: a body that is no form has no parameters.
            let form = try? FormParameters(decoding: body),
            let query = try? FormParameters(decoding: (address.query ?? "").utf8)
        else { throw .malformed }
        let received = Request(
            method: request.method.rawValue,
            address: String(address.text.prefix { $0 != "?" }),
            query: query,
            form: form,
            fields: request.headerFields,
            limits: limits
        )
        let answer = state.withLock { state in
            state.requests.append(received)
            return state.answers[received.address]
        }
        guard let answer else { throw .unreachable }
        return try answer(received)
    }
}

extension HTTPReply {
    static func json(_ object: JSONObject, status: Int = 200, _ fields: HTTPFields = [:])
        -> HTTPReply
    {
        var response = HTTPResponse(status: .init(code: status), headerFields: fields)
        response.headerFields[.contentType] = "application/json"
        return HTTPReply(response: response, body: object.serialized())
    }
}
