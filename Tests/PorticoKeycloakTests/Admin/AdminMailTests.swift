import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Mails with links that administrators send to people.
@Suite("Mails with actions") struct AdminMailTests {
    private static let ann = "/users/\(AdminUnderTest.annID)"
    private static let chief = "/users/\(AdminUnderTest.chiefID)"
    private static let newPassword = "a river runs backwards"

    private func ask(
        _ actions: String,
        query: String = "",
        of person: String = ann,
        _ admin: AdminUnderTest,
        by token: String
    ) async throws -> Reply {
        let path = "\(person)/execute-actions-email\(query.isEmpty ? "" : "?\(query)")"
        return try await admin.send(.put, path, actions, by: token)
    }

    private func kept(_ admin: AdminUnderTest) async throws -> PersonCredentials {
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        return try #require(
            try await admin.server.database.people.credentials(
                id: AdminUnderTest.annID,
                realmID: realmID
            )
        )
    }

    @Test("KC-A-2: a link leads to a new password in any browser, once, and back to the app")
    func password() async throws {
        let admin = try await AdminUnderTest(["manage-users"], sendsMail: true)
        let token = try await admin.token("manage-users")
        _ = try await admin.send(.put, Self.ann, #"{"emailVerified": false}"#, by: token)
        let before = try await kept(admin)
        let sent = try await ask(
            #"["UPDATE_PASSWORD", "CONFIGURE_TOTP"]"#,
            query: "client_id=web&redirect_uri=https%3A%2F%2Fweb.example%2Fcb&lifespan=600",
            admin,
            by: token
        )
        #expect(sent.status == 204 && sent.body.isEmpty, "\(sent.text)")
        let mail = try #require(try await admin.server.mails().first)
        #expect(mail.draft.to == "ann@example.com")
        #expect(try admin.server.text(of: mail).subject == "Update your acme account")
        let link = try await admin.server.link()
        #expect(link.hasPrefix("/realms/acme/login-actions/action-token?key="))
        // Programs that scan mail open it, too.
        _ = try await TestBrowser(admin.server).get(link)
        let browser = TestBrowser(admin.server)
        let page = try await browser.get(link)
        #expect(page.status == 200 && page.text.contains("ann@example.com"))
        #expect(page.text.contains("<bdi>ann</bdi>"))
        #expect(try await kept(admin) == before)
        let weak = try await browser.submit(page, [("password", "short")])
        #expect(weak.status == 200)
        #expect(try await kept(admin) == before)
        let done = try await browser.submit(page, [("password", Self.newPassword)])
        #expect(done.text.contains("Your password has been changed"))
        #expect(done.text.contains("https://web.example/cb"))
        let after = try await kept(admin)
        #expect(after.password != before.password && after.epoch > before.epoch)
        #expect(after.person.isEmailVerified)
        #expect(after.person.requiredActions == ["CONFIGURE_TOTP"])
        let mails = try await admin.server.mails()
        // The address was not proven before.
        #expect(mails.contains { $0.draft.message == .accountReclaimed })
        for again in [
            try await browser.get(link), try await browser.submit(page, [("password", "x y z 12")]),
        ] {
            #expect(again.status == 400 && again.text.contains("This link has expired"))
        }
        #expect(try await kept(admin) == after)
    }

    @Test("KC-A-2: of many answers to one link exactly one sets its password")
    func race() async throws {
        for _ in 1...5 {
            let admin = try await AdminUnderTest(["manage-users"], sendsMail: true)
            let token = try await admin.token("manage-users")
            _ = try await ask(#"["UPDATE_PASSWORD"]"#, admin, by: token)
            let link = try await admin.server.link()
            let done = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 1...4 {
                    group.addTask {
                        let browser = TestBrowser(admin.server)
                        let page = try await browser.get(link)
                        let new = [("password", "a river runs \(number) times")]
                        return try await browser.submit(page, new).status == 200
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(done == 1)
        }
    }

    @Test("KC-A-2: a link confirms an address when its form is sent, and not when it is opened")
    func verify() async throws {
        let admin = try await AdminUnderTest(["manage-users"], sendsMail: true)
        let token = try await admin.token("manage-users")
        let unproven = #"{"emailVerified": false, "requiredActions": ["VERIFY_EMAIL"]}"#
        _ = try await admin.send(.put, Self.ann, unproven, by: token)
        let sent = try await admin.send(.put, "\(Self.ann)/send-verify-email", by: token)
        #expect(sent.status == 204, "\(sent.text)")
        let browser = TestBrowser(admin.server)
        let page = try await browser.get(try await admin.server.link())
        #expect(page.status == 200 && page.text.contains("ann@example.com"))
        #expect(try await !kept(admin).person.isEmailVerified)
        let hash = try await kept(admin).password
        // A form from elsewhere confirms nothing.
        let other = TestBrowser(admin.server)
        _ = try await other.get(try await admin.server.link())
        let forged = try await other.submit(page, [("action", "confirm")])
        #expect(forged.status == 403)
        #expect(try await !kept(admin).person.isEmailVerified)
        // No one is signed in to the account in this browser: a click alone confirms nothing.
        let click = try await browser.submit(page, [("action", "confirm")])
        #expect(click.status == 200)
        #expect(try await !kept(admin).person.isEmailVerified)
        let done = try await browser.submit(page, [("password", Self.newPassword)])
        #expect(done.text.contains("Your password has been changed"))
        let after = try await kept(admin)
        #expect(after.person.isEmailVerified && after.person.requiredActions.isEmpty)
        #expect(after.password != hash && after.epoch > 0)
    }

    @Test(
        "OpenID Connect Core §5.1: another address is unverified, unless the request says otherwise"
    )
    func anotherAddress() async throws {
        let admin = try await AdminUnderTest(["manage-users"], sendsMail: true)
        let token = try await admin.token("manage-users")
        func put(_ body: String) async throws -> Bool {
            let reply = try await admin.send(.put, Self.ann, body, by: token)
            #expect(reply.status == 204, "\(reply.text)")
            return try await kept(admin).person.isEmailVerified
        }
        #expect(try await put(#"{"emailVerified": true}"#))
        // The same one, in other letters, is the same.
        #expect(try await put(#"{"email": "ANN@example.com", "firstName": "Anna"}"#))
        #expect(try await !put(#"{"email": "victim@example.com"}"#))
        #expect(try await put(#"{"email": "other@example.com", "emailVerified": true}"#))
        #expect(try await !put(#"{"email": ""}"#))
        #expect(try await !put(#"{"email": "other@example.com"}"#))
        #expect(try await put(#"{"emailVerified": true}"#))
        let over = #"""
            {"ifResourceExists": "OVERWRITE",
             "users": [{"username": "ann", "email": "third@example.com", "enabled": true}]}
            """#
        let imported = try await admin.send(.post, "/partialImport", over, by: token)
        if imported.status == 200 {
            #expect(try await !kept(admin).person.isEmailVerified)
        } else {
            #expect(imported.status == 403)
        }
    }

    @Test("KC-A-2: a link dies by time, a sign-out everywhere, another address, and being disabled")
    func over() async throws {
        let changes: [@Sendable (AdminUnderTest, String) async throws -> Void] = [
            { admin, _ in admin.server.clock.advance(by: 600) },
            { admin, token in
                _ = try await admin.send(.post, "\(Self.ann)/logout", by: token)
            },
            { admin, token in
                let other = #"{"email": "other@example.com"}"#
                _ = try await admin.send(.put, Self.ann, other, by: token)
            },
            { admin, token in
                _ = try await admin.send(.put, Self.ann, #"{"enabled": false}"#, by: token)
            },
            { admin, token in _ = try await admin.send(.delete, Self.ann, by: token) },
        ]
        for (index, change) in changes.enumerated() {
            let admin = try await AdminUnderTest(["manage-users"], sendsMail: true)
            let token = try await admin.token("manage-users")
            let asked = try await ask(
                #"["UPDATE_PASSWORD"]"#,
                query: "lifespan=600",
                admin,
                by: token
            )
            #expect(asked.status == 204)
            let hash = try await kept(admin).password
            let browser = TestBrowser(admin.server)
            let link = try await admin.server.link()
            let page = try await browser.get(link)
            try await change(admin, token)
            #expect(try await browser.get(link).status == 400, "\(index)")
            let late = try await browser.submit(page, [("password", Self.newPassword)])
            #expect(late.status == 400, "\(index)")
            if index < 4 { #expect(try await kept(admin).password == hash, "\(index)") }
        }
    }

    @Test("KC-A-2: what cannot be sent is refused in Keycloak's words, and nothing is sent")
    func refusals() async throws {
        let admin = try await AdminUnderTest(["manage-users"], sendsMail: true)
        let token = try await admin.token("manage-users")
        let update = #"["UPDATE_PASSWORD"]"#
        let refused = [
            (#"["NONSENSE"]"#, "", "Provided invalid required actions"),
            (#"["UPDATE_PASSWORD", "NONSENSE"]"#, "", "Provided invalid required actions"),
            ("[]", "", "Provided invalid required actions"),
            (update, "redirect_uri=https://web.example/cb", "Client id missing"),
            (update, "client_id=nobody", "Client doesn't exist"),
            (update, "client_id=web&redirect_uri=https://evil.example/", "Invalid redirect uri."),
            (update, "client_id=web&redirect_uri=javascript:alert(1)", "Invalid redirect uri."),
            (update, "lifespan=0", "The lifespan is from 1 to 2592000 seconds."),
            (update, "lifespan=2592001", "The lifespan is from 1 to 2592000 seconds."),
            (update, "lifespan=-1", "The lifespan is from 1 to 2592000 seconds."),
        ]
        for (actions, query, text) in refused {
            let reply = try await ask(actions, query: query, admin, by: token)
            #expect(reply.status == 400, "\(actions) \(query)")
            #expect(reply.json.string("errorMessage") == text, "\(reply.text)")
        }
        _ = try await admin.send(.put, Self.ann, #"{"enabled": false}"#, by: token)
        let disabled = try await ask(update, admin, by: token)
        #expect(disabled.json == ["errorMessage": "User is disabled"])
        let made = try await admin.send(.post, "/users", #"{"username": "bare"}"#, by: token)
        let bare = try await ask(update, of: "/users/\(made.madeID)", admin, by: token)
        #expect(bare.json == ["errorMessage": "User email missing"])
        #expect(try await admin.server.mails().isEmpty)
        let silent = try await AdminUnderTest(["manage-users"])
        let key = try await silent.token("manage-users")
        let failed = try await ask(update, silent, by: key)
        #expect(failed.status == 500)
        #expect(
            failed.json.string("errorMessage")?.hasPrefix("Failed to send execute actions email")
                == true
        )
        #expect(try await silent.server.mails().isEmpty)
    }

    @Test("attack: an administrator floods a mailbox: five an hour each, ten in all")
    func flood() async throws {
        let helpers = ["manage-users", "manage-users+view-users", "manage-users+view-clients"]
        let admin = try await AdminUnderTest(helpers, sendsMail: true)
        var sent = 0
        for helper in helpers {
            let token = try await admin.token(helper)
            for number in 1...7 {
                let reply = try await ask(#"["VERIFY_EMAIL"]"#, admin, by: token)
                if reply.status == 204 { sent += 1 }
                if number > 5 { #expect(reply.status == 429) }
            }
        }
        #expect(sent == 10)
        #expect(try await admin.server.mails().count == 10)
        // Another person's mailbox is another's.
        let token = try await admin.token("manage-users")
        let other = #"{"username": "bea", "email": "bea@example.com", "enabled": true}"#
        let made = try await admin.send(.post, "/users", other, by: token)
        let reply = try await ask(
            #"["VERIFY_EMAIL"]"#,
            of: "/users/\(made.madeID)",
            admin,
            by: token
        )
        #expect(reply.status == 204)
    }

    @Test("attack: without the right, or for someone with more rights, no mail is sent")
    func rights() async throws {
        let admin = try await AdminUnderTest(["manage-users", "view-users"], sendsMail: true)
        let helper = try await admin.token("manage-users")
        let viewer = try await admin.token("view-users")
        for mail in ["execute-actions-email", "reset-password-email", "send-verify-email"] {
            for (person, token) in [(Self.ann, viewer), (Self.chief, helper)] {
                let path = "\(person)/\(mail)"
                let reply = try await admin.send(.put, path, #"["UPDATE_PASSWORD"]"#, by: token)
                #expect(reply.status == 403, "\(path)")
            }
        }
        #expect(try await admin.server.mails().isEmpty)
        let own = try await admin.send(.put, "\(Self.ann)/reset-password-email", by: helper)
        #expect(own.status == 204, "\(own.text)")
    }

    @Test("attack: a link of one realm, or changed, opens nothing")
    func foreign() async throws {
        let admin = try await AdminUnderTest(["manage-users"], sendsMail: true)
        let token = try await admin.token("manage-users")
        _ = try await ask(#"["UPDATE_PASSWORD"]"#, admin, by: token)
        let link = try await admin.server.link()
        let end = link.hasSuffix("A") ? "B" : "A"
        for other in [
            link.replacing("/realms/acme/", with: "/realms/test/"), link.dropLast() + end,
            link.replacing(/key=.*/, with: "key="), link.replacing(/\?.*/, with: ""),
        ] {
            let reply = try await TestBrowser(admin.server).get(String(other))
            #expect(reply.status == 400, "\(other)")
        }
    }
}
