import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoOutbound

@Suite("What hosts share of a transport") struct SharedCapacityTests {
    /// As many as it gets.
    private func fill(_ capacity: SharedCapacity, _ host: String, _ person: String? = nil)
        -> Int
    {
        var count = 0
        while count < 10_000, capacity.take(1, for: host, person) { count += 1 }
        return count
    }

    @Test("decision 0067: one host gets an eighth, and the next one an eighth of the rest")
    func parts() {
        let capacity = SharedCapacity(256, part: 8)
        #expect(fill(capacity, "a.example") == 32)
        #expect(fill(capacity, "b.example") == 28)
        #expect(!capacity.take(1, for: "a.example"))
        // What is given back is there again.
        for _ in 1...28 { capacity.giveBack(1, for: "b.example") }
        for _ in 1...2 { capacity.giveBack(1, for: "a.example") }
        #expect(fill(capacity, "a.example") == 2)
        for _ in 1...32 { capacity.giveBack(1, for: "a.example") }
        #expect(fill(capacity, "a.example") == 32)
    }

    @Test("decision 0067: thirty hosts that take all they get leave room, and none gets over all")
    func many() {
        let capacity = SharedCapacity(256, part: 8)
        var taken = 0
        for number in 0..<30 { taken += fill(capacity, "\(number).evil.example") }
        #expect(taken < 256)
        #expect(capacity.take(1, for: "pds.example.com"))
        for number in 0..<300 { taken += fill(capacity, "\(number).example") }
        #expect(taken == 255)
        #expect(!capacity.take(1, for: "last.example"))
        capacity.giveBack(1, for: "pds.example.com")
        #expect(capacity.take(1, for: "last.example"))
    }

    @Test("decision 0067: of what a host gets, one person leaves some to the next, and so on")
    func people() {
        let capacity = SharedCapacity(256, part: 8, person: (5, 8))
        let people = (0..<6).map { _ in UniqueID(random: .system).text }
        #expect(people.map { fill(capacity, "a.example", $0) } == [20, 7, 3, 1, 1, 0])
        // At another host the same person is somebody else.
        #expect(fill(capacity, "b.example", people[0]) == 17)
        // What is given back is there again, for everybody.
        for _ in 1...17 { capacity.giveBack(1, for: "b.example", people[0]) }
        for _ in 1...20 { capacity.giveBack(1, for: "a.example", people[0]) }
        #expect(fill(capacity, "a.example", people[5]) == 12)
        for _ in 1...12 { capacity.giveBack(1, for: "a.example", people[5]) }
        #expect(fill(capacity, "a.example", people[0]) == 12)
    }

    private func transport(
        _ server: LocalServer,
        connections: Int = 256,
        answers: SharedCapacity? = nil,
        resolver: any AddressResolver = ScriptedNames([])
    ) -> GuardedTransport {
        let target = GuardedTransport.ConnectTarget(
            address: "127.0.0.1",
            port: Int(server.port),
            isPlain: true
        )
        return GuardedTransport(
            answers: answers,
            connections: connections,
            resolver: resolver,
            connectTo: ["hangs.example.com": target, "other.example.com": target]
        )
    }

    private func get(
        _ transport: GuardedTransport,
        _ host: String,
        seconds: Int = 15,
        for person: String? = nil
    ) async throws -> HTTPReply {
        var limits = HTTPLimits(bytes: 1 << 20, seconds: seconds)
        limits.person = person
        return try await transport.send(
            HTTPRequest(.get, to: try #require(HTTPAddress("https://\(host)/"))),
            body: [],
            limits: limits
        )
    }

    @Test("decision 0067: a person's 21st request of a host is refused, and another's is sent")
    func hangsForOne() async throws {
        let first = UniqueID(random: .system).text
        let (asked, host) = (Locked(0), "hangs.example.com")
        let server = try LocalServer { _ in
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            return number > 20 ? LocalServer.reply() : .silence
        }
        defer { server.stop() }
        let transport = transport(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...20 {
                group.addTask { _ = try await get(transport, host, for: first) }
            }
            try await waitUntil("20 requests are there") { server.requests.count == 20 }
            await #expect(throws: HTTPTransportError.busy) {
                try await get(transport, host, for: first)
            }
            let other = try await get(transport, host, for: UniqueID(random: .system).text)
            #expect(other.response.status == .ok)
            group.cancelAll()
        }
        try await waitUntil("the places are free") {
            do {
                _ = try await get(transport, host, for: first)
                return true
            } catch {
                return error as? HTTPTransportError != .busy
            }
        }
    }

    @Test("decision 0067: an answer that has begun gets all the bytes that it announced")
    func begun() async throws {
        let body = [UInt8](repeating: 0x61, count: 30)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n"
        let mayGo = Locked(false)
        defer { mayGo.withLock { $0 = true } }
        let server = try LocalServer { _ in
            .halves(
                Array(head.utf8) + [0x61],
                Array(body.dropFirst()),
                after: { mayGo.withLock { $0 } }
            )
        }
        defer { server.stop() }
        // A quarter for each: 40.
        let answers = SharedCapacity(160, part: 4)
        let (transport, host) = (transport(server, answers: answers), "hangs.example.com")
        let isOver = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let reply = try await get(transport, host)
                isOver.withLock { $0 = true }
                #expect(reply.body == body)
            }
            try await waitUntil("its bytes are taken") {
                guard answers.take(11, for: "\(host):80") else { return true }
                answers.giveBack(11, for: "\(host):80")
                return false
            }
            // Most of it is still to come.
            #expect(!isOver.withLock { $0 })
            mayGo.withLock { $0 = true }
            try await group.waitForAll()
        }
        // The thread of libcurl lets go of it a moment later.
        try await waitUntil("all of it is given back") { answers.take(40, for: "\(host):80") }
    }

    @Test("RFC 9110 §6.4.1: an answer without content takes no bytes, whatever length it says")
    func empty() async throws {
        let head = "HTTP/1.1 304 Not Modified\r\nContent-Length: 1000000\r\n\r\n"
        let server = try LocalServer { _ in .bytes(Array(head.utf8)) }
        defer { server.stop() }
        let transport = transport(server, answers: SharedCapacity(100, part: 4))
        let reply = try await get(transport, "hangs.example.com")
        #expect(reply.response.status == .notModified && reply.body.isEmpty)
    }

    @Test("decision 0067: a host that never answers is refused its 33rd request; others are asked")
    func hangs() async throws {
        // Both names have one address, as behind a content delivery network.
        let server = try LocalServer { head in
            head.contains("other.example.com") ? LocalServer.reply() : .silence
        }
        defer { server.stop() }
        let transport = transport(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...32 {
                group.addTask { _ = try await get(transport, "hangs.example.com") }
            }
            try await waitUntil("32 requests are there") { server.requests.count == 32 }
            await #expect(throws: HTTPTransportError.busy) {
                try await get(transport, "hangs.example.com")
            }
            let other = try await get(transport, "other.example.com", seconds: 5)
            #expect(other.response.status == .ok)
            group.cancelAll()
        }
        await #expect(throws: HTTPTransportError.timedOut) {
            try await get(transport, "hangs.example.com", seconds: 1)
        }
    }

    @Test("decision 0067: with few open files, a transport has fewer requests under way")
    func few() async throws {
        let server = try LocalServer { head in
            head.contains("other.example.com") ? LocalServer.reply() : .silence
        }
        defer { server.stop() }
        let transport = transport(server, connections: 16)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...2 {
                group.addTask { _ = try await get(transport, "hangs.example.com") }
            }
            try await waitUntil("2 requests are there") { server.requests.count == 2 }
            await #expect(throws: HTTPTransportError.busy) {
                try await get(transport, "hangs.example.com")
            }
            let other = try await get(transport, "other.example.com", seconds: 5)
            #expect(other.response.status == .ok)
            group.cancelAll()
        }
    }

    @Test("decision 0067: 32 names that never resolve are asked for, each once; the next is busy")
    func names() async throws {
        let (asked, isOpen) = (Locked<[String]>([]), Locked(false))
        defer { isOpen.withLock { $0 = true } }
        let names = SystemResolver { name in
            asked.withLock { $0.append(name) }
            waitBlocked { isOpen.withLock { $0 } }
            return []
        }
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        let transport = transport(server, resolver: names)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...32 {
                group.addTask { _ = try await get(transport, "n\(number).example.com") }
            }
            try await waitUntil("32 names are asked for") { asked.withLock(\.count) == 32 }
            await #expect(throws: HTTPTransportError.busy) {
                try await get(transport, "n33.example.com")
            }
            // Who asks for the same name waits for the same answer.
            await #expect(throws: HTTPTransportError.timedOut) {
                try await get(transport, "n1.example.com", seconds: 1)
            }
            #expect(asked.withLock(\.count) == 32)
            #expect(try await get(transport, "other.example.com").response.status == .ok)
            group.cancelAll()
        }
        isOpen.withLock { $0 = true }
        try await waitUntil("the names are given up") {
            do {
                _ = try await get(transport, "n33.example.com")
                return true
            } catch {
                return error as? HTTPTransportError == .noSuchHost
            }
        }
    }

    /// Answers once for each name.
    private final class Tired: AddressResolver {
        private let asked = Locked<Set<String>>([])

        func addresses(of host: String) async throws -> [[UInt8]] {
            guard asked.withLock({ $0.insert(host).inserted }), !host.hasPrefix("new.") else {
                throw HTTPTransportError.busy
            }
            return [.loopback4]
        }
    }

    @Test("decision 0067: while no name can be looked up, the addresses of before count, checked")
    func latest() async throws {
        let transport = GuardedTransport(resolver: Tired())
        for _ in 1...3 {
            await #expect(throws: HTTPTransportError.refused) {
                try await get(transport, "pds.example.com")
            }
            await #expect(throws: HTTPTransportError.busy) {
                try await get(transport, "new.example.com")
            }
        }
    }

    @Test("decision 0067: of a name with very many addresses none is kept")
    func manyAddresses() {
        let latest = LatestAddresses()
        for count in [16, 17] {
            latest.keep((0..<count).map { [10, 0, 0, UInt8($0)] }, of: "n\(count).example")
        }
        #expect(latest.addresses(of: "n16.example")?.count == 16)
        #expect(latest.addresses(of: "n17.example") == nil)
        #expect(latest.addresses(of: "N16.example") == nil)
    }

    @Test("decision 0067: answers share a number of bytes, until no one needs them any more")
    func answers() async throws {
        let server = try LocalServer { _ in
            LocalServer.reply("200 OK", [], String(repeating: "a", count: 190_000))
        }
        defer { server.stop() }
        // A quarter for each: 250,000.
        let transport = transport(server, answers: SharedCapacity(1_000_000, part: 4))
        var first: HTTPReply? = try await get(transport, "other.example.com")
        await #expect(throws: HTTPTransportError.noRoom) {
            try await get(transport, "other.example.com")
        }
        var second: HTTPReply? = try await get(transport, "hangs.example.com")
        #expect(first?.body.count == 190_000 && second?.body.count == 190_000)
        (first, second) = (nil, nil)
        for _ in 1...3 {
            #expect(try await get(transport, "other.example.com").body.count == 190_000)
        }
    }
}
