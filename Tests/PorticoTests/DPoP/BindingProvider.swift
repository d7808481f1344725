import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

/// A ``FakeProvider`` and an API that bind tokens to keys (RFC 9449): they judge each proof, and ask for
/// nonces in the way they are told.
final class BindingProvider: HTTPTransport {
    /// A proof as it came in.
    struct Proof: Sendable {
        let path: String
        let claims: JSONObject
        let thumbprint: String
        /// Why it was refused, or asked for again.
        let refusal: DPoPRefusal?
        let scheme: String?
    }

    struct State: Sendable {
        /// By origin. None is demanded elsewhere.
        var nonces = ["https://op.example.com:443": "op-1", "https://api.example.com:443": "api-1"]
        /// How the provider asks for a nonce.
        var status = 400
        /// Each answer asks for another nonce.
        var isEndless = false
        /// Otherwise proofs mean nothing, and tokens are Bearer tokens.
        var bindsTokens = true
        /// The answers to the next requests for these paths are lost.
        var lost: [String] = []
        fileprivate var proofs: [Proof] = []
        fileprivate var pushed: [String: FormParameters] = [:]
        fileprivate var key: String?
    }

    let provider: FakeProvider
    private let state = Locked(State())

    init(_ provider: FakeProvider) {
        self.provider = provider
        provider.change {
            $0.metadata["pushed_authorization_request_endpoint"] = "https://op.example.com/par"
        }
        provider.answer("/notes") { _ in .text(200, "text/plain", Array("notes".utf8)) }
    }

    func change(_ change: (inout State) -> Void) {
        state.withLock(change)
    }

    /// All that came, or those to one path.
    func proofs(_ path: String? = nil) -> [Proof] {
        state.withLock { $0.proofs.filter { path == nil || $0.path == path } }
    }

    /// What a browser makes of an address, pushed or not.
    func authorize(_ address: String) throws -> String {
        guard let reference = try parameter("request_uri", of: address) else {
            return try provider.authorize(address)
        }
        let form = state.withLock { $0.pushed[reference] }
        return try provider.authorize(
            FormEncoding.appending(form?.all ?? [], to: "https://op.example.com/auth")
        )
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address else { throw .malformed }
        let reply = try await judged(request, address, body, limits)
        let isLost = state.withLock { state in
            guard let index = state.lost.firstIndex(of: address.path) else { return false }
            state.lost.remove(at: index)
            return true
        }
        if isLost { throw .unreachable }
        return reply
    }

    private func judged(
        _ request: HTTPRequest,
        _ address: HTTPAddress,
        _ body: [UInt8],
        _ limits: HTTPLimits
    ) async throws(HTTPTransportError) -> HTTPReply {
        let isResource = ["/userinfo", "/notes"].contains(address.path)
        let isPublic = !isResource && !["/par", "/token", "/revoke"].contains(address.path)
        let told = state.withLock { $0 }
        guard !isPublic, told.bindsTokens, request.headerFields[.dpop] != nil else {
            // A bound token without a proof is refused; there is none without a binding provider.
            return try await answer(request, address, body, limits)
        }
        let nonce = told.nonces[address.origin]
        let token = request.token(after: "DPoP ")
        let judge = DPoPJudge(nonce: { one, _ in one == nonce })
        var refusal: DPoPRefusal?
        var thumbprint: String?
        do throws(DPoPRefusal) {
            thumbprint = try judge(
                request.headerFields[values: .dpop],
                for: DPoPJudge.Request(
                    method: request.method,
                    address: address.text,
                    token: token?.reveal()
                ),
                at: NumericDate.seconds(provider.clock.now)
            )?.thumbprint.text
        } catch {
            refusal = error
        }
        if told.isEndless { refusal = .nonce }
        let proof = Self.proof(request, address, refusal)
        let next = state.withLock { state -> String? in
            state.proofs.append(proof)
            if state.isEndless { state.nonces[address.origin] = "n-\(state.proofs.count)" }
            return state.nonces[address.origin]
        }
        if let refusal {
            return Self.refused(refusal, isResource, told.status, nonce: next)
        }
        if address.path == "/token" {
            let isBound = state.withLock { state in
                defer { if state.key == nil { state.key = thumbprint } }
                return state.key == nil || state.key == thumbprint
            }
            guard isBound else { return .error(400, "invalid_grant") }
        }
        var reply = try await answer(request, address, body, limits)
        if let next { reply.response.headerFields[.dpopNonce] = next }
        return reply
    }

    private func answer(
        _ request: HTTPRequest,
        _ address: HTTPAddress,
        _ body: [UInt8],
        _ limits: HTTPLimits
    ) async throws(HTTPTransportError) -> HTTPReply {
        let isBound = request.headerFields[.dpop] != nil && state.withLock { $0.bindsTokens }
        switch address.path {
        case "/par":
            // `try?`: a body that is no form has no parameters.
            let form = (try? FormParameters(decoding: body)) ?? FormParameters()
            let reference = state.withLock { state in
                state.pushed["urn:p:\(state.pushed.count)"] = form
                return "urn:p:\(state.pushed.count - 1)"
            }
            return .json(["request_uri": .string(reference), "expires_in": 60], status: 201)
        case "/token" where isBound:
            var reply = try await provider.send(request, body: body, limits: limits)
            // `try?`: a page of an error has no type.
            if var json = try? JSONObject(parsing: reply.body), json["token_type"] == "Bearer" {
                json["token_type"] = "DPoP"
                reply.body = json.serialized()
            }
            return reply
        case "/userinfo" where isBound:
            var request = request
            request.headerFields[.authorization] =
                request.token(after: "DPoP ").map { "Bearer \($0.reveal())" }
            return try await provider.send(request, body: body, limits: limits)
        default:
            return try await provider.send(request, body: body, limits: limits)
        }
    }

    private static func refused(
        _ refusal: DPoPRefusal,
        _ isResource: Bool,
        _ status: Int,
        nonce: String?
    ) -> HTTPReply {
        let code = refusal.error.code.rawValue
        var reply = HTTPReply.error(status, code)
        if isResource {
            reply = .text(401, nil, [], [.wwwAuthenticate: "DPoP error=\"\(code)\""])
        }
        reply.response.headerFields[.dpopNonce] = nonce
        return reply
    }

    private static func proof(
        _ request: HTTPRequest,
        _ address: HTTPAddress,
        _ refusal: DPoPRefusal?
    ) -> Proof {
        let text = request.headerFields[.dpop] ?? ""
        // `try?`: a test looks at what is there.
        let jws = try? JWS(parsing: text.utf8, limit: 8192)
        let claims = jws.flatMap { try? JSONObject(parsing: $0.uncheckedPayload) }
        let jwk = (jws?.header.members.object("jwk")).flatMap {
            try? JWK(parsing: $0, unlabelledRSA: .rs256)
        }
        return Proof(
            path: address.path,
            claims: claims ?? [:],
            thumbprint: jwk.map { JWKThumbprint($0).text } ?? "",
            refusal: refusal,
            scheme: request.headerFields[.authorization]?.split(separator: " ").first.map(
                String.init
            )
        )
    }
}

/// A client with keys, its provider, and its storage.
struct BoundScene {
    let clock = StoppedClock()
    let binding: BindingProvider
    let storage: any SessionStorage
    let client: SignInClient

    init(
        storage: any SessionStorage = InMemory(),
        dpop: Bool = true,
        configure: (FakeProvider) -> Void = { _ in }
    ) {
        let provider = FakeProvider(clock)
        binding = BindingProvider(provider)
        configure(provider)
        self.storage = storage
        client = Self.client(binding, storage, dpop: dpop)
    }

    static func client(
        _ binding: BindingProvider,
        _ storage: any SessionStorage,
        dpop: Bool = true
    ) -> SignInClient {
        let clock = binding.provider.clock
        var options = SignInClient.Options()
        options.dpop = dpop
        options.apiOrigins = ["https://api.example.com"]
        return SignInClient(
            issuer: FakeProvider.issuer,
            clientID: "app",
            redirect: .https(Scene.redirectURI),
            scopes: [.openid],
            options: options,
            storage: storage,
            transport: binding,
            now: { clock.now },
            random: .system
        )
    }

    var provider: FakeProvider { binding.provider }

    func signIn() async throws -> Session {
        let attempt = try await client.begin()
        return try await attempt.complete(try binding.authorize(attempt.address))
    }

    /// The session after a restart of the app.
    func restarted(dpop: Bool = true) async throws -> Session {
        try #require(await Self.client(binding, storage, dpop: dpop).restore().session)
    }

    var storedRecord: SessionRecord? {
        get async throws { try await storage.read().flatMap(SessionRecord.init) }
    }

    static let notes = HTTPRequest(
        method: .get,
        scheme: "https",
        authority: "api.example.com",
        path: "/notes?of=today"
    )
}
