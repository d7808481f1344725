import Foundation
import PorticoBytes
import PorticoTestSupport
import Testing

@testable import Portico

/// A receiver whose awaited request is the one with `state=right`.
private struct Waiting {
    let receiver: LoopbackReceiver
    let task: Task<SignInError?, Never>
    let port: UInt16

    init(
        families: [LoopbackFamily] = [.ipv4, .ipv6],
        timeout: Duration = .seconds(20),
        limits: LoopbackLimits = .standard,
        on fixed: UInt16 = 0
    ) throws {
        let receiver = try LoopbackReceiver(
            path: "/cb",
            port: fixed,
            families: families,
            limits: limits
        )
        self.receiver = receiver
        task = Task {
            do throws(SignInError) {
                try await receiver.response(timeout: timeout) { $0.hasSuffix("state=right") }
                return nil
            } catch {
                return error
            }
        }
        port = receiver.port
    }

    func get(_ target: String, host: String? = nil) async -> RawExchange? {
        let port = port
        return await RawExchange.run { RawExchange.get(target, host: host, port: port) }
    }

    func send(_ request: String) async -> RawExchange? {
        let port = port
        return await RawExchange.run { RawExchange(request, port: port) }
    }

    /// The answer to a request that must not end the wait. Where it does, the receiver is closed:
    /// no one would answer.
    func refusal(of exchange: () async -> RawExchange?) async -> RawExchange? {
        let watch = Task {
            if await task.value == nil, !Task.isCancelled { receiver.close() }
        }
        defer { watch.cancel() }
        return await exchange()
    }

    /// Ends the wait properly, to show that it was still going on.
    func endsWell() async -> Bool {
        async let answer = get("/cb?code=c&state=right")
        guard await task.value == nil else { return false }
        receiver.close()
        _ = await answer
        return true
    }
}

extension LoopbackReceiver {
    var port: UInt16 {
        redirectURI.split(separator: ":").last.flatMap { $0.split(separator: "/").first }
            .flatMap { UInt16($0) } ?? 0
    }
}

private func isOpen(_ port: UInt16, _ address: String = "127.0.0.1") -> Bool {
    guard let connection = RawSocket.connect(address, port: port) else { return false }
    RawSocket.close(connection)
    return true
}

@Suite("The loopback receiver", .serialized)
struct LoopbackReceiverTests {
    private let waiting: Waiting

    init() throws {
        waiting = try Waiting()
    }

    @Test("RFC 8252 §7.3: the redirect URI is an IP literal with the port that is open")
    func redirectURI() async throws {
        #expect(waiting.receiver.redirectURI == "http://127.0.0.1:\(waiting.port)/cb")
        #expect(isOpen(waiting.port))
        #expect(await waiting.endsWell())
    }

    @Test("RFC 8252 §7.3: where there is no IPv4 the receiver listens on [::1]")
    func ipv6() async throws {
        let waiting = try Waiting(families: [.ipv6])
        let port = waiting.port
        #expect(waiting.receiver.redirectURI == "http://[::1]:\(port)/cb")
        async let answer = RawExchange.run {
            RawExchange.get("/cb?state=right", address: "::1", port: port)
        }
        #expect(await waiting.task.value == nil)
        await waiting.receiver.finish(.signedIn(as: nil))
        #expect(await answer?.status == 303)
    }

    @Test("RFC 8252 §8.3: programs that the app starts do not inherit our sockets")
    func inherited() throws {
        let listening = try LoopbackSocket.listen(.ipv4, port: 0)
        defer { RawSocket.close(listening.socket) }
        #expect(fcntl(listening.socket, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test(
        "attack E18, OpenID Connect Core §3.1.2.1: a port that was asked for is that of 127.0.0.1, or none",
        arguments: [
            ("127.0.0.1", false), ("127.0.0.1", true), ("0.0.0.0", false), ("0.0.0.0", true),
        ]
    )
    func portTaken(address: String, isSharing: Bool) throws {
        let taken = try #require(RawSocket.listen(address, port: 0, sharing: isSharing))
        defer { RawSocket.close(taken.socket) }
        for _ in 0..<3 {
            #expect(throws: SignInError(.misconfigured(.loopbackPortInUse))) {
                try LoopbackReceiver(path: "/cb", port: taken.port)
            }
            #expect(!isOpen(taken.port, "::1"))
        }
    }

    @Test("RFC 9293 §3.6.1: a port that an ended connection waits on is taken, and not shared")
    func portWaiting() async throws {
        // As ours is, a port that was asked for.
        let first = try #require(RawSocket.listen(port: 0, sharing: true))
        let connection = try #require(RawSocket.connect(port: first.port))
        let accepted = try #require(RawSocket.accept(first.socket))
        // Who ends it first is who waits.
        RawSocket.close(accepted)
        #expect(RawSocket.receive(connection) == [])
        RawSocket.close(connection)
        RawSocket.close(first.socket)
        // So it is in the way of those who do not say that they would have it.
        if let other = RawSocket.listen(port: first.port) {
            RawSocket.close(other.socket)
            Issue.record("this system lets another program have the port at once")
        }
        for _ in 0..<2 {
            let waiting = try Waiting(on: first.port)
            #expect(waiting.receiver.redirectURI == "http://127.0.0.1:\(first.port)/cb")
            #expect(RawSocket.listen(port: first.port) == nil)
            #expect(RawSocket.listen(port: first.port, sharing: true) == nil)
            #expect(RawSocket.listen("0.0.0.0", port: first.port, sharing: true) == nil)
            #expect(await waiting.endsWell())
        }
    }

    @Test("attack E18, RFC 8252 B.5: no other program can bind the port during the wait")
    func noSharing() async throws {
        #expect(RawSocket.listen(port: waiting.port) == nil)
        #expect(RawSocket.listen(port: waiting.port, sharing: true) == nil)
        #expect(await waiting.endsWell())
    }

    @Test("RFC 8252 §8.3: the port is open on the literal only, not on other addresses")
    func onlyLoopback() async throws {
        #expect(!isOpen(waiting.port, "127.0.0.2"))
        #expect(!isOpen(waiting.port, "::1"))
        #expect(await waiting.endsWell())
    }

    @Test("attack E17: a thousand guesses of the state neither end the wait nor learn anything")
    func guesses() async throws {
        let first = try #require(await waiting.get("/cb?code=evil&state=guess"))
        #expect(first.status == 400)
        #expect(!first.body.contains("right") && !first.body.contains("guess"))
        for guess in 0..<1000 {
            let answer = await waiting.get("/cb?code=evil&state=\(guess)")
            #expect(answer?.status == 400)
            #expect(answer?.body == first.body)
        }
        #expect(await waiting.endsWell())
    }

    @Test(
        "attack E17: another Host is DNS rebinding and gets 400",
        arguments: [
            "evil.example", "evil.example:PORT", "localhost:PORT", "127.0.0.1", "127.0.0.1:1",
            "[::1]:PORT", "", "127.0.0.1:PORT.evil.example", "127.0.0.1:PORT\r\nHost: evil.example",
            "127.0.0.1:PORT\r\nhost: 127.0.0.1:PORT",
        ]
    )
    func host(host: String) async throws {
        let host = host.replacingOccurrences(of: "PORT", with: String(waiting.port))
        let answer = await waiting.refusal {
            await waiting.get("/cb?code=c&state=right", host: host)
        }
        #expect(answer?.status == 400)
        #expect(await waiting.endsWell())
    }

    @Test("attack E17: a request without Host gets 400")
    func noHost() async throws {
        let answer = await waiting.refusal {
            await waiting.send("GET /cb?state=right HTTP/1.1\r\nAccept: */*\r\n\r\n")
        }
        #expect(answer?.status == 400)
        #expect(await waiting.endsWell())
    }

    @Test(
        "attack E17: only GET is served",
        arguments: ["POST", "HEAD", "PUT", "OPTIONS", "get", "TRACE", "CONNECT"]
    )
    func method(method: String) async throws {
        let host = "Host: 127.0.0.1:\(waiting.port)"
        let request = "\(method) /cb?code=c&state=right HTTP/1.1\r\n\(host)\r\n"
        let answer = await waiting.refusal {
            await waiting.send("\(request)Content-Length: 0\r\n\r\n")
        }
        #expect(answer?.status == 405)
        #expect(answer?.field("Allow") == "GET")
        #expect(answer?.field("Access-Control-Allow-Origin") == nil)
        #expect(await waiting.endsWell())
    }

    @Test(
        "attack E17: another path gets 404",
        arguments: [
            "/favicon.ico", "/", "/CB?state=right", "/cb/?state=right", "//cb?state=right",
            "/cb/done", "/x/../cb?state=right", "/%63b?state=right",
        ]
    )
    func path(target: String) async throws {
        let answer = await waiting.refusal { await waiting.get(target) }
        #expect(answer?.status == 404)
        #expect(await waiting.endsWell())
    }

    @Test(
        "What is no request of HTTP/1 gets 400",
        arguments: [
            "GET /cb?state=right\r\n", "GET  /cb?state=right HTTP/1.1\r\n",
            "GET http://127.0.0.1/cb?state=right HTTP/1.1\r\n", "GET * HTTP/1.1\r\n",
            "GET /cb?x#state=right HTTP/1.1\r\n", "GET /cb?\u{E9}state=right HTTP/1.1\r\n",
            "GET /cb?state=right HTTP/2\r\n", "\r\n", "PRI * HTTP/2.0\r\n",
        ]
    )
    func malformed(line: String) async throws {
        let answer = await waiting.refusal {
            await waiting.send("\(line)Host: 127.0.0.1:\(waiting.port)\r\n\r\n")
        }
        #expect([400, 405].contains(answer?.status))
        #expect(await waiting.endsWell())
    }

    @Test("attack E17: a request line of 1 MB gets 414, a large head 431, and the wait goes on")
    func bounded() async throws {
        let line = await waiting.get("/cb?x=" + String(repeating: "a", count: 1 << 20))
        // The rest of a refused request may come as a reset before the answer is read.
        #expect(line == nil || line?.status == 414)
        let fields = String(repeating: "X-Y: zzzzzzzz\r\n", count: 2000)
        let head = await waiting.send("GET /cb HTTP/1.1\r\n\(fields)\r\n")
        #expect(head == nil || head?.status == 431)
        let longest = await waiting.get("/cb?x=" + String(repeating: "a", count: 8 * 1024 - 64))
        #expect(longest?.status == 400)
        #expect(await waiting.endsWell())
    }

    @Test("attack E17: slow requests are abandoned, and others are served at the same time")
    func slow() async throws {
        var limits = LoopbackLimits.standard
        limits.request = .seconds(1)
        let waiting = try Waiting(limits: limits)
        let port = waiting.port
        async let slow = RawExchange.run { () -> RawExchange? in
            guard let connection = RawSocket.connect(port: port) else { return nil }
            defer { RawSocket.close(connection) }
            RawSocket.send(connection, Array("GET /cb?state=right HTTP/1.1\r\nHo".utf8))
            return RawExchange(from: connection)
        }
        #expect(await waiting.get("/favicon.ico")?.status == 404)
        #expect(await slow?.status == 408)
        #expect(await waiting.endsWell())
    }

    @Test("Connections that are opened and left do not keep the browser out")
    func idleConnections() async throws {
        // No connection ends by itself while the test runs.
        let waiting = try Waiting(
            limits: LoopbackLimits(request: .seconds(60), page: .seconds(2), connections: 32)
        )
        let port = waiting.port
        // Away from the shared threads: a connection waits until the receiver takes it.
        let idle = await RawExchange.run {
            (0..<100).compactMap { _ in RawSocket.connect(port: port) }
        }
        #expect(idle.count == 100)
        #expect(await waiting.get("/favicon.ico")?.status == 404)
        #expect(await waiting.endsWell())
        for connection in idle { RawSocket.close(connection) }
    }

    @Test("RFC 9700 §4.3.1: the browser is sent on to an address without the code, then it is over")
    func page() async throws {
        async let held = waiting.get("/cb?code=c&state=right")
        #expect(await waiting.task.value == nil)
        // During the sign-in, no request gets a second answer.
        #expect(await waiting.get("/cb?code=c&state=right")?.status == 400)
        #expect(await waiting.get("/cb/done")?.status == 404)
        async let finished: Void = waiting.receiver.finish(
            .signedIn(as: "<script>alert(1)</script> & \"Ann\"")
        )
        let redirect = try #require(await held)
        #expect(redirect.status == 303)
        #expect(redirect.field("Location") == "/cb/done")
        #expect(redirect.field("Cache-Control") == "no-store")
        let page = try #require(await waiting.get("/cb/done"))
        await finished
        #expect(!isOpen(waiting.port))
        #expect(page.status == 200)
        #expect(page.field("Content-Type") == "text/html; charset=utf-8")
        #expect(page.field("Cache-Control") == "no-store")
        #expect(page.field("Referrer-Policy") == "no-referrer")
        #expect(page.field("X-Content-Type-Options") == "nosniff")
        let policy = try #require(page.field("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(page.body.contains("<html lang=\"en\">"))
        #expect(page.body.contains("name=\"viewport\""))
        #expect(page.body.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Ann&quot;"))
        #expect(!page.body.contains("<script"))
    }

    @Test("The style of the page is the one that its policy names")
    func styleHash() throws {
        let page = LoopbackPage.signedOut.response(.ok)
        let text = String(decoding: page, as: UTF8.self)
        let start = try #require(text.range(of: "<style>")).upperBound
        let style = text[start..<(try #require(text.range(of: "</style>"))).lowerBound]
        let hash = Data(Hash256(of: String(style)).bytes).base64EncodedString()
        #expect(text.contains("style-src 'sha256-\(hash)'"))
    }

    @Test("The page tells a failure in our own words")
    func failurePage() async throws {
        async let held = waiting.get("/cb?code=c&state=right")
        #expect(await waiting.task.value == nil)
        async let finished: Void = waiting.receiver.finish(.failed("The time was wrong."))
        #expect(await held?.status == 303)
        let page = await waiting.get("/cb/done")
        await finished
        #expect(page?.body.contains("<h1>Not signed in</h1>") == true)
        #expect(page?.body.contains("The time was wrong. Go back to the app") == true)
    }

    @Test("A browser that does not fetch the page does not keep the port open")
    func pageNotFetched() async throws {
        var limits = LoopbackLimits.standard
        limits.page = .milliseconds(100)
        let waiting = try Waiting(limits: limits)
        async let held = waiting.get("/cb?code=c&state=right")
        #expect(await waiting.task.value == nil)
        await waiting.receiver.finish(.signedIn(as: nil))
        #expect(await held?.status == 303)
        #expect(!isOpen(waiting.port))
    }

    @Test("RFC 8252 §8.3: the port is closed when the time is up")
    func timeout() async throws {
        let waiting = try Waiting(timeout: .milliseconds(100))
        // A wait without end fails, and does not hang.
        let watch = Task {
            try await Task.sleep(for: .seconds(10))
            waiting.receiver.close()
        }
        defer { watch.cancel() }
        #expect(await waiting.task.value == SignInError(.cancelled(.timedOut)))
        #expect(!isOpen(waiting.port))
    }

    @Test("RFC 8252 §8.3: the port is closed when the task is cancelled")
    func cancellation() async throws {
        for _ in 0..<20 {
            let waiting = try Waiting()
            waiting.task.cancel()
            #expect(await waiting.task.value == SignInError(.cancelled(.program)))
            // Closing may be the thread's last act, just after it told.
            waiting.receiver.close()
            #expect(!isOpen(waiting.port))
        }
    }

    @Test("RFC 8252 §8.3: closing ends a wait, and an unreferenced receiver closes itself")
    func closing() async throws {
        #expect(await waiting.get("/favicon.ico")?.status == 404)
        waiting.receiver.close()
        #expect(await waiting.task.value == SignInError(.cancelled(.program)))
        #expect(!isOpen(waiting.port))
        let port = try LoopbackReceiver(path: "/cb").port
        #expect(!isOpen(port))
    }

    @Test("A pasted address ends the wait like one that the browser brings")
    func pasted() async throws {
        #expect(await waiting.get("/favicon.ico")?.status == 404)
        #expect(!waiting.receiver.offer("http://127.0.0.1/cb?state=wrong"))
        #expect(waiting.receiver.offer("http://127.0.0.1/cb?state=right"))
        #expect(!waiting.receiver.offer("http://127.0.0.1/cb?state=right"))
        #expect(await waiting.task.value == nil)
        await waiting.receiver.finish(.signedIn(as: nil))
        #expect(!isOpen(waiting.port))
    }
}
