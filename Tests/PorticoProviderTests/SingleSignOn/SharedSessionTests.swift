import Foundation
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// An SDK inside an app takes over the app's tokens, and both go on.
@Suite("Two apps, or an app and its SDK, with one sign-in") struct SharedSessionTests {
    private func signedIn(_ apps: VendorApps, scopes: [ScopeToken] = [.openid]) async throws -> (
        app: Session, sdk: Session
    ) {
        let app = try await apps.signIn(apps.client("my-mobile-app", scopes: scopes))
        let sdk = try await Session(
            adopting: try await app.credentials(),
            by: apps.client("my-mobile-app", scopes: scopes)
        )
        return (app, sdk)
    }

    @Test("RFC 9700 §4.14.2: neither side rotates what both hold, however long both go on")
    func rotation() async throws {
        let apps = try await VendorApps()
        let (app, sdk) = try await signedIn(apps)
        #expect(sdk.user.subject == app.user.subject)
        for round in 1...20 {
            apps.server.clock.advance(by: 400)
            // Whoever asks first, and both at once.
            async let one = sdk.token()
            async let other = app.token()
            let tokens = try await [one, other]
            #expect(tokens[0] == tokens[1])
            #expect(apps.refreshes == round)
            #expect(try await apps.server.userInfo(tokens[0]).status == 200)
        }
        #expect(app.isActive && sdk.isActive && !sdk.isRefreshable)
        #expect(sdk.accessTokenExpiry == app.accessTokenExpiry)
    }

    @Test("Signing out of the SDK leaves the app signed in, and the other way round it ends both")
    func signOut() async throws {
        let apps = try await VendorApps()
        let (app, sdk) = try await signedIn(apps)
        let report = await sdk.signOut(.everything, using: NoBrowser())
        #expect(report.revocation == .notAsked && report.browserSession == .notAsked)
        #expect(!sdk.isActive && app.isActive)
        apps.server.clock.advance(by: 400)
        _ = try await app.userInfo()

        let again = try await Session(
            adopting: try await app.credentials(),
            by: apps.client("my-mobile-app", scopes: [.openid])
        )
        _ = await app.signOut(.tokens)
        apps.server.clock.advance(by: 400)
        let kind = await VendorApps.kind { _ = try await again.token() }
        #expect(kind == .interactionRequired(.signedOut))
        #expect(!again.isActive)
    }

    @Test("A restored SDK session has no refresh token to rotate, and revokes nothing")
    func restored() async throws {
        let apps = try await VendorApps()
        let app = try await apps.signIn(apps.client("my-mobile-app", scopes: [.openid]))
        let storage = InMemory()
        let client = apps.client("my-mobile-app", scopes: [.openid], storage: storage)
        _ = try await Session(adopting: try await app.credentials(), by: client)
        guard case .signedIn(let sdk) = await client.restore() else {
            Issue.record("it is stored")
            return
        }
        #expect(!sdk.isRefreshable)
        #expect(try await sdk.token() == app.token())
        _ = await sdk.signOut(.everything, using: NoBrowser())
        _ = try await app.userInfo()
        #expect(try await storage.read() == nil)
    }

    @Test("Adopted into the same storage, it is the same session")
    func sameStorage() async throws {
        let apps = try await VendorApps()
        let storage = InMemory()
        let client = apps.client("my-mobile-app", scopes: [.openid], storage: storage)
        let app = try await apps.signIn(client)
        let sdk = try await Session(adopting: try await app.credentials(), by: client)
        for _ in 1...3 {
            apps.server.clock.advance(by: 400)
            async let one = sdk.token()
            async let other = app.token()
            #expect(try await one == other)
        }
        #expect(apps.refreshes == 3)
    }

    @Test("A token that an API refused is replaced once, for both")
    func replacement() async throws {
        let apps = try await VendorApps()
        let (app, sdk) = try await signedIn(apps)
        _ = try await sdk.userInfo()
        apps.server.clock.advance(by: 400)
        _ = try await sdk.userInfo()
        _ = try await app.userInfo()
        #expect(apps.refreshes == 1)
        #expect(try await !sdk.loginToken(for: "my-other-app").reveal().isEmpty)
    }

    @Test("Credentials of another client, or of a session that is over, are not adopted")
    func refused() async throws {
        let apps = try await VendorApps()
        let app = try await apps.signIn(apps.client("my-mobile-app"))
        let credentials = try await app.credentials()
        let other = await VendorApps.kind {
            _ = try await Session(adopting: credentials, by: apps.client("my-other-app"))
        }
        #expect(other == .rejected(.audience))
        _ = await app.signOut(.local)
        let over = await VendorApps.kind {
            _ = try await Session(adopting: credentials, by: apps.client("my-mobile-app"))
        }
        #expect(over == .interactionRequired(.signedOut))
    }

    @Test("SEED-KAPE-5: signed in to one app, the person is signed in to the next without a page")
    func silent() async throws {
        let apps = try await VendorApps()
        let storage = InMemory()
        let first = try await apps.signIn(apps.client("my-mobile-app", storage: storage))
        let stored = try await storage.read()
        let token = try await first.loginToken(for: "my-other-app")
        // RFC8693-LT-10: nothing of it is kept.
        #expect(try await storage.read() == stored)
        #expect(!"\(token)".contains(token.reveal()))
        var printed = ""
        dump(token, to: &printed)
        #expect(!printed.contains(token.reveal()))
        let client = apps.client("my-other-app")
        let attempt = try await client.begin(SignInRequest(loginToken: token))
        // RFC8693-LT-7: pushed, so no address has it.
        #expect(!attempt.address.contains("login"))
        #expect(attempt.address.contains("request_uri="))
        let browser = TestBrowser(apps.server)
        let second = try await attempt.complete(try await apps.open(attempt.address, in: browser))
        #expect(second.user.subject == first.user.subject)
        #expect(second.user.claims.string("sid") == first.user.claims.string("sid"))
        #expect(browser.cookies.isEmpty)
        #expect(try await second.token() != first.token())
        // Each renews its own.
        apps.server.clock.advance(by: 400)
        _ = try await first.token()
        _ = try await second.token()
        #expect(first.isActive && second.isActive)
    }

    @Test("SEED-KAPE-5: without a sign-in, or for another app, there is no login token")
    func untargeted() async throws {
        let apps = try await VendorApps()
        let session = try await apps.signIn(apps.client("my-mobile-app"))
        let target = await VendorApps.kind { _ = try await session.loginToken(for: "web1") }
        #expect(target == .misconfigured(.targetRefused))
        let nothing = await VendorApps.kind { _ = try await session.loginToken(for: "") }
        #expect(nothing == .misconfigured(.targetRefused))
        #expect(session.isActive && apps.refreshes == 0)
        // Its offline access lives on; the sign-in in the browser does not.
        try await apps.endSession(of: session)
        let ended = await VendorApps.kind { _ = try await session.loginToken(for: "my-other-app") }
        #expect(ended == .interactionRequired(.loginRequired))
        #expect(session.isActive)
        _ = await session.signOut(.tokens)
        let out = await VendorApps.kind { _ = try await session.loginToken(for: "my-other-app") }
        #expect(out == .interactionRequired(.signedOut))
    }

    @Test("A session that has ended at the provider says so, and is over")
    func ended() async throws {
        let apps = try await VendorApps()
        let client = apps.client("my-mobile-app", scopes: [.openid])
        let session = try await apps.signIn(client)
        try await apps.endSession(of: session)
        let kind = await VendorApps.kind { _ = try await session.loginToken(for: "my-other-app") }
        #expect(kind == .interactionRequired(.sessionEnded))
        #expect(!session.isActive)
    }

    @Test("A refresh token that another process has replaced is no end, and is not used")
    func replaced() async throws {
        let apps = try await VendorApps()
        let storage = InMemory()
        let session = try await apps.signIn(apps.client("my-mobile-app", storage: storage))
        let other = apps.client("my-mobile-app", storage: storage)
        guard case .signedIn(let neighbour) = await other.restore() else {
            Issue.record("it is stored")
            return
        }
        apps.server.clock.advance(by: 400)
        _ = try await neighbour.token()
        #expect(apps.refreshes == 1)
        #expect(try await session.loginToken(for: "my-other-app").reveal().isEmpty == false)
        #expect(apps.refreshes == 1 && session.isActive)
    }

    @Test("currentSession asks the provider, lastKnownSession asks no one")
    func current() async throws {
        let apps = try await VendorApps()
        let storage = InMemory()
        let client = apps.client("my-mobile-app", scopes: [.openid], storage: storage)
        guard case .signedOut = await client.currentSession() else {
            Issue.record("nobody is signed in")
            return
        }
        let session = try await apps.signIn(client)
        guard case .signedIn(let live) = await client.currentSession() else {
            Issue.record("the session is live")
            return
        }
        #expect(live.user.subject == session.user.subject)
        apps.network.isDown = true
        guard case .signedIn = await client.currentSession(),
            case .signedIn = await client.lastKnownSession()
        else {
            Issue.record("an unreachable provider ends no session")
            return
        }
        apps.network.isDown = false
        try await apps.endSession(of: session)
        guard case .signedIn = await client.lastKnownSession() else {
            Issue.record("what is stored is what was known last")
            return
        }
        guard case .signedOut = await client.currentSession(),
            case .signedOut = await client.lastKnownSession()
        else {
            Issue.record("the provider has ended it")
            return
        }
        #expect(try await storage.read() == nil)
    }
}

struct NoBrowser: ExternalBrowser {
    func open(_ address: String) {
        Issue.record("no browser is needed")
    }
}
