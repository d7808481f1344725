import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

/// Many tasks in several processes over one file, against a provider on a real socket that is away at
/// random. `TEST_STRESS_SECONDS` makes it run longer.
@Suite("Refresh under stress") struct RefreshStressTests {
    /// The provider of a ``Scene`` on a port of this machine, with faults.
    private final class Server: Sendable {
        enum Fault { case none, unavailable, lostRequest, lostAnswer }

        let scene: Scene
        private let held = Locked<LocalServer?>(nil)

        /// - Parameter fault: For the next request to the token endpoint.
        init(_ scene: Scene, fault: @escaping @Sendable () -> Fault) throws {
            self.scene = scene
            let provider = scene.provider
            let server = try LocalServer(takesBodies: true) { text in
                guard let request = Self.request(text) else { return .bytes([]) }
                let fault = request.path == "/token" ? fault() : .none
                switch fault {
                case .unavailable: return LocalServer.reply("503 Service Unavailable")
                case .lostRequest: return .bytes([])
                case .none, .lostAnswer:
                    let reply = provider.usualAnswer(request)
                    if case .lostAnswer = fault { return .bytes([]) }
                    return LocalServer.reply(
                        "\(reply.response.status.code) Answer",
                        ["Content-Type: \(reply.response.headerFields[.contentType] ?? "")"],
                        String(decoding: reply.body, as: UTF8.self)
                    )
                }
            }
            held.withLock { $0 = server }
        }

        var port: UInt16 { held.withLock { $0?.port ?? 0 } }
        func stop() { held.withLock { $0?.stop() } }

        private static func request(_ text: String) -> FakeProvider.Request? {
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
            let lines = (parts.first ?? "").split(separator: "\r\n")
            let words = (lines.first ?? "").split(separator: " ")
            guard words.count == 3,
                let form = try? FormParameters(decoding: (parts.count > 1 ? parts[1] : "").utf8)
            else { return nil }
            var fields = HTTPFields()
            for line in lines.dropFirst() {
                let field = line.split(separator: ":", maxSplits: 1)
                guard field.count == 2, let name = HTTPField.Name(String(field[0])) else {
                    continue
                }
                fields[name] = field[1].trimmingCharacters(in: .whitespaces)
            }
            return FakeProvider.Request(
                method: String(words[0]),
                address: FakeProvider.issuer + words[1],
                fields: fields,
                form: form
            )
        }
    }

    /// A client in another process, which sends everything to that port.
    private struct Portal: HTTPTransport {
        let port: UInt16
        let transport = SystemTransport()

        func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            var request = request
            request.scheme = "http"
            request.authority = "127.0.0.1:\(port)"
            return try await transport.send(request, body: body, limits: limits)
        }
    }

    /// What a test tells the processes that it starts.
    private struct Orders {
        let path: String
        let port: UInt16
        let seconds: Double

        /// For the processes that are started from now on.
        func give() {
            setenv("TEST_STRESS_ORDERS", "\(path)|\(port)|\(seconds)", 1)
        }

        static func taken() throws -> Orders {
            let text = ProcessInfo.processInfo.environment["TEST_STRESS_ORDERS"] ?? ""
            let parts = text.split(separator: "|").map(String.init)
            try #require(parts.count == 3)
            return Orders(
                path: parts[0],
                port: try #require(UInt16(parts[1])),
                seconds: try #require(Double(parts[2]))
            )
        }

        func session() async throws -> Session {
            let client = SignInClient(
                issuer: FakeProvider.issuer,
                clientID: "app",
                redirect: .https(Scene.redirectURI),
                scopes: [.openid, .profile, .email],
                options: SignInClient.Options(),
                storage: PrivateFile(path),
                transport: Portal(port: port),
                now: { StoppedClock().now },
                random: .system
            )
            return try #require(await client.restore().session)
        }
    }

    private static var seconds: Double {
        ProcessInfo.processInfo.environment["TEST_STRESS_SECONDS"].flatMap(Double.init) ?? 4
    }

    /// Replaces the token again and again. Whatever is not a passing failure ends the process.
    private static func run(_ orders: Orders) async throws {
        let session = try await orders.session()
        let end = ContinuousClock.now + .seconds(orders.seconds)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    while ContinuousClock.now < end {
                        do {
                            let token = SecretText(try await session.token())
                            _ = try await session.refresher.record(
                                of: session,
                                for: .replacement(of: token)
                            )
                        } catch let error as SignInError {
                            guard case .transient = error.kind else { throw error }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try #require(session.isActive)
    }

    @Test(
        "RFC 9700 §4.14.2: 200 tasks in each of four processes: no one is signed out, one successor",
        arguments: [false, true]
    )
    func processes(isPlain: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/session"
        let scene = Scene(storage: PrivateFile(path))
        scene.provider.change { $0.rotatesPlainly = isPlain }
        _ = try await scene.signIn()
        let dice = Locked(SystemRandomNumberGenerator())
        let faults = Locked(0)
        let server = try Server(scene) {
            let roll = dice.withLock { UInt8.random(in: 0..<100, using: &$0) }
            if roll < 20 { faults.withLock { $0 += 1 } }
            switch roll {
            case 0..<8: return .unavailable
            case 8..<14: return .lostRequest
            // A provider that rotates plainly does not forgive a lost answer.
            case 14..<20: return isPlain ? .lostRequest : .lostAnswer
            default: return .none
            }
        }
        defer { server.stop() }
        Orders(path: path, port: server.port, seconds: Self.seconds).give()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        try await RefreshStressTests.run(Orders.taken())
                    }
                }
            }
        }
        #expect(!scene.provider.isFamilyDead)
        #expect(scene.provider.generation > 20)
        #expect(faults.withLock { $0 } > 0)
        // What is stored goes on, with the provider's one successor.
        let session = try await scene.neighbour()
        let token = SecretText(try await session.token())
        _ = try await session.refresher.record(of: session, for: .replacement(of: token))
        let stored = try #require(try await scene.storedRecord)
        #expect(stored.refreshToken?.reveal() == "R\(scene.provider.generation)")
        #expect(!scene.provider.isFamilyDead)
    }

    @Test("A process killed in a refresh: an hour later its person is signed in, ten times")
    func killed() async throws {
        for _ in 0..<10 {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/session"
            let scene = Scene(storage: PrivateFile(path))
            _ = try await scene.signIn()
            // The provider rotates, and the answer comes to no one.
            let server = try Server(scene) { .lostAnswer }
            defer { server.stop() }
            Orders(path: path, port: server.port, seconds: 0).give()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let session = try await Orders.taken().session()
                let token = SecretText(try await session.token())
                Task {
                    try await session.refresher.record(of: session, for: .replacement(of: token))
                }
                while try await session.storage.read().flatMap(SessionRecord.init)?.pending == nil {
                    try await Task.sleep(for: .milliseconds(1))
                }
                kill(getpid(), SIGKILL)
            }
            scene.clock.advance(by: 3600)
            let session = try await scene.neighbour()
            _ = try await session.token()
            #expect(session.isActive)
            #expect(!scene.provider.isFamilyDead)
        }
    }
}
