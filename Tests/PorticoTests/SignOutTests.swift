import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

/// A browser that only remembers, or does what it is told.
final class FakeBrowser: ExternalBrowser {
    private let opened = Locked<[String]>([])
    private let action: @Sendable (String) async throws -> Void

    init(_ action: @escaping @Sendable (String) async throws -> Void = { _ in }) {
        self.action = action
    }

    var addresses: [String] { opened.withLock { $0 } }

    func open(_ address: String) async throws {
        opened.withLock { $0.append(address) }
        try await action(address)
    }
}

@Suite("Sign-out")
struct SignOutTests {
    @Test("Everything: tokens revoked, the browser on the provider's page, nothing left here")
    func everything() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let idToken = try #require(try await session.credentials().idToken)
        var changes = session.changes.makeAsyncIterator()
        let browser = FakeBrowser()
        let report = await session.signOut(.everything, using: browser)
        #expect(report.revoked)
        #expect(report.browserSession == .pageOpened)
        #expect(!report.browserSessionEnded)
        #expect(report.localCleared)
        let request = try #require(scene.provider.requests("/revoke").first)
        #expect(request.method == "POST")
        #expect(request.form["token"] == "R0")
        #expect(request.form["token_type_hint"] == "refresh_token")
        #expect(request.form["client_id"] == "app")
        let address = try #require(browser.addresses.first)
        #expect(address.hasPrefix("https://op.example.com/logout?"))
        #expect(try parameter("id_token_hint", of: address) == idToken)
        #expect(try parameter("client_id", of: address) == "app")
        #expect(try parameter("post_logout_redirect_uri", of: address) == nil)
        #expect(try await scene.storage.read() == nil)
        #expect(!session.isActive)
        #expect(await changes.next() == .ended(.signedOut))
        let failed = await Task.failure { _ = try await session.token() }.value
        #expect(failed == .interactionRequired(.signedOut))
    }

    @Test("OIDCRPL-X-1: the provider's page is opened in the browser, never fetched by us")
    func external() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        _ = await session.signOut(.everything, using: FakeBrowser())
        #expect(scene.provider.requests("/logout").isEmpty)
    }

    @Test("OIDCRPL-6-2: without a network the session is over here all the same")
    func offline() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        scene.provider.answer("/revoke") { _ throws(HTTPTransportError) in throw .unreachable }
        let browser = FakeBrowser { _ in throw SignInError(.misconfigured(.noBrowser)) }
        let report = await session.signOut(.everything, using: browser)
        #expect(report.localCleared)
        #expect(
            report.revocation == .failed(SignInError(.transient(.unreachable, retryAfter: nil)))
        )
        #expect(report.browserSession == .failed(SignInError(.misconfigured(.noBrowser))))
        #expect(try await scene.storage.read() == nil)
        #expect(!session.isActive)
        guard case .signedOut = await scene.client.restore() else {
            Issue.record("restored")
            return
        }
    }

    @Test("OIDCRPL-6-2: the local session is gone before the browser opens")
    func order() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let storage = scene.storage
        let leftover = Locked<Bool?>(nil)
        let browser = FakeBrowser { _ in
            let isLeft = try await storage.read() != nil || session.isActive
            leftover.withLock { $0 = isLeft }
        }
        _ = await session.signOut(.everything, using: browser)
        #expect(leftover.withLock { $0 } == false)
    }

    @Test("The scopes of a sign-out do what they say")
    func scopes() async throws {
        for (scope, revocations) in [(SignOutScope.local, 0), (.tokens, 1)] {
            let scene = Scene()
            let session = try await scene.signIn()
            let browser = FakeBrowser()
            let report = await session.signOut(scope, using: browser)
            #expect(scene.provider.requests("/revoke").count == revocations)
            #expect(browser.addresses.isEmpty)
            #expect(report.browserSession == .notAsked)
            #expect(report.localCleared)
        }
    }

    @Test("The refresh token that is revoked is the one that another process got last")
    func latest() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        scene.clock.advance(by: 400)
        _ = try await scene.neighbour().token()
        _ = await session.signOut(.tokens)
        #expect(scene.provider.revoked == ["R1"])
    }

    @Test("RFC 7009 §2.1: without a refresh token the access token is revoked")
    func accessToken() async throws {
        let scene = Scene()
        scene.provider.change { $0.tokens = { $0.with("refresh_token", nil) } }
        let session = try await scene.signIn()
        _ = await session.signOut(.tokens)
        #expect(scene.provider.revoked == ["A2"])
        #expect(
            scene.provider.requests("/revoke").first?.form["token_type_hint"] == "access_token"
        )
    }

    @Test("RFC 7009 §2.2.1: a 503 with a short pause is tried once more, any other failure is told")
    func unavailable() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let provider = scene.provider
        provider.answer("/revoke") { _ in
            provider.answerAsUsual("/revoke")
            return .text(503, nil, [], [.retryAfter: "0"])
        }
        #expect(await session.signOut(.tokens).revoked)
        #expect(provider.requests("/revoke").count == 2)
        let other = Scene()
        let second = try await other.signIn()
        other.provider.answer("/revoke") { _ in .text(503, nil, [], [.retryAfter: "3600"]) }
        let failure = SignInError(.transient(.serverError, retryAfter: .seconds(3600)))
        #expect(await second.signOut(.tokens).revocation == .failed(failure))
        #expect(other.provider.requests("/revoke").count == 1)
    }

    @Test("A provider that offers neither says so in the report")
    func notOffered() async throws {
        let scene = Scene()
        scene.provider.change {
            $0.metadata["revocation_endpoint"] = nil
            $0.metadata["end_session_endpoint"] = nil
        }
        let session = try await scene.signIn()
        let report = await session.signOut(.everything, using: FakeBrowser())
        #expect(report.revocation == .notOffered)
        #expect(report.browserSession == .notOffered)
    }

    @Test("What is left in the storage is told")
    func storage() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        let session = try await scene.signIn()
        storage.failsWriting = true
        let report = await session.signOut(.tokens)
        #expect(!report.localCleared)
        #expect(report.storageError == SignInError(.storage(.unwritable)))
        #expect(report.revoked)
        #expect(!session.isActive)
    }

    @Test("A sign-in that another process is about to store is not removed, twenty rounds")
    func overtaken() async throws {
        for _ in 0..<20 {
            let storage = FaultyStorage()
            let scene = Scene(storage: storage)
            let session = try await scene.signIn()
            let (next, stored) = (Locked<Task<Session, any Error>?>(nil), Locked(false))
            storage.onRemove {
                let task = Task {
                    defer { stored.withLock { $0 = true } }
                    return try await scene.signIn()
                }
                next.withLock { $0 = task }
                do {
                    try await waitUntil("it has the lock, or waits for it") {
                        storage.lockRefusals > 0 || stored.withLock { $0 }
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(await session.signOut(.local).localCleared)
            let other = try #require(try await next.withLock { $0 }?.value)
            #expect(try await scene.storedRecord?.accessToken.reveal() == other.token())
            #expect(other.isActive && !session.isActive)
        }
    }

    @Test("The record is gone at once, though a refresh of another process has the lock")
    func whileRefreshing() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let lock = try #require(try scene.storage.tryLock())
        let record = try #require(try await scene.storage.read())
        let report = Task { await session.signOut(.local) }
        let storage = scene.storage
        for _ in 0..<200 where try await storage.read() != nil {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await storage.read() == nil)
        // The refresh has read before, and writes the key of its request.
        try await storage.write(record)
        lock.release()
        #expect(await report.value.localCleared)
        #expect(try await storage.read() == nil)
    }

    @Test("0xdead10cc: a lock that is lost does not keep the session here")
    func lostLock() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        let session = try await scene.signIn()
        storage.loseLocks(after: 0)
        #expect(await session.signOut(.local).localCleared)
        #expect(try await storage.read() == nil)
    }

    @Test("OIDCRPL-3-5: with a return path the browser's return is waited for, by its state")
    func returning() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let statuses = Locked<[Int?]>([])
        let browser = FakeBrowser { address in
            let uri = try #require(try parameter("post_logout_redirect_uri", of: address))
            let state = try #require(try parameter("state", of: address))
            let redirect = try #require(HTTPAddress(uri))
            #expect(redirect.isLoopback && redirect.path == "/signed-out")
            Task {
                for query in ["", "?state=wrong", "?state=\(state)"] {
                    let reply = await RawExchange.run {
                        RawExchange.get(
                            "/signed-out\(query)",
                            port: UInt16(exactly: redirect.port) ?? 0
                        )
                    }
                    statuses.withLock { $0.append(reply?.status) }
                }
                _ = await RawExchange.run {
                    RawExchange.get("/signed-out/done", port: UInt16(exactly: redirect.port) ?? 0)
                }
            }
        }
        let report = await session.signOut(.everything, using: browser, returnPath: "/signed-out")
        #expect(report.browserSession == .ended)
        #expect(report.browserSessionEnded)
        #expect(statuses.withLock { $0.prefix(2) } == [400, 400], "nothing else ends the wait")
    }

    @Test("A browser that never returns does not hold the sign-out for ever")
    func neverReturning() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let report = await session.signOut(
            .everything,
            using: FakeBrowser(),
            returnPath: "/signed-out",
            timeout: .milliseconds(300)
        )
        #expect(report.browserSession == .failed(SignInError(.cancelled(.timedOut))))
        #expect(report.localCleared)
    }

    @Test("Signing out twice does nothing the second time")
    func twice() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        _ = await session.signOut(.tokens)
        let report = await session.signOut(.tokens)
        #expect(report.revocation == .notAsked)
        #expect(report.localCleared)
        #expect(scene.provider.requests("/revoke").count == 1)
    }
}
