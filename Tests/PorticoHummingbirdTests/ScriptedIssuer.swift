import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport

/// An issuer whose keys change and that can be unreachable.
final class ScriptedIssuer: HTTPTransport {
    static let address = "https://id.example.com"

    private struct State {
        var keys: [SigningKey] = []
        var isReachable = true
        var fetches = 0
    }

    let clock: StoppedClock
    private let state = Locked(State())

    init(_ clock: StoppedClock) throws {
        self.clock = clock
        try publish(Self.key("k1"))
    }

    static func key(_ id: String) throws -> SigningKey {
        try SigningKey(generating: .es256, keyID: id, random: .system)
    }

    /// How often keys were fetched.
    var fetches: Int { state.withLock { $0.fetches } }

    func publish(_ keys: SigningKey...) {
        state.withLock { $0.keys = keys }
    }

    func isReachable(_ isReachable: Bool) {
        state.withLock { $0.isReachable = isReachable }
    }

    func claims(_ changes: JSONObject = [:]) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(Self.address), "sub": "alice", "aud": ["notes", "other"],
            "iat": .integer(clock.seconds), "exp": .integer(clock.seconds + 300),
            "scope": "notes.read notes.write", "client_id": "app", "name": "Alice",
            "email": "alice@example.com", "email_verified": true, "jti": "1",
            "realm_access": ["roles": ["editor"]],
        ]
        for (name, value) in changes { claims[name] = value == .null ? nil : value }
        return claims
    }

    /// - Parameter nulls: Claims that are written as `null`.
    func token(
        _ changes: JSONObject = [:],
        nulls: [String] = [],
        type: JWTType = .accessToken,
        by key: SigningKey? = nil
    ) throws -> String {
        guard let key = key ?? state.withLock({ $0.keys.first }) else { return "" }
        var claims = claims(changes)
        for name in nulls { claims[name] = .null }
        return try key.sign(claims: claims, type: type)
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        let (keys, isReachable) = state.withLock { state in
            if request.path == "/keys" { state.fetches += 1 }
            return (state.keys, state.isReachable)
        }
        guard isReachable else { throw .unreachable }
        switch request.path {
        case "/.well-known/openid-configuration":
            return ScriptedBackend.json(
                200,
                [
                    "issuer": .string(Self.address),
                    "authorization_endpoint": .string(Self.address + "/auth"),
                    "token_endpoint": .string(Self.address + "/token"),
                    "jwks_uri": .string(Self.address + "/keys"),
                ]
            )
        case "/keys":
            var reply = ScriptedBackend.json(200, [:])
            reply.body = JWKSet(keys.map(\.verificationKey)).serialized()
            return reply
        default: return ScriptedBackend.json(404, [:])
        }
    }
}

/// The Provider under test, as a service reaches it.
struct ProviderTransport: HTTPTransport {
    let provider: ProviderUnderTest

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        do {
            let reply = try await provider.send(request.method, request.path ?? "/")
            return HTTPReply(
                response: HTTPResponse(
                    status: .init(code: reply.status),
                    headerFields: reply.headers
                ),
                body: reply.body
            )
        } catch {
            throw .unreachable
        }
    }
}
