import Foundation
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// An SDK inside an app takes over the app's tokens, and both go on.
@Suite("An SDK with the app's session") struct SharedSessionTests {
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
}

struct NoBrowser: ExternalBrowser {
    func open(_ address: String) {
        Issue.record("no browser is needed")
    }
}
