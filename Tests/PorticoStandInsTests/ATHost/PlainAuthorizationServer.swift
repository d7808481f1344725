import HTTPTypes
import NIOCore
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import PorticoWeb

/// An authorization server of a few lines, for tests of what stands in front of it: with proofs, nonces
/// and single-use refresh tokens, and a code that says whose tokens it is for.
final class PlainAuthorizationServer: Responder {
    private struct State: Sendable {
        let key: SigningKey
        var asked: [String] = []
        /// Account and scope of each refresh token that is good.
        var refreshTokens: [String: (did: String, scope: String)] = [:]
        var revoked: [String] = []
    }

    private let origin: String
    private let clock: StoppedClock
    private let nonces: DPoPNonces
    private let state: Locked<State>
    /// Whether it waits before it answers, where tokens are asked for.
    let isHeld = Locked(false)

    init(_ origin: String, _ clock: StoppedClock, _ nonces: DPoPNonces) throws {
        self.origin = origin
        self.clock = clock
        self.nonces = nonces
        state = try Locked(State(key: SigningKey(generating: .es256, random: .system)))
    }

    static func code(of did: String, _ scope: String) -> SecretText {
        SecretText("\(did) \(scope)")
    }

    /// The paths that were asked, in order.
    var asked: [String] { state.withLock { $0.asked } }
    var revoked: [String] { state.withLock { $0.revoked } }

    func respond(to request: Request) async -> Response {
        let path = String((request.head.path ?? "").prefix { $0 != "?" })
        state.withLock { $0.asked.append(path) }
        switch path {
        case "/.well-known/oauth-authorization-server": return Self.json(metadata)
        case "/.well-known/oauth-protected-resource":
            return Self.json([
                "resource": .string(origin), "authorization_servers": [.string(origin)],
            ])
        case "/keys":
            let keys = JWKSet([state.withLock { $0.key.verificationKey }])
            return Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                bytes: keys.serialized()
            )
        case "/par", "/token", "/revoke":
            do {
                let response = given(try answer(request, path))
                while path == "/token", isHeld.withLock({ $0 }) {
                    try await Task.sleep(for: .milliseconds(2))
                }
                return response
            } catch {
                return given(Self.json(["error": "server_error"], 500))
            }
        case "/echo":
            return Response(
                status: .ok,
                headers: [:],
                bytes: Array((request.head.authority ?? "").utf8)
            )
        default: return Response(status: .notFound)
        }
    }

    private func answer(_ request: Request, _ path: String) throws -> Response {
        let proof: DPoPProof?
        do throws(DPoPRefusal) {
            proof = try DPoPJudge(nonce: { [nonces] in nonces.isGood($0, at: $1) })(
                request.headers[values: .known("DPoP")],
                for: DPoPJudge.Request(method: request.method, address: origin + path),
                at: clock.seconds
            )
        } catch {
            return Self.json(["error": .string(error.error.code.rawValue)], 400)
        }
        let form = try FormParameters(body: request)
        switch path {
        case "/par": return Self.json(["request_uri": "urn:example:1", "expires_in": 300], 201)
        case "/revoke":
            state.withLock { state in
                state.revoked.append(form["token"] ?? "")
                state.refreshTokens[form["token"] ?? ""] = nil
            }
            return Self.json([:])
        default: return try tokens(form, proof)
        }
    }

    private func tokens(_ form: FormParameters, _ proof: DPoPProof?) throws -> Response {
        let grant: (did: String, scope: String)?
        if form["grant_type"] == "refresh_token" {
            let token = form["refresh_token"] ?? ""
            grant = state.withLock { $0.refreshTokens.removeValue(forKey: token) }
        } else {
            let parts = (form["code"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
            grant = parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        guard let grant, let proof else { return Self.json(["error": "invalid_grant"], 400) }
        let refresh = RandomSource.system.text(16)
        let key = state.withLock { state in
            state.refreshTokens[refresh] = grant
            return state.key
        }
        let access = try key.sign(
            claims: [
                "iss": .string(origin), "aud": .string(origin), "sub": .string(grant.did),
                "iat": .integer(clock.seconds), "exp": .integer(clock.seconds + 900),
                "jti": .string(RandomSource.system.text(16)), "scope": .string(grant.scope),
                "cnf": ["jkt": .string(proof.thumbprint.text)],
            ],
            type: .accessToken
        )
        return Self.json([
            "access_token": .string(access), "refresh_token": .string(refresh),
            "token_type": "DPoP", "expires_in": 900, "scope": .string(grant.scope),
            "sub": .string(grant.did),
        ])
    }

    private func given(_ response: Response) -> Response {
        var response = response
        response.headers[.known("DPoP-Nonce")] = nonces.current(at: clock.seconds)
        return response
    }

    private static func json(_ body: JSONObject, _ status: Int = 200) -> Response {
        Response(
            status: HTTPResponse.Status(code: status),
            headers: [.contentType: "application/json"],
            bytes: body.serialized()
        )
    }

    private var metadata: JSONObject {
        [
            "issuer": .string(origin),
            "authorization_endpoint": .string(origin + "/authorize"),
            "token_endpoint": .string(origin + "/token"),
            "pushed_authorization_request_endpoint": .string(origin + "/par"),
            "revocation_endpoint": .string(origin + "/revoke"),
            "jwks_uri": .string(origin + "/keys"),
            "require_pushed_authorization_requests": true,
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
            "scopes_supported": ["atproto"],
            "authorization_response_iss_parameter_supported": true,
            "dpop_signing_alg_values_supported": ["ES256"],
            "client_id_metadata_document_supported": true,
            "protected_resources": [.string(origin)],
        ]
    }
}
