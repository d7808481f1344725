import Foundation
import HTTPTypes
import NIOCore
import PorticoTestSupport
import Testing

@testable import PorticoProgram
@testable import PorticoWeb

@Suite("What the settings of serve bound, and whom they trust") struct ServeBoundsTests {
    @Test("each setting of a connection is the limit that it names")
    func connections() {
        var settings = Settings(dataDirectory: "/nowhere")
        #expect(ConnectionLimits(settings) { _ in true }.connections == OpenFiles().connections)
        settings.limitConnections = 17
        settings.limitBody = 5000
        settings.limitUpload = 70_000
        settings.limitRequestSeconds = 3
        settings.limitIdleSeconds = 7
        let limits = ConnectionLimits(settings) { _ in true }
        #expect(limits.connections == 17)
        #expect(limits.body == 5000)
        #expect(limits.uploads?.bytes == 70_000)
        #expect(limits.headTime == .seconds(3) && limits.bodyTime == .seconds(3))
        #expect(limits.idleTime == .seconds(7))
    }

    @Test("WEB-INPUT-1: the server that runs has them, and logs what they refuse")
    func body() async throws {
        let form = String(repeating: "a", count: 5000)
        for (arguments, status) in [([], 404), (["--limits-body", "4096"], 413)] {
            let server = try await EarnestServer(arguments)
            let reply = try await server.request(
                "POST",
                "/realms/acme/protocol/openid-connect/token",
                body: form
            )
            #expect(reply.status == status)
            guard status == 413 else { continue }
            try await server.wait {
                server.running.stderr.contains("request refused\" status=413")
            }
        }
    }

    @Test("as many connections as were set: who says nothing makes room")
    func connectionBudget() async throws {
        let server = try await EarnestServer(
            Scenario.words(
                "--limits-connections 16 --limits-idle-seconds 3600 --limits-request-seconds 600"
            )
        )
        let port = server.port
        let first = try #require(RawSocket.connect(port: port))
        defer { RawSocket.close(first) }
        // Each connection begins on one of several threads: once this is answered, the first has.
        #expect(try await server.request("GET", "/healthz").status == 200)
        var others: [Int32] = []
        defer { others.forEach(RawSocket.close) }
        for _ in 0..<16 { others.append(try #require(RawSocket.connect(port: port))) }
        let end = await RawExchange.run { RawSocket.receive(first) }
        #expect(end == [], "the one that has waited longest is closed")
        let answer = try await server.request("GET", "/healthz")
        #expect(answer.status == 200)
    }

    @Test("WEB-BRUTE-2: the sign-ins that a browser may begin, and an address, are two settings")
    func signIns() async throws {
        let portico = try PorticoProcess()
        let server = try await DemoServer(
            in: portico,
            arguments: ["--limits-sign-ins", "1", "--limits-sign-ins-of-address", "3"]
        )
        func begin(_ person: WebPerson) async throws -> Int {
            try await person.get("\(server.url)/v1/auth/google").status
        }
        let person = WebPerson()
        #expect(try await begin(person) == 200)
        #expect(try await begin(person) == 429)
        try await person.close()
        // What was refused does not count for the address.
        var statuses: [Int] = []
        for _ in 0..<12 where statuses.last != 429 {
            let other = WebPerson()
            statuses.append(try await begin(other))
            try await other.close()
        }
        #expect(statuses.prefix(2) == [200, 200] && statuses.last == 429, "\(statuses)")
    }

    @Test("decision 0036: what a proxy says of its visitors counts from a named proxy only")
    func proxies() async throws {
        let spoof = ["X-Forwarded-For: 198.51.100.7", "X-Forwarded-Proto: http"]
        let https = ["--public-url", "https://id.example.com"]
        for (named, status) in [([], 404), (["--trusted-proxy", "127.0.0.1"], 403)] {
            let server = try await EarnestServer(https + named)
            let reply = try await server.request("POST", "/nowhere", spoof, host: "id.example.com")
            #expect(reply.status == status, "\(named)")
            try await server.wait { server.running.stderr.contains("path=/nowhere") }
            let isBelieved = server.running.stderr.contains("address=198.51.100.7")
            #expect(isBelieved == !named.isEmpty)
        }
    }

    @Test("decision 0036: another Host than that of the public URL is not served")
    func host() async throws {
        let server = try await EarnestServer(["--public-url", "https://id.example.com"])
        #expect(try await server.request("GET", "/nowhere").status == 421)
        let named = try await server.request("GET", "/nowhere", host: "id.example.com")
        #expect(named.status == 404)
        #expect(named.field("Strict-Transport-Security") != nil)
    }

    @Test(
        "decision 0037: passwords are hashed on the threads that were set; too many are told to wait"
    )
    func hashing() async throws {
        let one = ["--hashing-threads", "1", "--hashing-queue", "0"]
        for (arguments, isFull) in [(one, true), (["--hashing-queue", "100"], false)] {
            let server = try await EarnestServer(arguments)
            try await server.makeRealm()
            let address = server.authorization(to: "http://127.0.0.1/callback")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        let person = WebPerson()
                        // Names that no one has: each costs a hash.
                        let reply = try await person.signIn(
                            at: address,
                            UUID().uuidString,
                            "a wrong one"
                        )
                        try await person.close()
                        return reply.status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.contains(503) == isFull, "\(statuses)")
        }
    }
}

@Suite("How the open files are shared out") struct OpenFilesTests {
    /// What is promised when all is taken: each request of seven transports has a connection, each name of
    /// five resolvers and of two for TXT records has two files, and long bodies have one each.
    private func promised(_ files: OpenFiles, cores: Int) -> Int {
        let outgoing = 7 * files.outgoing + 2 * (5 + 2) * files.names
        return files.connections + outgoing + UploadPlaces.most + OpenFiles.own(cores: cores)
    }

    @Test(
        "decision 0067: connections, requests, names, bodies and the database stay within them",
        arguments: [256, 1024, 8192, 65_536],
        [1, 2, 8, 64]
    )
    func within(allowed: Int, cores: Int) {
        // The program's own for so many cores are more.
        guard allowed > OpenFiles.own(cores: cores) else { return }
        for wanted in [nil, 16, 900, 100_000] {
            let files = OpenFiles(allowed, cores: cores, wanted: wanted)
            #expect(promised(files, cores: cores) <= allowed)
            #expect(files.connections >= 8 && files.connections <= wanted ?? 8192)
            #expect(files.outgoing >= 8 && files.outgoing <= 256)
        }
    }

    @Test("few files are fewer requests to others, and many are all that there may be")
    func shares() {
        func share(_ allowed: Int, wanted: Int? = nil) -> [Int] {
            let files = OpenFiles(allowed, cores: 2, wanted: wanted)
            return [files.connections, files.outgoing, files.names]
        }
        #expect(share(256) == [56, 8, 1])
        #expect(share(1024) == [455, 49, 6])
        #expect(share(8192) == [5760, 256, 32])
        #expect(share(65_536) == [8192, 256, 32])
        #expect(share(1024, wanted: 16) == [16, 97, 12])
        #expect(share(1024, wanted: 900) == [824, 8, 1])
        // Too few for anything: it starts, and says what it cannot do.
        #expect(share(0) == [8, 8, 1])
        #expect(OpenFiles().connections >= 8)
    }

    @Test("serve raises the limit that it was started with")
    func raised() async throws {
        let portico = try PorticoProcess()
        let server = try await EarnestServer(in: portico, openFiles: "512:1024")
        let path = "/proc/\(server.running.process.id)/limits"
        let limits = try String(contentsOfFile: path, encoding: .utf8)
        try await server.stop()
        let files = try #require(limits.firstMatch(of: /Max open files +(\d+) +(\d+)/))
        #expect(files.1 == "1024" && files.2 == "1024")
    }
}
