import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Our client library with a key, at the Provider itself")
struct AppKeyTests {
    private static let scopes: [ScopeToken] = [.openid, .profile, .offlineAccess, .deviceSSO]

    private func client(
        _ apps: VendorApps,
        _ clientID: String = "my-mobile-app",
        storage: any SessionStorage = InMemory()
    ) -> SignInClient {
        var options = SignInClient.Options()
        options.dpop = true
        return apps.client(clientID, scopes: Self.scopes, storage: storage, options: options)
    }

    @Test("RFC 9449 §5, §7, §8: sign-in, UserInfo, a refresh after a restart, and sign-out")
    func life() async throws {
        let apps = try await VendorApps()
        let storage = InMemory()
        let session = try await apps.signIn(client(apps, storage: storage))
        #expect(try await session.userInfo().subject == session.user.subject)
        let token = try await session.token()
        let claims = try ProviderUnderTest.claims(token)
        #expect(claims.object("cnf")?.string("jkt") != nil)
        // As a Bearer token it is nothing.
        let bearer = try await apps.server.send(
            .get,
            .endpoint("userinfo"),
            headers: [.authorization: "Bearer \(token)"]
        )
        #expect(bearer.status == 401)
        for _ in 0..<3 {
            apps.server.clock.advance(by: 400)
            guard case .signedIn(let again) = await client(apps, storage: storage).restore() else {
                Issue.record("it is stored")
                return
            }
            let fresh = try await again.token()
            #expect(try ProviderUnderTest.claims(fresh)["cnf"] == claims["cnf"])
            #expect(try await again.userInfo().subject == session.user.subject)
        }
        #expect(await session.signOut(.tokens).revoked)
    }

    @Test("A lost answer is asked for again with the same key, and signs nobody out")
    func lostAnswer() async throws {
        let apps = try await VendorApps()
        let session = try await apps.signIn(client(apps))
        apps.server.clock.advance(by: 400)
        apps.network.losesAnswers = true
        let kind = await VendorApps.kind { _ = try await session.token() }
        #expect(kind == .transient(.unreachable, retryAfter: nil))
        apps.network.losesAnswers = false
        _ = try await session.token()
        apps.server.clock.advance(by: 400)
        _ = try await session.token()
        #expect(session.isActive)
    }

    @Test("docs/decisions/0061: what hands a sign-in on proves the key; Native SSO shares it")
    func handedOn() async throws {
        let apps = try await VendorApps()
        let first = try await apps.signIn(client(apps))
        let login = try await first.loginToken(for: "my-other-app")
        #expect(!login.reveal().isEmpty)
        let shared = InMemory()
        #expect(try await first.shareDevice(in: shared))
        let second = try await client(apps, "my-other-app").signIn(withSharedDevice: shared)
        let key = try ProviderUnderTest.claims(try await first.token())["cnf"]
        #expect(key != nil)
        #expect(try ProviderUnderTest.claims(try await second.token())["cnf"] == key)
        #expect(try await second.userInfo().subject == first.user.subject)
        apps.server.clock.advance(by: 400)
        _ = try await second.token()
    }

    @Test("RFC 9449 §5.2: a client that is registered with --dpop signs in with the option only")
    func required() async throws {
        let apps = try await VendorApps { new in
            for index in new.clients.indices { new.clients[index].dpopBoundAccessTokens = true }
        }
        let plain = apps.client("my-mobile-app", scopes: Self.scopes)
        let kind = await VendorApps.kind { _ = try await apps.signIn(plain) }
        #expect(kind == .misconfigured(.proofRefused))
        _ = try await apps.signIn(client(apps))
    }
}
