import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// What hosts read of us, and the keys that prove it.
@Suite struct OwnDocumentTests {
    private static let path = "/oauth-client-metadata.json"

    @Test("ATP-C-ID-1, ATP-MD-1 to -7, -9, -10: the document passes as a server's own check")
    func document() async throws {
        let server = try await BackendUnderTest.withHandles([
            "clientName": "Example", "logo": "https://app.example.com/logo.png",
            "terms": "https://app.example.com/terms", "privacy": "https://app.example.com/privacy",
        ])
        let reply = try await server.send(.get, Self.path)
        #expect(reply.status == 200)
        #expect(reply.headers[.contentType] == "application/json")
        #expect(reply.headers[.cacheControl] == "public, max-age=60")
        let json = reply.json
        #expect(json.string("client_id") == "https://app.example.com\(Self.path)")
        #expect(json.strings("grant_types") == ["authorization_code", "refresh_token"])
        #expect(json.string("scope") == "atproto transition:generic")
        #expect(json.strings("response_types") == ["code"])
        #expect(json.strings("redirect_uris") == ["https://app.example.com/oauth/callback"])
        #expect(json.bool("dpop_bound_access_tokens") == true)
        #expect(json.string("token_endpoint_auth_method") == "private_key_jwt")
        #expect(json.string("token_endpoint_auth_signing_alg") == "ES256")
        #expect(json.string("jwks_uri") == "https://app.example.com/oauth/jwks.json")
        #expect(json["jwks"] == nil)
        #expect(json.string("application_type") == "web")
        #expect(json.string("client_uri") == "https://app.example.com")
        #expect(json.string("logo_uri") == "https://app.example.com/logo.png")
        #expect(json.string("tos_uri") == "https://app.example.com/terms")
        #expect(json.string("policy_uri") == "https://app.example.com/privacy")
        let address = try ClientIDAddress("https://app.example.com\(Self.path)")
        let read = try ClientDocument(parsing: reply.body, at: address, scopes: .atProtocol)
        #expect(read.clientID == address.text)
        let keys = try await server.send(.get, "/oauth/jwks.json")
        #expect(keys.status == 200)
        #expect(keys.headers[.contentType] == "application/json")
        let set = try JWKSet(parsing: keys.body)
        #expect(set.keys.count == 1)
        #expect(set.refusals.isEmpty)
        #expect(!keys.text.contains("\"d\""))
    }

    @Test("ATP-MD-8: a public client has no keys, and presents no assertion")
    func publicClient() async throws {
        let server = try await BackendUnderTest.withHandles(["public": true])
        let json = try await server.send(.get, Self.path).json
        #expect(json.string("token_endpoint_auth_method") == "none")
        #expect(json["token_endpoint_auth_signing_alg"] == nil)
        #expect(json["jwks_uri"] == nil)
        #expect(try await server.send(.get, "/oauth/jwks.json").text == #"{"keys":[]}"#)
        let back = try await TestVisitor(server).byHandle()
        #expect(server.hosts.asked.allSatisfy { $0.assertion == nil })
        #expect(try await server.handleSession(back)?.handle.clientKeyID == nil)
    }

    @Test("ATP-CA-5: a new key is published eleven minutes before its use; the old one stays")
    func rotation() async throws {
        let server = try await BackendUnderTest.withHandles()
        let old = try #require(server.backend.signIn.directory.handleKeys.first?.keyID)
        let before = try await TestVisitor(server).byHandle()
        let moment = Clock { server.clock.now }.moment()
        let key = try HandleClientKey(
            ring: server.ring,
            usedAfter: HandleClientKeys.publishedFirst,
            at: moment
        )
        try await server.database.configuration.add(key)
        try await server.backend.signIn.directory.refresh()
        let published = try JWKSet(parsing: try await server.send(.get, "/oauth/jwks.json").body)
        #expect(Set(published.keys.compactMap(\.keyID)) == [old, key.keyID])
        for (seconds, expected) in [(0, old), (659, old), (1, key.keyID)] {
            server.clock.advance(by: Double(seconds))
            server.hosts.forgetRequests()
            _ = try await TestVisitor(server).begin("ann.example.com")
            #expect(server.hosts.asked.last?.assertion?.header.string("kid") == expected)
        }
        // The session that began with the old one goes on with it.
        server.clock.advance(by: 3600)
        server.hosts.forgetRequests()
        let session = try #require(try await server.handleSession(before)?.handle)
        let open = try await server.backend.handleTokens.tokens(for: session)
        #expect(open.access.reveal().hasPrefix("access-"))
        #expect(server.hosts.asked.last?.isGrant("refresh_token") == true)
        #expect(server.hosts.asked.last?.assertion?.header.string("kid") == old)
        // Retired, and not needed: the one is in use.
        server.clock.advance(by: 3601)
        try await server.backend.withdrawUnneededHandleKeys()
        try await server.backend.signIn.directory.refresh()
        #expect(server.backend.signIn.directory.handleKeys.allSatisfy { $0.withdrawnAt == nil })
        _ = try await server.database.handles.endedByHost(
            session.sessionID,
            revision: open.session.revision,
            as: "test",
            at: server.clock.seconds
        )
        try await server.backend.withdrawUnneededHandleKeys()
        try await server.backend.signIn.directory.refresh()
        let left = try JWKSet(parsing: try await server.send(.get, "/oauth/jwks.json").body)
        #expect(left.keys.compactMap(\.keyID) == [key.keyID])
    }

    @Test("ATP-CA-6: a key that is withdrawn during a sign-in ends it, and the person begins again")
    func withdrawnMeanwhile() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin("ann.example.com")
        let key = try #require(server.backend.signIn.directory.handleKeys.first?.keyID)
        _ = try await server.database.configuration.withdrawHandleKey(key, at: server.clock.seconds)
        try await server.backend.signIn.directory.refresh()
        let asked = server.hosts.asked.count
        let reply = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        // It never comes back: nothing is to be waited for.
        #expect(reply.status == 403 && reply.headers[.retryAfter] == nil)
        #expect(server.hosts.asked.count == asked)
        #expect(try server.accountSessions() == 0)
    }

    @Test("ATP-CA-6: a withdrawn key is out of the document at once, and its sessions end")
    func withdrawn() async throws {
        let server = try await BackendUnderTest.withHandles()
        let back = try await TestVisitor(server).byHandle()
        let key = try #require(server.backend.signIn.directory.handleKeys.first?.keyID)
        _ = try await server.database.configuration.withdrawHandleKey(key, at: server.clock.seconds)
        try await server.backend.signIn.directory.refresh()
        #expect(try await server.send(.get, "/oauth/jwks.json").text == #"{"keys":[]}"#)
        // No one can begin before the next one is published for long enough.
        try await server.backend.makeHandleKey()
        #expect(try await TestVisitor(server).begin("ann.example.com").status == 503)
        server.clock.advance(by: 659)
        #expect(try await TestVisitor(server).begin("ann.example.com").status == 503)
        server.clock.advance(by: 1)
        #expect(try await TestVisitor(server).begin("ann.example.com").status == 302)
        server.clock.advance(by: 3600)
        server.hosts.forgetRequests()
        let session = try #require(try await server.handleSession(back)?.handle)
        #expect(await server.backend.handleTokens.failure(for: session) == .ended)
        #expect(server.hosts.asked.isEmpty)
        #expect(try await server.handleSession(back) == nil)
        let reason = try await server.database.events.latest([.handleEnded]).first?.reason
        #expect(reason == "key_withdrawn")
    }

    @Test("ATP-CA-5: a sign-in that began with the old key ends with it, after the new one is used")
    func underWay() async throws {
        let server = try await BackendUnderTest.withHandles()
        let old = try #require(server.backend.signIn.directory.handleKeys.first?.keyID)
        let moment = Clock { server.clock.now }.moment()
        let key = try HandleClientKey.next(ring: server.ring, at: moment)
        try await server.database.configuration.add(key)
        try await server.backend.signIn.directory.refresh()
        server.clock.advance(by: 100)
        let visitor = TestVisitor(server)
        let path = try await visitor.approved("ann.example.com")
        // The new one is in use for a second, and no session needs the old one.
        server.clock.advance(by: 561)
        try await server.backend.withdrawUnneededHandleKeys()
        try await server.backend.signIn.directory.refresh()
        #expect(try await visitor.request(path).location == "/dashboard")
        #expect(server.hosts.asked.last?.assertion?.header.string("kid") == old)
    }

    @Test("ATP-MD-4, ATP-SC-2: the scope that is asked for is the configured one, with atproto")
    func settings() async throws {
        let server = try await BackendUnderTest.withHandles(["scope": "atproto"])
        _ = try await TestVisitor(server).begin("ann.example.com")
        #expect(server.hosts.asked.last?.form["scope"] == "atproto")
        for settings: JSONObject in [
            ["scope": "transition:generic"], ["scope": 1], ["unknown": "x"],
            ["directory": "http://plc.example.com"], ["defaultDomain": "-"],
            ["logo": "http://app.example.com/logo.png"], ["public": "yes"],
        ] {
            #expect(throws: HandleProviderRefusal.self) { try provider(settings) }
        }
    }
}

/// New scopes, which hosts refuse until they have read our document again.
extension OwnDocumentTests {
    private func changed(_ former: JSONObject, to scope: String, at now: Int64)
        -> (settings: JSONObject, from: Int64?)
    {
        var settings = former
        settings["scope"] = .string(scope)
        return HandleProvider.waiting(settings, replacing: former, at: now)
    }

    private func provider(_ settings: JSONObject) throws -> HandleProvider {
        let record = ProviderRecord(
            realmID: "home",
            name: "atproto",
            kind: "atproto",
            place: 0,
            isEnabled: true,
            settings: settings,
            sealedSecret: nil
        )
        return try HandleProvider(record, .production)
    }

    @Test("Changed scopes wait eleven minutes, and what was never asked is no former one")
    func waiting() throws {
        let first = changed(["scope": "atproto x:a"], to: "atproto x:b", at: 1000)
        #expect(first.from == 1660)
        let kept: JSONObject = [
            "scope": "atproto x:b", "formerScope": "atproto x:a", "scopeFrom": 1660,
        ]
        #expect(first.settings == kept)
        let one = try provider(first.settings)
        #expect(one.asked(at: 1000).text == "atproto x:a")
        #expect(one.asked(at: 1659).text == "atproto x:a")
        #expect(one.asked(at: 1660).text == "atproto x:b")
        for now in [1000, 1659, 1660, 2319] as [Int64] {
            #expect(one.listed(at: now).text == "atproto x:a x:b", "\(now)")
        }
        #expect(one.listed(at: 2320).text == "atproto x:b")
        // Again, while these wait, and once they do not.
        for now in [1100, 1659] as [Int64] {
            let second = changed(first.settings, to: "atproto x:c", at: now)
            #expect(second.from == now + 660)
            #expect(second.settings.string("formerScope") == "atproto x:a", "\(now)")
            let two = try provider(second.settings)
            #expect(two.asked(at: now + 659).text == "atproto x:a")
            #expect(two.asked(at: now + 660).text == "atproto x:c")
            #expect(two.listed(at: now).text == "atproto x:a x:c")
        }
        let later = changed(first.settings, to: "atproto x:c", at: 1660)
        #expect(later.settings.string("formerScope") == "atproto x:b")
        #expect(later.settings.int64("scopeFrom") == 2320)
    }

    @Test("Scopes wait where there were none before, and none do where they stay")
    func unchanged() throws {
        let named = changed([:], to: "atproto x:b", at: 1000)
        #expect(named.settings.string("formerScope") == "atproto transition:generic")
        #expect(try provider(named.settings).asked(at: 1000).text == "atproto transition:generic")
        let former: JSONObject = ["scope": "atproto x:a", "clientName": "One"]
        let cleared = HandleProvider.waiting(["clientName": "One"], replacing: former, at: 1000)
        #expect(cleared.settings.string("formerScope") == "atproto x:a")
        let usual = try provider(cleared.settings)
        #expect(usual.asked(at: 1659).text == "atproto x:a")
        #expect(usual.asked(at: 1660).text == "atproto transition:generic")
        var renamed = former
        renamed["clientName"] = "Two"
        let same = HandleProvider.waiting(renamed, replacing: former, at: 1000)
        #expect(same.from == nil && same.settings == renamed)
        // Nor do those that wait wait longer.
        let waiting = changed(former, to: "atproto x:b", at: 1000).settings
        var other = waiting
        other["clientName"] = "Two"
        let still = HandleProvider.waiting(other, replacing: waiting, at: 1100)
        #expect(still.from == nil && still.settings == other)
    }

    @Test("Hosts are asked for new scopes once they can have read them, and told of both")
    func newScopes() async throws {
        let former = "atproto transition:generic x:former"
        let new = "atproto transition:generic x:new"
        let both = "atproto transition:generic x:former x:new"
        let server = try await BackendUnderTest.withHandles([
            "scope": .string(new), "formerScope": .string(former),
            "scopeFrom": .integer(StoppedClock().seconds + 660),
        ])
        func listed() async throws -> String? {
            try await server.send(.get, Self.path).json.string("scope")
        }
        func pushed() -> String? {
            server.hosts.asked.last { $0.path == "/oauth/par" }?.form["scope"]
        }
        func told() async throws -> String? {
            let begun = try await TestVisitor(server).open(
                "/login?handle=ann.example.com",
                headers: [.accept: "application/json"]
            )
            return begun.reply.json.strings("scopes")?.joined(separator: " ")
        }
        let before = try await TestVisitor(server).byHandle()
        #expect(pushed() == former)
        #expect(try await server.handleSession(before)?.handle.askedScope == former)
        #expect(try await listed() == both)
        #expect(try await told() == former)
        server.clock.advance(by: 659)
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin("ann.example.com")
        #expect(pushed() == former)
        server.clock.advance(by: 1)
        // What is under way has asked for the former ones, and hosts know them.
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        #expect(try await server.handleSession(back)?.handle.askedScope == former)
        #expect(try await listed() == both)
        let after = try await TestVisitor(server).byHandle()
        #expect(pushed() == new)
        #expect(try await server.handleSession(after)?.handle.askedScope == new)
        #expect(try await told() == new)
        server.clock.advance(by: 659)
        #expect(try await listed() == both)
        server.clock.advance(by: 1)
        #expect(try await listed() == new)
    }
}

/// Sessions after we became the other kind of client: one with keys, or one without.
@Suite struct ClientKindTests {
    @Test(
        "decision 0066: a sign-in that began as the other kind of client leaves no session for long",
        arguments: [true, false]
    )
    func late(_ wasPublic: Bool) async throws {
        let server = try await BackendUnderTest.withHandles(wasPublic ? ["public": true] : [:])
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin("ann.example.com")
        let former = try #require(server.backend.signIn.directory.handles?.record)
        var changed = former
        let isPublic: JSONValue? = wasPublic ? nil : true
        changed.settings["public"] = isPublic
        let store = server.database.configuration
        try await store.put(changed, replacing: former)
        try await server.backend.signIn.directory.refresh()
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        let session = try #require(try await server.handleSession(back)?.handle)
        #expect((session.clientKeyID == nil) == wasPublic)
        // Changed back, which this process has not read: it knows nothing of who is right.
        try await store.put(former, replacing: changed)
        try await server.backend.endHandleSessionsOfOtherKind()
        #expect(try await server.handleSession(back) != nil)
        try await store.put(changed, replacing: former)
        try await server.backend.makeHandleKey()
        let right = try await TestVisitor(server).byHandle()
        try await server.backend.endHandleSessionsOfOtherKind()
        #expect(try await server.handleSession(back) == nil)
        #expect(try await server.handleSession(right) != nil)
        let ended = try await server.database.events.latest([.handleEnded])
        #expect(ended.map(\.reason) == ["client_changed"])
    }

    /// A server that is started without its public URL must not end anything.
    @Test("decision 0066: a client for development has no keys, and ends no one's session")
    func development() async throws {
        let server = try await HostedBackend(at: "http://127.0.0.1:8080")
        #expect(server.keyID == nil)
        let open = try await server.signedIn().session
        let keyed = try await server.scene.signedIn()
        try await server.backend.endHandleSessionsOfOtherKind()
        #expect(try await server.scene.session(open.sessionID) != nil)
        #expect(try await server.scene.session(keyed.sessionID) != nil)
    }
}
