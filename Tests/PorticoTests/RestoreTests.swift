import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("Restoring a session")
struct RestoreTests {
    private let scene = Scene()

    @Test("A session survives the process, and the network is not asked")
    func survives() async throws {
        let folder = try TemporaryFolder()
        let scene = Scene(storage: PrivateFile("\(folder.path)/deep/session"))
        let before = try await scene.signIn()
        let requests = scene.provider.requests("/.well-known/openid-configuration").count
        let client = Scene.client(
            scene.provider,
            storage: PrivateFile("\(folder.path)/deep/session")
        )
        let session = try #require(await client.restore().session)
        #expect(session.user == before.user)
        #expect(session.roles == before.roles)
        #expect(session.scope == before.scope)
        #expect(session.accessTokenExpiry == before.accessTokenExpiry)
        #expect(try await session.token() == before.token())
        #expect(scene.provider.requests("/.well-known/openid-configuration").count == requests)
        scene.clock.advance(by: 400)
        #expect(try await session.token() == before.token())
        #expect(scene.provider.generation == 1)
    }

    @Test("No one was signed in")
    func signedOut() async {
        #expect(await scene.client.restore().isSignedOut)
    }

    @Test("A storage that cannot be read now is not signed out")
    func locked() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        _ = try await scene.signIn()
        storage.failsReading = true
        #expect(await scene.client.restore().problem == .locked)
        storage.failsReading = false
        #expect(await scene.client.restore().session != nil)
    }

    @Test("Where nothing can be kept, no one is asked to sign in")
    func noPlace() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage, redirect: .loopback())
        let browser = FakeBrowser()
        for problem in [SignInError.StorageProblem.locked, .entitlementMissing, .noKeyring] {
            storage.failReading(by: problem)
            let failed = await thrown {
                try await scene.client.signIn(using: .loopback(open: browser))
            }
            #expect(failed == .storage(problem))
        }
        #expect(browser.addresses.isEmpty)
        #expect(scene.provider.requests.isEmpty)
    }

    @Test("A session of another issuer or client is not this client's")
    func foreign() async throws {
        _ = try await scene.signIn()
        let clients = [
            Scene.client(scene.provider, storage: scene.storage, issuer: "https://op.example.com/"),
            Scene.client(scene.provider, storage: scene.storage, clientID: "other"),
            Scene.client(scene.provider, storage: scene.storage, issuer: "http://op.example.com"),
        ]
        for client in clients { #expect(await client.restore().session == nil) }
        #expect(await scene.client.restore().session != nil)
    }

    @Test("A damaged record is no session, and nothing traps")
    func damaged() async throws {
        _ = try await scene.signIn()
        let good = try #require(try await scene.storage.read())
        #expect(SessionRecord(good) != nil)
        for length in stride(from: 0, to: good.count, by: 7) {
            #expect(SessionRecord(Array(good[..<length])) == nil)
        }
        for position in stride(from: 0, to: good.count, by: 3) {
            var record = good
            record[position] ^= 0x10
            _ = SessionRecord(record)
        }
        for text in ["", "null", "{}", #"{"version":2}"#] {
            try await scene.storage.write(Array(text.utf8))
            #expect(await scene.client.restore().session == nil)
        }
    }

    @Test("An ID Token as deep as one may be is stored so that it can be read again")
    func deep() async throws {
        scene.provider.change { state in
            state.claims = { claims in
                var claims = claims
                // The 32 levels of JSON from others: the claims are the first.
                claims["deep"] = (0..<31).reduce(.integer(1)) { value, _ in .array([value]) }
                return claims
            }
        }
        let session = try await scene.signIn()
        #expect(try await scene.neighbour().user.claims["deep"] == session.user.claims["deep"])
    }

    @Test("Records are read as they were written")
    func roundTrip() async throws {
        _ = try await scene.signIn()
        var record = try #require(try await scene.storedRecord)
        record.pending = PendingRefresh(SecretText("R0"), random: .system)
        let again = try #require(SessionRecord(record.serialized()))
        #expect(again.serialized() == record.serialized())
        #expect(again.pending?.isFor(SecretText("R0")) == true)
        #expect(again.pending?.isFor(SecretText("R1")) == false)
        #expect(again.original == record.original)
    }
}

@Suite("Adopting tokens of another library")
struct AdoptionTests {
    private let scene = Scene()

    /// Tokens that were obtained in another way.
    private func credentials(_ scene: Scene) async throws -> Credentials {
        let elsewhere = Scene.client(scene.provider, storage: InMemory())
        let session = try await elsewhere.signIn(at: scene.provider)
        let own = try await session.credentials()
        // Another library's: they do not know which session renews them.
        return Credentials(
            accessToken: own.accessToken,
            refreshToken: own.refreshToken,
            idToken: own.idToken
        )
    }

    private func failure(_ credentials: Credentials, _ scene: Scene) async throws
        -> SignInError.Kind?
    {
        let client = scene.client
        let kind = await thrown { try await Session(adopting: credentials, by: client) }
        if kind != nil { #expect(try await scene.storage.read() == nil) }
        return kind
    }

    @Test("Two clients that share a storage by mistake do not share tokens")
    func mistakenStorage() async throws {
        let session = try await scene.signIn()
        let before = try await scene.storage.read()
        let other = Scene.client(scene.provider, storage: scene.storage, clientID: "other")
        await #expect(throws: SignInError(.rejected(.audience))) {
            try await Session(adopting: session.credentials(), by: other)
        }
        #expect(try await scene.storage.read() == before)
        #expect(session.isActive)
    }

    @Test("They count once the ID Token is verified and UserInfo was asked")
    func good() async throws {
        let session = try await Session(adopting: credentials(scene), by: scene.client)
        #expect(session.user.subject == "alice")
        #expect(scene.provider.requests("/userinfo").count == 1)
        #expect(try await scene.storedRecord != nil)
        scene.clock.advance(by: 400)
        _ = try await session.token()
        #expect(scene.provider.generation == 1)
    }

    @Test("Without an ID Token, or with one that is not right, they do not")
    func bad() async throws {
        let good = try await credentials(scene)
        let none = Credentials(accessToken: good.accessToken, refreshToken: good.refreshToken)
        #expect(try await failure(none, scene) == .rejected(.idTokenMissing))
        let forged = try FakeProvider.newKey("k1").get().sign(
            claims: JSONObject(parsing: Array("{}".utf8)),
            type: .jwt
        )
        let wrong = Credentials(accessToken: good.accessToken, idToken: forged)
        #expect(try await failure(wrong, scene) == .rejected(.signature))
        let other = Credentials(accessToken: "A-other", idToken: good.idToken)
        #expect(try await failure(other, scene) == .rejected(.accessTokenHash))
    }

    @Test("An access token of another person does not become this person's session")
    func substitution() async throws {
        let good = try await credentials(scene)
        scene.provider.change { $0.userInfo["sub"] = "bob" }
        #expect(try await failure(good, scene) == .rejected(.subject))
    }

    @Test("Once a refresh has spent the given token, its successor is kept, whatever fails then")
    func keptAfterRefresh() async throws {
        for path in ["/userinfo", "/keys"] {
            let scene = Scene()
            let good = try await credentials(scene)
            scene.clock.advance(by: 4000)
            let (provider, clock) = (scene.provider, scene.clock)
            let isCut = Locked(false)
            provider.answer("/token") { _ in
                isCut.withLock { $0 = true }
                guard path == "/keys" else { return nil }
                // Signed with a key that has to be fetched, some time after the others.
                clock.advance(by: 400)
                provider.change {
                    $0.published.append(FakeProvider.otherKey)
                    $0.signer = FakeProvider.otherKey
                }
                return nil
            }
            provider.answer(path) { _ throws(HTTPTransportError) in
                if isCut.withLock({ $0 }) { throw .unreachable }
                return nil
            }
            let client = scene.client
            let kind = await thrown { try await Session(adopting: good, by: client) }
            #expect(kind == .transient(.unreachable, retryAfter: nil))
            #expect(provider.generation == 1)
            #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R1")
            #expect(provider.revoked.isEmpty)

            // The network is back, perhaps after a restart of the app.
            provider.answerAsUsual(path)
            provider.answerAsUsual("/token")
            scene.clock.advance(by: 400)
            let session = try await scene.neighbour()
            #expect(session.user.subject == "alice")
            _ = try await session.token()
            _ = try await session.userInfo()
            #expect(!provider.isFamilyDead)
        }
    }

    @Test("Tokens that a refresh gave for another person are revoked and not kept")
    func substitutionAfterRefresh() async throws {
        let good = try await credentials(scene)
        scene.clock.advance(by: 4000)
        scene.provider.change { $0.userInfo["sub"] = "bob" }
        #expect(try await failure(good, scene) == .rejected(.subject))
        #expect(scene.provider.revoked == ["R1"])
    }

    @Test("An expired ID Token is replaced by a refresh, or refused")
    func expired() async throws {
        let good = try await credentials(scene)
        scene.clock.advance(by: 4000)
        let alone = Credentials(accessToken: good.accessToken, idToken: good.idToken)
        #expect(try await failure(alone, scene) == .rejected(.expiry))
        let session = try await Session(adopting: good, by: scene.client)
        #expect(try await session.token() != good.accessToken)
        #expect(scene.provider.generation == 1)
        let third = Scene()
        let stale = try await credentials(third)
        third.clock.advance(by: 4000)
        third.provider.change {
            $0.claims = { $0.with("sub", "bob") }
            // UserInfo agrees with it: only the token before tells.
            $0.userInfo["sub"] = "bob"
        }
        #expect(try await failure(stale, third) == .rejected(.subject))
    }
}

@Suite("Records of a later version")
struct RecordVersionTests {
    private let scene = Scene()

    /// What a later version of the library might write.
    private static let later = Array(#"{"version":3,"everything":"new"}"#.utf8)

    private static func isLater(_ storage: any SessionStorage) async throws -> Bool {
        try await storage.read() == later
    }

    @Test("Such a session is neither restored nor taken for a sign-out")
    func restore() async throws {
        try await scene.storage.write(Self.later)
        #expect(await scene.client.restore().problem == .laterVersion)
        let backend = BackendScene()
        try await backend.storage.write(Self.later)
        #expect(await backend.client.restore().problem == .laterVersion)
    }

    @Test("A sign-in does not overwrite it, and where it can, asks for none")
    func signIn() async throws {
        try await scene.storage.write(Self.later)
        let sheet = ScriptedSheet { _, _ in "" }
        await #expect(throws: SignInError.storage(.laterVersion)) {
            try await scene.client.signIn(using: .sheet(sheet))
        }
        #expect(sheet.showings.isEmpty)
        #expect(await scene.failure() == .storage(.laterVersion))
        #expect(try await Self.isLater(scene.storage))
        let backend = BackendScene()
        try await backend.storage.write(Self.later)
        await #expect(throws: SignInError.storage(.laterVersion)) {
            try await backend.client.signIn(using: .sheet(sheet))
        }
        await #expect(throws: SignInError.storage(.laterVersion)) { try await backend.signIn() }
        #expect(sheet.showings.isEmpty)
        #expect(try await Self.isLater(backend.storage))
    }

    @Test("A session that another app replaced with one is not over, and writes nothing")
    func refresh() async throws {
        let session = try await scene.signIn()
        try await scene.storage.write(Self.later)
        scene.clock.advance(by: 400)
        #expect(await session.failure() == .storage(.laterVersion))
        #expect(session.isActive)
        #expect(scene.provider.requests("/token").count == 1, "the code's only")
        #expect(try await Self.isLater(scene.storage))
    }

    @Test("A sign-out leaves it where it is, and says so")
    func signOut() async throws {
        let session = try await scene.signIn()
        try await scene.storage.write(Self.later)
        let report = await session.signOut(.local)
        #expect(report.storageError == .storage(.laterVersion))
        #expect(!report.localCleared)
        #expect(!session.isActive)
        #expect(try await Self.isLater(scene.storage))
    }
}

@Suite("What an app has after a sign-in") struct CredentialsTests {
    private let scene = Scene()

    /// What the provider's token endpoint answered last.
    private func recording(_ scene: Scene, _ change: @escaping @Sendable (inout JSONObject) -> Void)
        -> Locked<JSONObject>
    {
        let answered = Locked<JSONObject>([:])
        scene.provider.change { state in
            state.tokens = { json in
                var json = json
                change(&json)
                answered.withLock { $0 = json }
                return json
            }
        }
        return answered
    }

    @Test("SEED-KAPE-2: access, refresh and ID token are typed values, as the provider gave them")
    func present() async throws {
        let answered = recording(scene) { _ in }
        let session = try await scene.signIn()
        let given = answered.withLock { $0 }
        let credentials = try await session.credentials()
        #expect(credentials.accessToken == given.string("access_token"))
        #expect(credentials.refreshToken == given.string("refresh_token"))
        #expect(credentials.idToken == given.string("id_token"))
        #expect(credentials.idToken?.split(separator: ".").count == 3)
        #expect(session.isRefreshable)
        #expect(session.accessTokenExpiry == scene.clock.now + 300)
        #expect(session.scope == Scope(tokens: ["openid", "profile", "email"]))
        // After a refresh they are those of the refresh.
        scene.clock.advance(by: 400)
        let fresh = try await session.credentials()
        let second = answered.withLock { $0 }
        #expect(fresh.accessToken == second.string("access_token"))
        #expect(fresh.refreshToken == second.string("refresh_token"))
        #expect(fresh.accessToken != credentials.accessToken)
    }

    @Test("SEED-KAPE-2: what the provider leaves out is nil, and never an empty text")
    func missing() async throws {
        for value in [nil, JSONValue.null] {
            let scene = Scene()
            _ = recording(scene) { json in
                json["refresh_token"] = value
                json["expires_in"] = value
                json["scope"] = value
            }
            scene.provider.change { $0.claims = { $0.with("name", value).with("email", "") } }
            let session = try await scene.signIn()
            let credentials = try await session.credentials()
            #expect(credentials.refreshToken == nil)
            #expect(!credentials.accessToken.isEmpty && credentials.idToken?.isEmpty == false)
            #expect(!session.isRefreshable)
            #expect(session.user.name == nil && session.user.email == nil)
            #expect(session.user.givenName == nil)
            // The same holds after restoring the session.
            let again = try await scene.neighbour().credentials()
            #expect(again.refreshToken == nil && again.accessToken == credentials.accessToken)
        }
    }

    @Test(
        "SEED-KAPE-2: an empty text is no token: such an answer is none, and nothing is kept of it",
        arguments: ["access_token", "id_token"]
    )
    func empty(_ name: String) async throws {
        _ = recording(scene) { $0[name] = "" }
        #expect(await scene.failure() != nil)
        #expect(try await scene.storedRecord == nil)
        #expect(try await scene.storage.read() == nil)
    }

    @Test(
        "RFC 9068 §4: an access token is opaque to the app, whatever it looks like",
        arguments: [
            // An expired one without a signature, one of another issuer, and none at all.
            "eyJhbGciOiJub25lIn0.eyJleHAiOjF9.",
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwczovL290aGVyLmV4YW1wbGUifQ.AAAA", "~", "a.b.c.d",
        ]
    )
    func opaque(_ token: String) async throws {
        _ = recording(scene) { $0["access_token"] = .string(token) }
        scene.provider.change { state in
            state.claims = {
                $0.with("at_hash", .string(SignatureAlgorithm.es256.leftHalfHash(of: token)))
            }
        }
        let session = try await scene.signIn()
        #expect(try await session.token() == token)
        #expect(session.accessTokenExpiry == scene.clock.now + 300)
        #expect(scene.provider.requests("/token").count == 1, "nothing in it asks for a refresh")
    }
}
