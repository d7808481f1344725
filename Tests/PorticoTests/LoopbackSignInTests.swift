import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

/// A browser that goes where it is sent, redirect by redirect, to the page at the end.
func browse(_ address: String) async -> RawExchange? {
    guard let target = HTTPAddress(address), let port = UInt16(exactly: target.port) else {
        return nil
    }
    let host = target.host == "[::1]" ? "::1" : target.host
    // In one go: the page is there for two seconds, and the shared threads may be busy for longer.
    return await RawExchange.run {
        let answer = RawExchange.get(target.target, address: host, port: port)
        guard let location = answer?.field("Location") else { return answer }
        return RawExchange.get(location, address: host, port: port)
    }
}

private func isOpen(_ address: String) -> Bool {
    guard let target = HTTPAddress(address), let port = UInt16(exactly: target.port),
        let connection = RawSocket.connect(port: port)
    else { return false }
    RawSocket.close(connection)
    return true
}

@Suite("Signing in over the loopback interface")
struct LoopbackSignInTests {
    private let scene = Scene(redirect: .loopback(path: "/callback"))

    private func redirectURI(_ browser: FakeBrowser) throws -> String {
        let address = try #require(browser.addresses.first)
        return try #require(try parameter("redirect_uri", of: address))
    }

    @Test("RFC 8252 §4.1: one browser, one answer, one token request, and the person sees the end")
    func signIn() async throws {
        let provider = scene.provider
        let (pages, shown) = AsyncStream<RawExchange?>.makeStream()
        let browser = FakeBrowser { address in
            shown.yield(await browse(try provider.authorize(address)))
        }
        let session = try await scene.client.signIn(using: .loopback(open: browser))
        #expect(session.user.subject == "alice")
        #expect(browser.addresses.count == 1)
        #expect(provider.requests("/token").count == 1)
        let redirectURI = try redirectURI(browser)
        #expect(HTTPAddress(redirectURI)?.isLoopback == true)
        #expect(redirectURI.hasSuffix("/callback"))
        #expect(provider.requests("/token").first?.form["redirect_uri"] == redirectURI)
        #expect(!isOpen(redirectURI))
        // The browser's own task may end a moment later.
        let page = await pages.first { _ in true } ?? nil
        #expect(page?.body.contains("<h1>Signed in as Alice</h1>") == true)
    }

    @Test("RFC 8252 §8.3: the port is open only while the answer is waited for")
    func portOpen() async throws {
        let provider = scene.provider
        let browser = FakeBrowser { address in
            let redirectURI = try parameter("redirect_uri", of: address) ?? ""
            #expect(isOpen(redirectURI))
            let callback = try provider.authorize(address)
            Task { await browse(callback) }
        }
        _ = try await scene.client.signIn(using: .loopback(open: browser))
        #expect(!isOpen(try redirectURI(browser)))
    }

    @Test("attack E17: guesses at the port do not end the sign-in, and cause no request")
    func guesses() async throws {
        let provider = scene.provider
        let browser = FakeBrowser { address in
            let redirectURI = try parameter("redirect_uri", of: address) ?? ""
            for guess in 0..<100 {
                let answer = await browse("\(redirectURI)?code=evil&state=\(guess)")
                #expect(answer?.status == 400)
            }
            _ = await browse("\(redirectURI)?error=access_denied")
            #expect(provider.requests("/token").isEmpty)
            let callback = try provider.authorize(address)
            Task { await browse(callback) }
        }
        _ = try await scene.client.signIn(using: .loopback(open: browser))
        #expect(provider.requests("/token").count == 1)
    }

    @Test("A sign-in that fails shows why in our own words, and the port is closed")
    func failure() async throws {
        let provider = scene.provider
        provider.change { $0.signer = FakeProvider.newKey("k1") }
        let (pages, shown) = AsyncStream<RawExchange?>.makeStream()
        let browser = FakeBrowser { address in
            shown.yield(await browse(try provider.authorize(address)))
        }
        await #expect(throws: SignInError(.rejected(.signature))) {
            try await scene.client.signIn(using: .loopback(open: browser))
        }
        #expect(!isOpen(try redirectURI(browser)))
        let page = await pages.first { _ in true } ?? nil
        let body = page?.body ?? ""
        #expect(body.contains("<h1>Not signed in</h1>"))
        #expect(body.contains("signature is wrong"))
    }

    @Test("The person says no: the page says so, and so does the error")
    func denied() async throws {
        let provider = scene.provider
        let browser = FakeBrowser { address in
            let callback = try provider.authorize(address)
                .replacing("code=", with: "error=access_denied&error_description=SECRET&x=")
            Task {
                let page = await browse(callback)
                #expect(page?.body.contains("The sign-in was stopped") == true)
                #expect(page?.body.contains("SECRET") == false)
            }
        }
        await #expect(throws: SignInError(.denied)) {
            try await scene.client.signIn(using: .loopback(open: browser))
        }
        #expect(provider.requests("/token").isEmpty)
    }

    @Test("A browser that cannot be started ends it, and the port is closed")
    func noBrowser() async throws {
        struct Unknown: Error {}
        for error in [Unknown(), SignInError(.misconfigured(.noBrowser))] as [any Error] {
            let browser = FakeBrowser { _ in throw error }
            await #expect(throws: SignInError(.misconfigured(.noBrowser))) {
                try await scene.client.signIn(using: .loopback(open: browser))
            }
            #expect(!isOpen(try redirectURI(browser)))
        }
    }

    @Test("No answer arrives in time")
    func timeout() async throws {
        let browser = FakeBrowser()
        await #expect(throws: SignInError(.cancelled(.timedOut))) {
            try await scene.client.signIn(
                using: .loopback(open: browser, timeout: .milliseconds(500))
            )
        }
        #expect(!isOpen(try redirectURI(browser)))
    }

    @Test("Cancelling the task ends the attempt and closes the port")
    func cancellation() async throws {
        let client = scene.client
        for _ in 0..<20 {
            let opened = Gate()
            let browser = FakeBrowser { _ in await opened.pass() }
            opened.open()
            let task = Task.failure {
                _ = try await client.signIn(using: .loopback(open: browser))
            }
            await opened.arrival()
            task.cancel()
            #expect(await task.value == .cancelled(.program))
            #expect(!isOpen(try redirectURI(browser)))
        }
    }

    @Test("The address that the browser was sent to can be pasted; anything else changes nothing")
    func pasted() async throws {
        let provider = scene.provider
        let pasted = PastedCallback()
        #expect(!pasted.offer("https://op.example.com"))
        let browser = FakeBrowser { address in
            let callback = try provider.authorize(address)
            #expect(!pasted.offer(""))
            #expect(!pasted.offer("hello"))
            #expect(!pasted.offer(callback.replacing("state=", with: "state=x")))
            // The browser may be there a moment before the wait begins.
            try await waitUntil("the address is taken") { pasted.offer("  \(callback)\n") }
            #expect(!pasted.offer(callback))
        }
        let session = try await scene.client.signIn(using: .loopback(open: browser, pasted: pasted))
        #expect(session.isActive)
        #expect(!pasted.offer("x"))
        #expect(!isOpen(try redirectURI(browser)))
    }

    @Test("Where the provider cannot be found no port is opened and no browser started")
    func noProvider() async throws {
        scene.provider.answer("/.well-known/openid-configuration") { _ in .text(404, nil, []) }
        let browser = FakeBrowser()
        await #expect(throws: SignInError(.misconfigured(.discoveryNotFound))) {
            try await scene.client.signIn(using: .loopback(open: browser))
        }
        #expect(browser.addresses.isEmpty)
    }

    @Test("attack E18: each attempt has a port of its own")
    func ports() async throws {
        let browsers = [FakeBrowser(), FakeBrowser()]
        let client = scene.client
        let tasks = browsers.map { browser in
            Task.failure { _ = try await client.signIn(using: .loopback(open: browser)) }
        }
        try await waitUntil("both browsers are sent somewhere") {
            browsers.allSatisfy { !$0.addresses.isEmpty }
        }
        #expect(try redirectURI(browsers[0]) != redirectURI(browsers[1]))
        for task in tasks {
            task.cancel()
            #expect(await task.value == .cancelled(.program))
        }
    }
}
