import Foundation
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Certificates", .serialized, .enabled(if: TLSServer.isPossible, "needs openssl"))
struct CertificateTests {
    private static let limits = HTTPLimits(bytes: 100_000, seconds: 10)

    private func request(_ authority: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
    }

    @Test("RFC 8414 §6.1: an untrusted certificate is refused", arguments: TransportKind.allCases)
    func untrusted(kind: TransportKind) async throws {
        let server = try TLSServer()
        let error = await #expect(throws: HTTPTransportError.self) {
            try await kind.with {
                try await $0.send(
                    request("127.0.0.1:\(server.port)"),
                    body: [],
                    limits: Self.limits
                )
            }
        }
        #expect(error == .untrusted)
    }

    @Test("A root that the program trusts is good for the name in the certificate, and no other")
    func trusted() async throws {
        let server = try TLSServer()
        let hosts = ["op.example.test": "127.0.0.1", "evil.example.test": "127.0.0.1"]
        let roots = server.certificate
        let reply = try await TransportKind.outbound.with(trustedRoots: roots, connectTo: hosts) {
            try await $0.send(
                request("op.example.test:\(server.port)"),
                body: [],
                limits: Self.limits
            )
        }
        #expect(reply.response.status.code == 200)
        await #expect(throws: HTTPTransportError.untrusted) {
            try await TransportKind.outbound.with(trustedRoots: roots, connectTo: hosts) {
                try await $0.send(
                    request("evil.example.test:\(server.port)"),
                    body: [],
                    limits: Self.limits
                )
            }
        }
    }

    @Test(
        "Only HTTP/1.1 is offered: the gate for what is no status stands in no other way",
        .timeLimit(.minutes(1))
    )
    func protocols() async throws {
        // It would speak HTTP/2 as well as it can, which is not at all.
        let server = try TLSServer(protocols: "h2,http/1.1")
        let reply = try await TransportKind.outbound.with(
            trustedRoots: server.certificate,
            connectTo: ["op.example.test": "127.0.0.1"]
        ) {
            try await $0.send(
                request("op.example.test:\(server.port)"),
                body: [],
                limits: Self.limits
            )
        }
        #expect(reply.response.status.code == 200)
    }

    @Test("RFC 9325 §3.1.1: a server that speaks TLS 1.1 and nothing newer is refused")
    func oldVersion() async {
        await #expect(processExitsWith: .success) {
            try TLSServer.forgetLowestVersion()
            func status(_ version: TLSServer.Version) async throws -> Int {
                let server = try TLSServer(only: version)
                return try await TransportKind.outbound.with(
                    trustedRoots: server.certificate,
                    connectTo: ["op.example.test": "127.0.0.1"]
                ) {
                    try await $0.send(
                        CertificateTests().request("op.example.test:\(server.port)"),
                        body: [],
                        limits: CertificateTests.limits
                    )
                }.response.status.code
            }
            try #require(await status(.v12) == 200)
            await #expect(throws: HTTPTransportError.untrusted) { try await status(.v11) }
        }
    }
}

/// What a client offers (RFC 8446 §4.1.2).
private struct ClientHello {
    var suites: [Int] = []
    var groups: [Int] = []

    /// - Parameter bytes: `nil` where they are not the whole of one.
    init?(_ bytes: [UInt8]) {
        var record = Reader(rest: bytes[...])
        // Type and version; version and random; session and compression are not looked at.
        guard record.take(3) != nil, var handshake = record.vector(2), handshake.take(1) != nil,
            var hello = handshake.vector(3), hello.take(2 + 32) != nil, hello.vector(1) != nil,
            var suites = hello.vector(2), hello.vector(1) != nil, var extensions = hello.vector(2)
        else { return nil }
        self.suites = suites.numbers()
        while let kind = extensions.number(2), var content = extensions.vector(2) {
            // supported_groups (§4.2.7)
            if kind == 10, var groups = content.vector(2) { self.groups = groups.numbers() }
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func number(_ size: Int) -> Int? {
            take(size)?.reduce(0) { $0 << 8 | Int($1) }
        }

        /// What comes after its length.
        mutating func vector(_ size: Int) -> Reader? {
            guard let length = number(size), let content = take(length) else { return nil }
            return Reader(rest: content)
        }

        mutating func numbers() -> [Int] {
            var numbers: [Int] = []
            while let number = number(2) { numbers.append(number) }
            return numbers
        }
    }
}

@Suite("What is offered to hosts that strangers name") struct ClientHelloTests {
    /// The first bytes of a client, until they are a whole message or it goes.
    private static func listen(into heard: Locked<[UInt8]>) throws -> UInt16 {
        guard let (listener, port) = RawSocket.listen(port: 0) else {
            throw POSIXError(.EADDRINUSE)
        }
        Thread.detachNewThread {
            defer { RawSocket.close(listener) }
            guard let connection = RawSocket.accept(listener) else { return }
            defer { RawSocket.close(connection) }
            while let bytes = RawSocket.receive(connection), !bytes.isEmpty {
                let all = heard.withLock { heard in
                    heard += bytes
                    return heard
                }
                if ClientHello(all) != nil { return }
            }
        }
        return port
    }

    @Test("decision 0067: no host chooses how large the numbers of a key exchange are")
    func groups() async throws {
        let heard = Locked<[UInt8]>([])
        let port = try Self.listen(into: heard)
        let target = GuardedTransport.ConnectTarget(address: "127.0.0.1", port: Int(port))
        let transport = GuardedTransport(connectTo: ["pds.example.com": target])
        let address = try #require(HTTPAddress("https://pds.example.com/"))
        await #expect(throws: HTTPTransportError.self) {
            try await transport.send(
                HTTPRequest(.get, to: address),
                body: [],
                limits: HTTPLimits(bytes: 1000, seconds: 15)
            )
        }
        let bytes = heard.withLock { $0 }
        let hello = try #require(ClientHello(bytes))
        // ECDHE with AES-128-GCM, and X25519.
        #expect(hello.suites.contains(0xC02F) && hello.groups.contains(0x001D))
        // DHE, whose field the server says.
        let finite: Set = [0x0033, 0x0039, 0x0067, 0x006B, 0x009E, 0x009F, 0xCCAA]
        #expect(finite.isDisjoint(with: hello.suites))
        // RFC 7919 §2: ffdhe2048 to ffdhe8192, and what may come.
        #expect(hello.groups.allSatisfy { $0 < 0x0100 || $0 > 0x01FF })
    }
}

/// `openssl s_server` with an untrusted certificate, for `op.example.test`.
final class TLSServer {
    static let program = "/usr/bin/openssl"
    static let isPossible = FileManager.default.isExecutableFile(atPath: program)

    /// The only version that a server speaks.
    enum Version: Sendable {
        case v11
        case v12

        fileprivate var arguments: [String] {
            switch self {
            // OpenSSL 3 has nothing left for it at its usual level.
            case .v11: ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
            case .v12: ["-tls1_2"]
            }
        }
    }

    /// Takes from this process what the system says of versions, so that only our own rule is left.
    /// To be called before anything uses TLS, in a process of its own.
    static func forgetLowestVersion() throws {
        let file = Guardian.shared.folder.appending(path: UUID().uuidString)
        let lines = [
            "openssl_conf = init", "[init]", "ssl_conf = ssl", "[ssl]", "system_default = system",
            "[system]", "MinProtocol = TLSv1", "CipherString = DEFAULT@SECLEVEL=0",
            "[req]", "distinguished_name = name", "[name]",
        ]
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        setenv("OPENSSL_CONF", file.path, 1)
    }

    let port: UInt16
    let certificate: String
    private let folder: URL
    private let server: ChildProgram

    /// - Parameters:
    ///   - files: Whole HTTP responses by the path that asks for them. Without any, a page.
    ///   - version: `nil`: whatever the program speaks.
    ///   - protocols: What it speaks above TLS, best first (RFC 7301); `nil`: it does not say.
    init(files: [String: String] = [:], only version: Version? = nil, protocols: String? = nil)
        throws
    {
        folder = Guardian.shared.folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appending(path: "certificate.pem").path
        let key = folder.appending(path: "key.pem").path
        try ChildProgram(
            Self.program,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=op.example.test",
                "-addext", "subjectAltName=DNS:op.example.test",
            ]
        ).waitUntilExit()
        guard let (socket, port) = RawSocket.listen(port: 0) else { throw POSIXError(.EADDRINUSE) }
        RawSocket.close(socket)
        self.port = port
        for (name, response) in files {
            try Data(response.utf8).write(to: folder.appending(path: name))
        }
        server = try ChildProgram(
            Self.program,
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-key", key, "-cert", certificate,
                files.isEmpty ? "-www" : "-HTTP", "-quiet",
            ] + (version?.arguments ?? []) + (protocols.map { ["-alpn", $0] } ?? []),
            folder: folder
        )
        for _ in 0..<500 {
            if let connection = RawSocket.connect(port: port) {
                RawSocket.close(connection)
                return
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
        throw POSIXError(.ETIMEDOUT)
    }

    deinit {
        // Waiting for it would hold one of the few threads that all tests share.
        server.signal(SIGKILL)
        // `try?`: what is left behind lies in the system's folder for such things.
        try? FileManager.default.removeItem(at: folder)
    }
}
