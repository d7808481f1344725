import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("OpenID Connect Native SSO") struct NativeSSOTests {
    private let apps: VendorApps

    init() async throws {
        apps = try await VendorApps()
    }

    private static let scopes: [ScopeToken] = [.openid, .profile, .deviceSSO]
    private static let idToken = "urn:ietf:params:oauth:token-type:id_token"
    private static let deviceSecret = "urn:openid:params:token-type:device-secret"

    /// The first app's tokens, by plain requests.
    private struct First {
        let tokens: Reply
        var idToken: String { get throws { try tokens.idToken } }
        var secret: String { tokens.json.string("device_secret") ?? "" }

        init(_ apps: VendorApps, _ name: String = "alice", scope: String = "openid device_sso")
            async throws
        {
            tokens = try await apps.tokens(for: name, scope: scope)
        }
    }

    private func exchange(
        _ apps: VendorApps,
        _ first: First,
        _ changes: [(String, String)] = []
    ) async throws -> Reply {
        try await apps.server.token(TestFlow.change(VendorApps.exchange(of: first.tokens), changes))
    }

    @Test("OpenID Connect Native SSO §3.4, §5: device_sso gives a secret that the ID Token binds")
    func secret() async throws {
        let first = try await First(apps)
        #expect(!first.secret.isEmpty)
        let claims = try first.tokens.claims
        #expect(claims.string("ds_hash") == Base64URL.encode(Hash256(of: first.secret).bytes))
        #expect(claims.string("sid")?.isEmpty == false)
        let path = "/realms/test/.well-known/openid-configuration"
        let document = try await apps.server.send(.get, path).json
        #expect(document.bool("native_sso_supported") == true)
        #expect(document.strings("scopes_supported")?.contains("device_sso") == true)
        // Not without being asked, nor for a client that may not.
        let without = try await First(apps, scope: "openid")
        #expect(without.tokens.json["device_secret"] == nil)
        #expect(try without.tokens.claims["ds_hash"] == nil)
        let other = try await apps.server.tokens(scope: "openid device_sso")
        #expect(other.status == 200 && other.json["device_secret"] == nil)
        // A refresh gives another pair.
        let next = try await apps.server.refresh(first.tokens.refreshToken, "my-mobile-app")
        #expect(next.json.string("device_secret")?.isEmpty == false)
        #expect(next.json.string("device_secret") != first.secret)
        #expect(!apps.server.log.contains(first.secret))
    }

    @Test("OpenID Connect Native SSO §4: both give another app tokens, until the session ends")
    func exchanged() async throws {
        let first = try await First(apps, scope: "openid profile offline_access device_sso")
        // §4.3: an expired ID Token is good, because its session is.
        apps.server.clock.advance(by: 3000)
        let answer = try await exchange(apps, first)
        #expect(answer.status == 200)
        #expect(
            answer.json.string("issued_token_type")
                == "urn:ietf:params:oauth:token-type:access_token"
        )
        #expect(answer.json.string("token_type") == "Bearer")
        let claims = try answer.claims
        let before = try first.tokens.claims
        #expect(claims.string("aud") == "my-other-app")
        for name in ["sub", "sid", "acr"] { #expect(claims.string(name) == before.string(name)) }
        #expect(claims.int64("auth_time") == before.int64("auth_time"))
        #expect(answer.json.string("scope")?.contains("offline_access") == false)
        let access = try answer.accessToken
        #expect(try await apps.server.userInfo(access).status == 200)
        let renewed = try await apps.server.refresh(answer.refreshToken, "my-other-app")
        let last = try renewed.refreshToken
        try await apps.endSession(before.string("sid") ?? "")
        #expect(try await apps.server.refresh(last, "my-other-app").error == "invalid_grant")
        #expect(try await apps.server.userInfo(access).status == 401)
        #expect(try await exchange(apps, first).error == "invalid_grant")
    }

    /// Each differs from a working request by one thing.
    private static let refused: [([(String, String)], String)] = [
        ([("audience", "")], "invalid_request"),
        ([("audience", "my-other-app")], "invalid_target"),
        ([("audience", TestRealm.issuer + "/")], "invalid_target"),
        ([("subject_token", "x")], "invalid_grant"),
        ([("actor_token", "x")], "invalid_grant"),
        ([("actor_token", ""), ("actor_token_type", "")], "invalid_request"),
        ([("actor_token_type", idToken)], "invalid_request"),
        ([("subject_token_type", deviceSecret)], "invalid_request"),
        (
            [("requested_token_type", "urn:ietf:params:oauth:token-type:refresh_token")],
            "invalid_request"
        ),
        ([("client_id", "plain")], "unauthorized_client"),
        ([("client_id", "nobody")], "invalid_client"),
        ([("scope", "openid email")], "invalid_scope"),
        ([("resource", "https://other-api")], "invalid_target"),
    ]

    @Test(
        "OpenID Connect Native SSO §4.2, §4.3: each fault has its error, and changes nothing",
        arguments: refused.indices
    )
    func refusals(_ index: Int) async throws {
        let (changes, error) = Self.refused[index]
        let first = try await First(apps)
        let before = try await apps.server.remains()
        let answer = try await exchange(apps, first, changes)
        #expect(answer.error == error, "\(changes)")
        #expect(answer.json["access_token"] == nil)
        #expect(try await apps.server.remains() == before)
        #expect(try await exchange(apps, first).status == 200)
    }

    @Test("OpenID Connect Native SSO §4.3: another pair's secret or ID Token is none")
    func mixed() async throws {
        let alice = try await First(apps)
        let bob = try await First(apps, "bob")
        let before = try await apps.server.remains()
        for (token, secret) in [(try alice.idToken, bob.secret), (try bob.idToken, alice.secret)] {
            let answer = try await exchange(
                apps,
                alice,
                [("subject_token", token), ("actor_token", secret)]
            )
            #expect(answer.error == "invalid_grant")
        }
        // Not even of the same grant.
        let next = try await apps.server.refresh(alice.tokens.refreshToken, "my-mobile-app")
        let secret = try #require(next.json.string("device_secret"))
        #expect(try await exchange(apps, alice, [("actor_token", secret)]).error == "invalid_grant")
        #expect(try await apps.server.remains() == before)
    }

    @Test("OpenID Connect Native SSO §4.3: a revoked refresh token takes the secret with it")
    func revoked() async throws {
        let first = try await First(apps, scope: "openid offline_access device_sso")
        let revoked = try await apps.server.post(
            .endpoint("revoke"),
            [("client_id", "my-mobile-app"), ("token", try first.tokens.refreshToken)]
        )
        #expect(revoked.status == 200)
        #expect(try await exchange(apps, first).error == "invalid_grant")
    }

    @Test("OpenID Connect Native SSO §4: what an app got ends with the first app's grant")
    func derived() async throws {
        let first = try await First(apps)
        let second = try await exchange(apps, first)
        let access = try second.accessToken
        #expect(try await apps.server.userInfo(access).status == 200)
        #expect(apps.server.log.contains("event=device_secret.exchanged"))
        let form = [("client_id", "my-mobile-app"), ("token", try first.tokens.refreshToken)]
        _ = try await apps.server.post(.endpoint("revoke"), form)
        #expect(try await apps.server.userInfo(access).status == 401)
    }

    @Test("OpenID Connect Native SSO §4.3: a disabled app's secret is none, nor one of before")
    func ended() async throws {
        let first = try await First(apps)
        apps.server.clock.advance(by: 10)
        let before = try await apps.server.remains()
        try await apps.server.change("my-mobile-app") { $0.isEnabled = false }
        #expect(try await exchange(apps, first).error == "unauthorized_client")
        try await apps.server.change("my-mobile-app") { $0.isEnabled = true }
        let now = apps.server.clock.seconds
        try await apps.server.changeRealm { $0.notBefore = now }
        #expect(try await exchange(apps, first).error == "invalid_grant")
        #expect(try await apps.server.remains() == before)
        try await apps.server.changeRealm { $0.notBefore = 0 }
        #expect(try await exchange(apps, first).status == 200)
    }

    @Test("attack: an app that people do not sign in to here, as those of the backend, gets tokens")
    func noGrantType() async throws {
        let first = try await First(apps)
        let access = try await exchange(apps, first).accessToken
        let before = try await apps.server.remains()
        for types in [[], [.clientCredentials]] as [Set<GrantType>] {
            try await apps.server.change("my-other-app") { $0.grantTypes = types }
            #expect(try await exchange(apps, first).error == "unauthorized_client")
            #expect(try await apps.server.remains() == before)
            #expect(try await apps.server.userInfo(access).status == 401)
        }
        try await apps.server.change("my-other-app") { $0.grantTypes = [.authorizationCode] }
        #expect(try await exchange(apps, first).status == 200)
    }

    @Test("OpenID Connect Native SSO §4.3: no page can ask for an address, so nothing is given")
    func unconfirmed() async throws {
        let apps = try await VendorApps { new in
            for index in new.people.indices { new.people[index].person.isEmailVerified = false }
        }
        let first = try await First(apps)
        try await apps.server.changeRealm { $0.confirmsEmail = true }
        let before = try await apps.server.remains()
        #expect(try await exchange(apps, first).error == "invalid_grant")
        #expect(try await apps.server.remains() == before)
        try await apps.server.changeRealm { $0.confirmsEmail = false }
        #expect(try await exchange(apps, first).status == 200)
    }

    @Test("OpenID Connect Native SSO §4.3: an authenticator app that is demanded gives nothing")
    func demandedApp() async throws {
        let first = try await First(apps)
        let people = apps.server.database.people
        let realm = try #require(apps.server.provider.realms.realm(named: "test"))
        let everyone = try await people.people(realmID: realm.id, after: nil, limit: 100)
        for var person in everyone {
            person.requiredActions = [RequiredAction.configureTOTP]
            _ = try await people.update(person)
        }
        let before = try await apps.server.remains()
        #expect(try await exchange(apps, first).error == "invalid_grant")
        #expect(try await apps.server.remains() == before)
        for person in everyone { _ = try await people.update(person) }
        #expect(try await exchange(apps, first).status == 200)
    }

    @Test("OpenID Connect Native SSO §4.3: a third party needs the person's consent, given before")
    func consent() async throws {
        let apps = try await VendorApps { new in
            new.clients[client: "my-other-app"].requiresConsent = true
        }
        let first = try await First(apps)
        #expect(try await exchange(apps, first).error == "invalid_scope")
        let clients = try await apps.server.database.realms.snapshot().clients
        let other = try #require(clients.first { $0.clientID == "my-other-app" })
        try await apps.server.database.people.allow(
            Consent(scope: Scope(tokens: ["openid", "device_sso", "roles"])),
            to: other,
            by: try first.tokens.claims.string("sub") ?? "",
            in: nil,
            notBefore: 0,
            at: apps.server.clock.seconds
        )
        #expect(try await exchange(apps, first).status == 200)
    }

    @Test("OpenID Connect Native SSO §3, §4: our client shares and exchanges, without a browser")
    func client() async throws {
        let shared = InMemory()
        let storage = InMemory()
        let first = try await apps.signIn(
            apps.client("my-mobile-app", scopes: Self.scopes, storage: storage)
        )
        #expect(try await first.shareDevice(in: shared))
        // Again in place of the earlier one, but never in place of a session.
        #expect(try await first.shareDevice(in: shared))
        let kept = try await storage.read()
        await #expect(throws: SignInError.storage(.unreadable)) {
            try await first.shareDevice(in: storage)
        }
        #expect(try await storage.read() == kept)
        let device = try #require(try await first.deviceCredentials())
        #expect("\(device)" == "DeviceCredentials(…)")
        let client = apps.client("my-other-app", scopes: Self.scopes)
        let second = try await client.signIn(withSharedDevice: shared)
        #expect(second.user.subject == first.user.subject)
        apps.server.clock.advance(by: 400)
        _ = try await second.token()
        _ = try await first.token()
        // §3.3: a refresh, and a new sign-in, present the secret that is there.
        #expect(apps.network.count { $0.contains("device_secret=") } == 2)
        _ = try await apps.signIn(
            apps.client("my-mobile-app", scopes: Self.scopes, storage: storage)
        )
        #expect(apps.network.count { $0.contains("device_secret=") } == 3)
        // The pair of before the refresh is still good; after the session it is not.
        let third = apps.client("my-other-app", scopes: Self.scopes)
        _ = try await third.signIn(withSharedDevice: shared)
        try await apps.endSession(of: first)
        let empty = InMemory()
        let late = apps.client("my-other-app", scopes: Self.scopes, storage: empty)
        let kind = await VendorApps.kind { _ = try await late.signIn(withSharedDevice: shared) }
        #expect(kind == .interactionRequired(.sessionEnded))
        #expect(try await empty.read() == nil)
        let nothing = await VendorApps.kind {
            _ = try await late.signIn(withSharedDevice: InMemory())
        }
        #expect(nothing == .interactionRequired(.signedOut))
    }

    @Test("Without device_sso there is nothing to share")
    func nothing() async throws {
        let shared = InMemory()
        let session = try await apps.signIn(apps.client("my-mobile-app"))
        #expect(try await session.deviceCredentials() == nil)
        #expect(try await !session.shareDevice(in: shared))
        #expect(try await shared.read() == nil)
        #expect(DeviceCredentials([]) == nil)
    }
}
