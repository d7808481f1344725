import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

/// A backend in memory, which checks what a real one checks.
final class FakeBackend: FakeServer {
    static let address = "https://api.notes.example.com"
    static let redirectURI = "https://notes.example.com/signed-in"

    typealias Request = FakeProvider.Request
    typealias Answer = FakeProvider.Answer

    struct State: Sendable {
        var user: JSONObject = [
            "id": "u-1", "email": "ann@example.com", "email_verified": true, "name": "Ann",
            "picture": "https://pictures.example.com/ann", "providers": ["google"],
        ]
        /// What an answer with tokens says instead.
        var tokens: @Sendable (JSONObject) -> JSONObject = { $0 }
        var isNew = true
        /// Knows no Idempotency-Key: a spent refresh token ends the session.
        var rotatesPlainly = false
        fileprivate var codes: [String: HandedOff] = [:]
        fileprivate var nonces: [String: CodeChallenge] = [:]
        fileprivate var serial = 0
        fileprivate var generation = 0
        fileprivate var rotationKey: String?
        fileprivate var isOver = false
        fileprivate var live: Set<String> = []
    }

    fileprivate struct HandedOff: Sendable {
        let app: String
        let redirectURI: String
        let challenge: CodeChallenge?
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

    /// How often the refresh token was rotated.
    var generation: Int { state.withLock { $0.generation } }
    /// Whether the session is over here, by a sign-out or a replay.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Session tokens of now are forgotten, as if they had expired.
    func expireTokens() {
        state.withLock { $0.live = [] }
    }

    func endSession() {
        state.withLock { state in
            state.live = []
            state.isOver = true
        }
    }

    /// What the person's sign-in at a provider makes of a start address: the URI that the browser
    /// is sent to.
    func authorize(_ address: String) throws -> String {
        let query = address.split(separator: "?", maxSplits: 1).last ?? ""
        let form = try FormParameters(decoding: query.utf8)
        let redirectURI = try form.required("redirect_uri")
        let code = state.withLock { state in
            state.serial += 1
            let code = "hand-off-\(state.serial)"
            state.codes[code] = HandedOff(
                app: form["app"] ?? "",
                redirectURI: redirectURI,
                challenge: form["code_challenge"].flatMap(CodeChallenge.init)
            )
            return code
        }
        return FormEncoding.appending(
            [("code", code), ("state", form["state"] ?? "")],
            to: redirectURI
        )
    }

    func usualAnswer(_ request: Request) -> HTTPReply {
        switch (request.method, request.path) {
        case ("POST", "/v1/auth/token"): redeem(request)
        case ("POST", "/v1/auth/refresh"): refresh(request)
        case ("POST", "/v1/auth/apple/native/nonce"): nativeNonce(request)
        case ("POST", "/v1/auth/apple/native"): native(request)
        case ("GET", "/v1/auth/session"):
            isLive(request)
                ? .json(["authenticated": true, "user": .object(state.withLock { $0.user })])
                : .noSession
        case ("POST", "/v1/auth/logout"): logout(request)
        case (_, "/v1/notes"): isLive(request) ? .json(["notes": []]) : .noSession
        default: .text(404, "text/plain", [])
        }
    }

    private func nativeNonce(_ request: Request) -> HTTPReply {
        guard request.form["code_challenge_method"] == "S256",
            let challenge = request.form["code_challenge"].flatMap(CodeChallenge.init)
        else { return .refusal(400, "invalid_request") }
        let nonce = state.withLock { state in
            state.serial += 1
            state.nonces["N\(state.serial)"] = challenge
            return "N\(state.serial)"
        }
        return .json(["nonce": .string(nonce), "expires_in": 600])
    }

    private func native(_ request: Request) -> HTTPReply {
        let nonce = request.form["nonce"] ?? ""
        let challenge = state.withLock { $0.nonces.removeValue(forKey: nonce) }
        guard request.form["app"] == "notes-ios", request.form["id_token"] == "TOKEN \(nonce)",
            let verifier = request.form["code_verifier"].flatMap(CodeVerifier.init),
            challenge?.isMet(by: verifier) == true
        else { return .refusal(401, "invalid_token") }
        return issue()
    }

    private func isLive(_ request: Request) -> Bool {
        let token = request.fields[.authorization]?.split(separator: " ").last.map(String.init)
        return state.withLock { $0.live.contains(token ?? "") }
    }

    private func redeem(_ request: Request) -> HTTPReply {
        let code = request.form["code"] ?? ""
        let handedOff = state.withLock { $0.codes.removeValue(forKey: code) }
        guard let handedOff, request.form["grant_type"] == "authorization_code",
            handedOff.app == request.form["app"],
            handedOff.redirectURI == request.form["redirect_uri"],
            let verifier = request.form["code_verifier"].flatMap(CodeVerifier.init),
            handedOff.challenge?.isMet(by: verifier) == true
        else { return .refusal(400, "invalid_grant") }
        return issue()
    }

    /// Linear rotation, and the same answer again for the client that rotated.
    private func refresh(_ request: Request) -> HTTPReply {
        let key = request.fields[HTTPField.Name("Idempotency-Key") ?? .accept]
        let isGood = state.withLock { state in
            guard !state.isOver else { return false }
            switch request.form["refresh_token"] {
            case "R\(state.generation)":
                state.generation += 1
                state.rotationKey = key
            case "R\(state.generation - 1)"
            where !state.rotatesPlainly && key != nil && key == state.rotationKey: break
            default:
                state.isOver = true
                return false
            }
            return true
        }
        return isGood ? issue() : .refusal(400, "invalid_grant")
    }

    private func issue() -> HTTPReply {
        let (state, serial) = state.withLock { state in
            state.serial += 1
            state.live.insert("S\(state.serial)")
            return (state, state.serial)
        }
        return .json(
            state.tokens([
                "session_token": .string("S\(serial)"), "token_type": "Bearer",
                "expires_in": 900, "refresh_token": .string("R\(state.generation)"),
                "user": .object(state.user), "is_new_user": .bool(state.isNew),
            ])
        )
    }

    private func logout(_ request: Request) -> HTTPReply {
        guard isLive(request) else { return .noSession }
        endSession()
        return .json(["success": true])
    }
}

extension HTTPReply {
    static func refusal(_ status: Int, _ code: String) -> HTTPReply {
        json(["error": .string(code), "message": "SECRET words"], status: status)
    }

    /// No one is signed in (docs/decisions/0029).
    static var noSession: HTTPReply {
        json(
            [
                "authenticated": false, "error": "unauthorized", "reason": "SESSION_EXPIRED",
                "message": "SECRET words",
            ],
            status: 401
        )
    }
}

/// A client of a backend, the backend, and the client's storage.
struct BackendScene {
    let clock: StoppedClock
    let backend: FakeBackend
    let storage: any SessionStorage
    let client: BackendClient

    init(
        storage: any SessionStorage = InMemory(),
        redirect: Redirect = .https(FakeBackend.redirectURI),
        address: String = FakeBackend.address,
        options: BackendClient.Options = BackendClient.Options()
    ) {
        let clock = StoppedClock()
        let backend = FakeBackend(clock)
        self.clock = clock
        self.backend = backend
        self.storage = storage
        client = Self.client(
            backend,
            storage: storage,
            redirect: redirect,
            address: address,
            options: options
        )
    }

    static func client(
        _ backend: FakeBackend,
        storage: any SessionStorage,
        redirect: Redirect = .https(FakeBackend.redirectURI),
        address: String = FakeBackend.address,
        app: String = "notes-ios",
        options: BackendClient.Options = BackendClient.Options()
    ) -> BackendClient {
        let clock = backend.clock
        return BackendClient(
            backend: address,
            app: app,
            redirect: redirect,
            options: options,
            storage: storage,
            transport: backend,
            now: { clock.now },
            random: .system
        )
    }

    func signIn() async throws -> BackendSession {
        let attempt = try client.begin(with: "google")
        return try await attempt.complete(try backend.authorize(attempt.address))
    }

    /// A session whose token has expired.
    static func expired(_ storage: any SessionStorage = InMemory()) async throws
        -> (BackendScene, BackendSession)
    {
        let scene = BackendScene(storage: storage)
        let session = try await scene.signIn()
        scene.clock.advance(by: 1000)
        scene.backend.expireTokens()
        return (scene, session)
    }

    /// Another client over the same storage, as another process has it.
    func neighbour() async throws -> BackendSession {
        try #require(await Self.client(backend, storage: storage).restore().session)
    }

    var storedRecord: BackendRecord? {
        get async throws { try await storage.read().flatMap(BackendRecord.init) }
    }
}
