import Foundation
import HTTPTypes
import PorticoBytes
public import PorticoProtocol
public import Testing

@testable import Portico

/// A provider in memory, which checks what a real one checks.
final class FakeProvider: FakeServer {
    static let issuer = "https://op.example.com"
    /// Made once; the first use shows whether that worked.
    typealias Key = Result<SigningKey, any Error>

    static let key = newKey("k1")
    static let otherKey = newKey("k2")

    /// A request as it came in.
    struct Request: Sendable {
        let method: String
        let address: String
        let fields: HTTPFields
        let form: FormParameters

        var path: String { HTTPAddress(address)?.path ?? "" }
    }

    typealias Answer = @Sendable (Request) async throws(HTTPTransportError) -> HTTPReply?

    struct State: Sendable {
        var metadata: JSONObject = FakeProvider.metadata
        var signer = FakeProvider.key
        var published = [FakeProvider.key]
        /// What an ID Token says instead.
        var claims: @Sendable (JSONObject) -> JSONObject = { $0 }
        /// What a token response says instead.
        var tokens: @Sendable (JSONObject) -> JSONObject = { $0 }
        var userInfo: JSONObject = ["sub": "alice", "name": "Alice", "email": "a@example.com"]
        var expiresIn: Int64 = 300
        /// Knows no Idempotency-Key, as most: a spent refresh token ends the session.
        var rotatesPlainly = false
        fileprivate var codes: [String: Authorization] = [:]
        fileprivate var serial = 0
        fileprivate var generation = 0
        fileprivate var rotationKey: String?
        fileprivate var isFamilyDead = false
        fileprivate var revoked: [String] = []
        fileprivate var nonce: String?
    }

    fileprivate struct Authorization: Sendable {
        let clientID: String
        let redirectURI: String
        let challenge: CodeChallenge?
        let nonce: String?
    }

    let clock: StoppedClock
    let traffic = Locked(FakeTraffic())
    private let state = Locked(State())

    init(_ clock: StoppedClock) {
        self.clock = clock
    }

    func change(_ change: (inout State) -> Void) {
        state.withLock(change)
    }

    var revoked: [String] { state.withLock { $0.revoked } }
    var isFamilyDead: Bool { state.withLock { $0.isFamilyDead } }
    /// How often the refresh token was rotated.
    var generation: Int { state.withLock { $0.generation } }

    // MARK: The authorization endpoint, as a browser sees it

    /// What the person's consent makes of an authorization request: the URI that the browser is
    /// sent to.
    func authorize(_ address: String) throws -> String {
        let query = address.split(separator: "?", maxSplits: 1).last ?? ""
        let form = try FormParameters(decoding: query.utf8)
        let redirectURI = try form.required("redirect_uri")
        let code = state.withLock { state in
            state.serial += 1
            let code = "code-\(state.serial)"
            state.codes[code] = Authorization(
                clientID: form["client_id"] ?? "",
                redirectURI: redirectURI,
                challenge: form["code_challenge"].flatMap(CodeChallenge.init),
                nonce: form["nonce"]
            )
            return code
        }
        return FormEncoding.appending(
            [("code", code), ("state", form["state"] ?? ""), ("iss", Self.issuer)],
            to: redirectURI
        )
    }

    func usualAnswer(_ request: Request) -> HTTPReply {
        switch (request.method, request.path) {
        case ("GET", "/.well-known/openid-configuration"):
            .json(state.withLock { $0.metadata })
        case ("GET", "/keys"):
            HTTPReply.text(
                200,
                "application/jwk-set+json",
                JWKSet(state.withLock { $0.published }.compactMap { try? $0.get().verificationKey })
                    .serialized()
            )
        case ("POST", "/token"): tokenAnswer(request)
        case ("GET", "/userinfo"): userInfo(request)
        case ("POST", "/revoke"): revoke(request)
        default: .text(404, "text/plain", [])
        }
    }

    func tokenAnswer(_ request: Request) -> HTTPReply {
        switch request.form["grant_type"] {
        case "authorization_code": redeem(request)
        case "refresh_token": refresh(request)
        default: .error(400, "unsupported_grant_type")
        }
    }

    private func redeem(_ request: Request) -> HTTPReply {
        let code = request.form["code"] ?? ""
        let authorization = state.withLock { $0.codes.removeValue(forKey: code) }
        guard let authorization,
            authorization.clientID == request.form["client_id"],
            authorization.redirectURI == request.form["redirect_uri"],
            let verifier = request.form["code_verifier"].flatMap(CodeVerifier.init),
            authorization.challenge?.isMet(by: verifier) == true
        else { return .error(400, "invalid_grant") }
        return issue(nonce: authorization.nonce)
    }

    /// Linear rotation, and the same answer again for the client that rotated.
    private func refresh(_ request: Request) -> HTTPReply {
        let key = request.fields[HTTPField.Name("Idempotency-Key") ?? .accept]
        let isGood = state.withLock { state in
            guard !state.isFamilyDead else { return false }
            switch request.form["refresh_token"] {
            case "R\(state.generation)":
                state.generation += 1
                state.rotationKey = key
            case "R\(state.generation - 1)"
            where !state.rotatesPlainly && key != nil && key == state.rotationKey: break
            default:
                state.isFamilyDead = true
                return false
            }
            return true
        }
        return isGood ? issue(nonce: nil) : .error(400, "invalid_grant")
    }

    private func issue(nonce: String?) -> HTTPReply {
        let (state, serial) = state.withLock { state in
            state.serial += 1
            return (state, state.serial)
        }
        let accessToken = "A\(serial)"
        let now = NumericDate.seconds(clock.now)
        var claims: JSONObject = [
            "iss": .string(Self.issuer), "sub": "alice", "aud": "app", "iat": .integer(now),
            "exp": .integer(now + 300), "name": "Alice", "sid": "s1", "auth_time": 1_700_000_000,
            "at_hash": .string(SignatureAlgorithm.es256.leftHalfHash(of: accessToken)),
            "realm_access": ["roles": ["reader"]],
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        // `try?`: without an ID Token the test fails where it should.
        let idToken = try? state.signer.get().sign(claims: state.claims(claims), type: .jwt)
        let tokens: JSONObject = [
            "access_token": .string(accessToken), "token_type": "Bearer",
            "expires_in": .integer(state.expiresIn),
            "refresh_token": .string("R\(state.generation)"),
            "id_token": .string(idToken ?? ""), "scope": "openid profile email",
        ]
        return .json(state.tokens(tokens))
    }

    private func userInfo(_ request: Request) -> HTTPReply {
        guard request.fields[.authorization]?.hasPrefix("Bearer A") == true else {
            return .unauthorized
        }
        return .json(state.withLock { $0.userInfo })
    }

    private func revoke(_ request: Request) -> HTTPReply {
        state.withLock { state in
            state.revoked.append(request.form["token"] ?? "")
            state.isFamilyDead = true
        }
        return .text(200, nil, [])
    }

    static let metadata: JSONObject = [
        "issuer": .string(issuer),
        "authorization_endpoint": .string(issuer + "/auth?tenant=a"),
        "token_endpoint": .string(issuer + "/token"),
        "userinfo_endpoint": .string(issuer + "/userinfo"),
        "jwks_uri": .string(issuer + "/keys"),
        "revocation_endpoint": .string(issuer + "/revoke"),
        "end_session_endpoint": .string(issuer + "/logout"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "authorization_response_iss_parameter_supported": true,
        "claims_parameter_supported": true,
    ]

    static func newKey(_ keyID: String) -> Key {
        Key { try SigningKey(generating: .es256, keyID: keyID, random: .system) }
    }
}

extension HTTPReply {
    static func json(_ object: JSONObject, status: Int = 200) -> HTTPReply {
        text(status, "application/json", object.serialized())
    }

    static func error(_ status: Int, _ code: String) -> HTTPReply {
        json(["error": .string(code), "error_description": "SECRET words"], status: status)
    }

    static func text(
        _ status: Int,
        _ type: String?,
        _ body: [UInt8],
        _ fields: HTTPFields = [:]
    ) -> HTTPReply {
        var response = HTTPResponse(status: .init(code: status), headerFields: fields)
        response.headerFields[.contentType] = type
        return HTTPReply(response: response, body: body)
    }

    static var unauthorized: HTTPReply {
        var reply = error(401, "invalid_token")
        reply.response.headerFields[.wwwAuthenticate] = "Bearer error=\"invalid_token\""
        return reply
    }
}

/// A server in memory, behind the door that a client sends its requests through, which can be told to
/// answer wrongly.
protocol FakeServer: HTTPTransport {
    var traffic: Locked<FakeTraffic> { get }

    func usualAnswer(_ request: FakeProvider.Request) -> HTTPReply
}

/// What came, and what is answered in another way, by path.
struct FakeTraffic: Sendable {
    fileprivate var requests: [FakeProvider.Request] = []
    fileprivate var secondsAllowed = 0
    fileprivate var answers: [String: FakeProvider.Answer] = [:]
}

extension FakeServer {
    /// Answers the requests for a path in another way; `nil` from it means as usual.
    func answer(_ path: String, _ answer: @escaping FakeProvider.Answer) {
        traffic.withLock { $0.answers[path] = answer }
    }

    func answerAsUsual(_ path: String) {
        traffic.withLock { $0.answers[path] = nil }
    }

    /// The next request for a path is obeyed, and its answer is lost.
    func loseAnswer(_ path: String) {
        answer(path) { request throws(HTTPTransportError) in
            self.answerAsUsual(path)
            _ = self.usualAnswer(request)
            throw .unreachable
        }
    }

    var requests: [FakeProvider.Request] { traffic.withLock { $0.requests } }

    /// How long all requests could have taken, by their limits.
    var secondsAllowed: Int { traffic.withLock { $0.secondsAllowed } }

    func requests(_ path: String) -> [FakeProvider.Request] {
        traffic.withLock { $0.requests.filter { $0.path == path } }
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address,
            // `try?`: a body that is no form has no parameters.
            let form = try? FormParameters(decoding: body)
        else { throw .malformed }
        let received = FakeProvider.Request(
            method: request.method.rawValue,
            address: address.text,
            fields: request.headerFields,
            form: form
        )
        let answer = traffic.withLock { traffic in
            traffic.requests.append(received)
            traffic.secondsAllowed += limits.seconds
            return traffic.answers[address.path]
        }
        if let reply = try await answer?(received) {
            guard reply.body.count <= limits.bytes else { throw .tooLarge }
            return reply
        }
        return usualAnswer(received)
    }
}

extension HTTPReply: CustomTestStringConvertible {
    /// Without the body, which may be megabytes: it would be in the log of every run.
    public var testDescription: String { "\(response.status.code), \(body.count) bytes" }
}

extension JSONObject {
    /// The same with another value for a member; `nil`: without it.
    func with(_ name: String, _ value: JSONValue?) -> JSONObject {
        var object = self
        object[name] = value
        return object
    }
}
