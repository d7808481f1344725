import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

@Suite("The backend at a host whose authorization server is a realm of ours")
struct JoinedBackendTests {
    /// Longer than an access token lives.
    private static let past = 16.0 * 60

    @Test(
        "ATP-CB-1, ATP-AR-1: by handle, DID and host, up to a record at the person's host",
        arguments: [
            ATHostPerson.ann.handle, "@Ann.Handles.Test ", ATHostPerson.ann.did, JoinedHost.origin,
        ]
    )
    func starts(_ typed: String) async throws {
        let scene = try await JoinedScene()
        let seal = try await scene.signIn(typed)
        let session = try await scene.session(seal)
        #expect(session.json.string("did") == ATHostPerson.ann.did)
        #expect(session.json.string("userHandle") == ATHostPerson.ann.handle)
        let own = try await scene.call(seal)
        #expect(own.status == 200 && own.json.string("handle") == ATHostPerson.ann.handle)
        let written = try await scene.call(
            "com.atproto.repo.createRecord",
            seal,
            [
                "repo": .string(ATHostPerson.ann.did), "collection": "app.bsky.feed.post",
                "record": ["text": "hello"],
            ]
        )
        #expect(written.status == 200, "\(written.text)")
        let list = "com.atproto.repo.listRecords?collection=app.bsky.feed.post&repo="
        let records = try await scene.call(list + ATHostPerson.ann.did, seal)
        #expect(records.json.array("records")?.count == 1)
        // As whom we asked, the realm has read from our own document.
        let pushed = try #require(scene.log.requests(to: .pushed).last)
        let address = "https://\(BackendUnderTest.host)/oauth-client-metadata.json"
        #expect(pushed.form["client_id"] == address && pushed.form.contains("client_assertion"))
    }

    @Test("RFC 9449 §8: a refresh while the nonce changes costs one try more, and no session")
    func nonces() async throws {
        let scene = try await JoinedScene()
        let seal = try await scene.signIn()
        #expect(try await scene.call(seal).status == 200)
        for _ in 1...3 {
            // Also longer than any nonce is good.
            scene.clock.advance(by: Self.past)
            scene.log.clear()
            #expect(try await scene.call(seal).status == 200)
            #expect(scene.refreshTokens.count == 2)
            #expect(Set(scene.refreshTokens).count == 1, "the same one, with the new nonce")
            #expect(try await scene.call(seal).status == 200)
            #expect(scene.refreshTokens.count == 2)
        }
        // The token is still good, the nonce is not.
        scene.clock.advance(by: 180)
        scene.log.clear()
        #expect(try await scene.call(seal).status == 200)
        #expect(scene.log.count(.xrpc) == 2 && scene.refreshTokens.isEmpty)
    }

    @Test("Of two devices of a person, one signs out, and the other goes on")
    func devices() async throws {
        let scene = try await JoinedScene()
        let phone = try await scene.signIn()
        let desk = try await scene.signIn(ATHostPerson.ann.did)
        let bob = try await scene.signIn(ATHostPerson.bob.handle, as: "bob")
        for seal in [phone, desk, bob] { #expect(try await scene.call(seal).status == 200) }
        #expect(try await scene.signOut(phone).status == 200)
        try await scene.revoked()
        for path in [try await scene.session(phone), try await scene.call(phone)] {
            #expect(path.status == 401 && path.json.string("reason") == "SESSION_EXPIRED")
        }
        for _ in 1...2 {
            for seal in [desk, bob] { #expect(try await scene.call(seal).status == 200) }
            scene.clock.advance(by: Self.past)
        }
        let name = try await scene.call(bob).json.string("handle")
        #expect(name == ATHostPerson.bob.handle)
    }

    @Test("Who says no at the host is told so here, and their app as well")
    func refused() async throws {
        let scene = try await JoinedScene()
        let visitor = TestVisitor(scene.server)
        let page = try await scene.begin(ATHostPerson.ann.handle, visitor)
        let refused = try await scene.finish(page, visitor, "deny")
        #expect(refused.reply.text.contains("You stopped"), "\(refused.reply.text)")
        #expect(visitor.cookies["sid"] == nil)
        let again = try await scene.begin(ATHostPerson.ann.handle, visitor, [("mobile", "true")])
        // The host knows who it is by now, and asks whether the app may.
        let told = try await visitor.submit(again, [("action", "deny")])
        #expect(told.reply.location?.hasPrefix("com.example.moved:/auth-callback?") == true)
        #expect(told.reply.redirected["error"] == "access_denied")
        #expect(told.reply.redirected["session_token"] == nil)
        #expect(try scene.server.accountSessions() == 0)
    }

    @Test("ATP-UI-2: a session that its person ends at the host ends here with the next refresh")
    func endedAtHost() async throws {
        let scene = try await JoinedScene()
        let visitor = TestVisitor(scene.server)
        let seal = try await scene.signIn(ATHostPerson.ann.handle, by: visitor)
        let other = try await scene.signIn()
        let apps = try await visitor.open("\(JoinedHost.origin)/realms/test/account/apps")
        #expect(apps.reply.text.contains("\(BackendUnderTest.host)/oauth-client-metadata.json"))
        let address = "\(JoinedHost.origin)/realms/test/account/devices"
        var page = try await visitor.open(address)
        let ids = page.reply.text.matches(of: /name="id" value="(session-[^"]*)"/)
            .map { String($0.1) }
        #expect(ids.count == 2)
        page = try await visitor.open(
            address,
            method: .post,
            form: page.reply.formProof + [("id", ids.last ?? ""), ("action", "end")],
            from: address
        )
        #expect(page.reply.text.matches(of: /value="session-/).count == 1)
        scene.clock.advance(by: Self.past)
        let ended = try await [scene.call(seal), scene.call(other)]
        #expect(ended.map(\.status).sorted() == [200, 401])
        let absent = try #require(ended.first { $0.status == 401 })
        #expect(absent.json.string("reason") == "SESSION_EXPIRED")
        #expect(absent.json.string("handle") == ATHostPerson.ann.handle)
    }
}
