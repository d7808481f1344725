import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A new password is demanded at sign-in") struct DemandedPasswordTests {
    private static let request = TestFlow.request("native1")

    /// Alice has a password that she must replace; the realm sends no mail and offers no reset.
    private func server() async throws -> ProviderUnderTest {
        try await ProviderUnderTest { new in
            new.realm.allowsPasswordReset = false
            new.people[0].person.requiredActions = [RequiredAction.updatePassword, "OTHER"]
        }
    }

    @Test("The old password opens the page for a new one, and no session")
    func demanded() async throws {
        let server = try await server()
        let before = try await server.remains()
        let browser = TestBrowser(server)
        let reply = try await browser.signIn("alice", Self.request)
        #expect(reply.status == 303)
        let location = try #require(reply.location)
        #expect(location.hasPrefix("/realms/test/login-actions/new-password?key="))
        #expect(!browser.cookies.keys.contains { $0.contains("session") })
        #expect(try await server.remains().sessions == before.sessions)
        let page = try await browser.get(location)
        expectPage(page, "new-password")
        let done = try await browser.submit(page, [("password", "another long pass phrase 1")])
        #expect(done.status == 200)
        #expect(try await server.person().person.requiredActions == ["OTHER"])
        // The request that she came from goes on.
        let path = try #require(
            done.text.firstMatch(of: /href="([^"]*restart[^"]*)"/).map { String($0.1) }
        )
        let again = try await browser.get(path.replacing("&amp;", with: "&"))
        expectPage(again, "authenticate")
        let wrong = try await browser.submit(again, TestRealm.login())
        expectPage(wrong, "authenticate")
        let answer = try await browser.submit(
            wrong,
            [("username", "alice"), ("password", "another long pass phrase 1")]
        )
        expectCode(answer)
    }

    @Test("The old password is no new one, the page says why it asks, and another one does")
    func another() async throws {
        let server = try await server()
        let browser = TestBrowser(server)
        let reply = try await browser.signIn("alice", Self.request)
        let page = try await browser.get(try #require(reply.location))
        #expect(page.text.contains("ask for a new password before you go on"))
        let kept = try await server.person().password
        let same = try await browser.submit(
            page,
            [("password", TestRealm.passwords["alice"] ?? "")]
        )
        expectPage(same, "new-password")
        #expect(same.text.contains("This is the one you already have."))
        #expect(try await server.person().password == kept)
        #expect(
            try await server.person().person.requiredActions.contains(RequiredAction.updatePassword)
        )
        let done = try await browser.submit(same, [("password", "another long pass phrase 1")])
        #expect(done.status == 200 && !done.text.contains(#"name="password""#))
        #expect(try await server.person().password != kept)
    }

    @Test("A wrong password opens nothing, and the page is this browser's only")
    func bound() async throws {
        let server = try await server()
        let browser = TestBrowser(server)
        let page = try await browser.authorize(Self.request)
        let wrong = try await browser.submit(page, [("username", "alice"), ("password", "wrong")])
        expectPage(wrong, "authenticate")
        let reply = try await browser.signIn("alice", Self.request)
        let location = try #require(reply.location)
        let other = try await TestBrowser(server).get(location)
        #expect(other.formAction?.hasSuffix("new-password") == true)
        #expect(!other.text.contains(#"name="password""#))
        let code = try await TestBrowser(server).submit(other, [("action", "show-code")])
        #expect(code.status != 200)
        #expect(
            try await server.person().person.requiredActions.contains(RequiredAction.updatePassword)
        )
        // Once.
        let mine = try await browser.get(location)
        _ = try await browser.submit(mine, [("password", "another long pass phrase 1")])
        let spent = try await browser.submit(mine, [("password", "yet another pass phrase 2")])
        #expect(spent.status != 200 || spent.formAction == nil)
        let stays = try await TestBrowser(server).authorize(Self.request)
        let answer = try await TestBrowser(server).submit(
            stays,
            [("username", "alice"), ("password", "yet another pass phrase 2")]
        )
        #expect(answer.redirected["code"] == nil)
    }

    @Test("A password set meanwhile ends the demand, and it confirms no address")
    func setMeanwhile() async throws {
        let server = try await ProviderUnderTest { new in
            new.people[0].person.requiredActions = [RequiredAction.updatePassword]
            new.people[0].person.isEmailVerified = false
        }
        let people = server.database.people
        let browser = TestBrowser(server)
        let reply = try await browser.signIn("alice", Self.request)
        let page = try await browser.get(try #require(reply.location))
        let other = try await TestRealm.hash(of: "set by the operator 3")
        _ = try await people.setPassword(
            other,
            of: try await server.person().person.id,
            at: server.clock.seconds
        )
        let late = try await browser.submit(page, [("password", "another long pass phrase 1")])
        #expect(late.status == 400)
        #expect(try await server.person().password == other)
        // A demanded one that is in time proves no mailbox.
        var person = try await server.person().person
        person.requiredActions = [RequiredAction.updatePassword]
        _ = try await people.update(person)
        let again = try await browser.authorize(Self.request)
        let next = try await browser.submit(
            again,
            [("username", "alice"), ("password", "set by the operator 3")]
        )
        let choosing = try await browser.get(try #require(next.location))
        let done = try await browser.submit(choosing, [("password", "another long pass phrase 1")])
        #expect(done.status == 200)
        #expect(try await !server.person().person.isEmailVerified)
    }

    @Test("A link of a mail is nowhere once the realm offers none, although a demanded one is open")
    func closedMeanwhile() async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        let walk = ResetWalk(server)
        _ = try await walk.ask()
        let link = try await server.link()
        #expect(try await walk.browser.get(link).status == 200)
        try await server.changeRealm { $0.allowsPasswordReset = false }
        #expect(try await walk.browser.get(link).status == 404)
    }

    @Test("A reset that no one demanded is still not offered")
    func notOffered() async throws {
        let server = try await server()
        let page = try await TestBrowser(server).get(
            "/realms/test/login-actions/new-password?key=" + String(repeating: "a", count: 43)
        )
        #expect(page.status == 404)
    }

    @Test("A person who must confirm their address does, whatever the realm says")
    func verifyEmail() async throws {
        let server = try await ProviderUnderTest(sendsMail: true) { new in
            new.people[0].person.requiredActions = [RequiredAction.verifyEmail]
            new.people[0].person.isEmailVerified = false
        }
        expectPage(try await TestBrowser(server).signIn("alice", Self.request), "verify-email")
        expectCode(try await TestBrowser(server).signIn("bob", Self.request))
    }
}
