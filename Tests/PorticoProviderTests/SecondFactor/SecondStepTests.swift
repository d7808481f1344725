import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("The second step of a sign-in") struct SecondStepTests {
    private let scene: SecondStepScene
    private let browser: TestBrowser

    init() async throws {
        scene = try await SecondStepScene()
        browser = TestBrowser(scene.server)
    }

    @Test("decision 0050: the password begins nothing; the code does, in one transaction")
    func code() async throws {
        let server = scene.server
        let browser = TestBrowser(server)
        let before = try await server.remains()
        let page = try await scene.asked(browser)
        #expect(page.status == 200)
        #expect(page.text.contains(#"autocomplete="one-time-code""#))
        #expect(page.text.contains(#"inputmode="numeric""#))
        #expect(try await server.remains().sessions == before.sessions)
        #expect(!server.log.contains("event=sign_in.ok"))
        let writes = server.database.database.commitCounts.writes
        let answer = try await browser.submit(page, [("code", scene.code)])
        let tokens = try await server.redeem(expectCode(answer))
        #expect(server.database.database.commitCounts.writes == writes + 2, "and the redemption")
        let claims = try tokens.claims
        #expect(claims.strings("amr") == ["pwd", "otp"])
        #expect(try await scene.used(.totp) == server.clock.seconds / 30)
        #expect(server.log.contains("event=sign_in.ok"))
    }

    @Test("RFC 8176 §2: without a second factor `amr` is the password, and `acr` is the same")
    func without() async throws {
        let bob = try await scene.server.tokens("bob").claims
        #expect(bob.strings("amr") == ["pwd"])
        let answer = try await browser.submit(scene.asked(browser), [("code", scene.code)])
        #expect(try await scene.server.redeem(expectCode(answer)).claims["acr"] == bob["acr"])
    }

    @Test("decision 0050: what is kept for an export only is not asked for")
    func other() async throws {
        let scene = try await SecondStepScene(kinds: [.other])
        expectCode(try await TestBrowser(scene.server).signIn("alice", SecondStepScene.request))
    }

    @Test("RFC 6238 §5.2: a code is right once, and so is none from before it")
    func once() async throws {
        let (one, two) = (TestBrowser(scene.server), TestBrowser(scene.server))
        let first = try await scene.asked(one)
        let second = try await scene.asked(two)
        expectCode(try await one.submit(first, [("code", scene.code)]))
        for code in [scene.code, scene.code(-1)] {
            let again = try await two.submit(second, [("code", code)])
            expectAsked(again)
            #expect(again.text.contains("already been used"))
        }
        #expect(try await scene.server.remains().sessions == 1)
        scene.server.clock.advance(by: 30)
        expectCode(try await two.submit(second, [("code", scene.code)]))
    }

    @Test("RFC 6238 §5.2: of many uses at once exactly one begins a session", arguments: 1...10)
    func race(_ round: Int) async throws {
        let kinds = [scene.code, scene.recoveryCodes[round % 12]]
        for code in kinds {
            let before = try await scene.server.remains().sessions
            var asked: [(TestBrowser, Reply)] = []
            for _ in 0..<5 {
                let browser = TestBrowser(scene.server)
                asked.append((browser, try await scene.asked(browser)))
            }
            let answers = try await withThrowingTaskGroup(of: Reply.self) { group in
                for (browser, page) in asked {
                    group.addTask { try await browser.submit(page, [("code", code)]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.redirected["code"] != nil } == 1)
            #expect(try await scene.server.remains().sessions == before + 1)
            scene.server.clock.advance(by: 900)
        }
    }

    @Test(
        "decision 0050: the next period's code is right where a realm from Keycloak allows it",
        arguments: [(0, false), (1, true), (5, true)] as [(Int64, Bool)]
    )
    func lookAhead(window: Int64, isRight: Bool) async throws {
        let scene = try await SecondStepScene { new in
            new.realm.codeDrift = window
        }
        let browser = TestBrowser(scene.server)
        let answer = try await browser.submit(scene.asked(browser), [("code", scene.code(1))])
        #expect((answer.redirected["code"] != nil) == isRight)
        #expect(try await scene.server.remains().sessions == (isRight ? 1 : 0))
    }

    @Test("decision 0050: each recovery code is right once, in any spelling")
    func recovery() async throws {
        var page = try await scene.asked(browser)
        page = try await browser.submit(page, [("action", "recovery")])
        expectAsked(page)
        #expect(page.text.contains("Recovery code"))
        #expect(!page.text.contains("inputmode"))
        let code = scene.recoveryCodes[4].lowercased()
        let spaced = [code.prefix(4), code.dropFirst(4)].joined(separator: "-")
        let answer = try await browser.submit(page, [("code", spaced)])
        let tokens = try await scene.server.redeem(expectCode(answer))
        #expect(try tokens.claims.strings("amr") == ["pwd", "otp"])
        #expect(try await scene.used(.recoveryCodes) == 1 << 4)
        #expect(try await scene.used(.totp) == 0)
        let second = TestBrowser(scene.server)
        page = try await scene.asked(second)
        page = try await second.submit(page, [("action", "recovery")])
        page = try await second.submit(page, [("code", code)])
        expectAsked(page)
        #expect(page.text.contains("Enter another one"))
        page = try await second.submit(page, [("action", "app")])
        #expect(page.text.contains("inputmode"))
        expectCode(try await second.submit(page, [("code", scene.recoveryCodes[5])]))
    }

    @Test("decision 0050: one that cannot be checked is asked for, and no code is right")
    func broken() async throws {
        let scene = try await SecondStepScene(
            kinds: [.totp],
            parameters: ["digits": 6, "period": 30, "algorithm": "HmacMD5"]
        )
        let browser = TestBrowser(scene.server)
        expectAsked(try await browser.submit(scene.asked(browser), [("code", scene.code)]))
        #expect(try await scene.server.remains().sessions == 0)
    }

    @Test("RFC 6238 §5.2: a wrong code, none, and more than one are told, and open nothing")
    func wrong() async throws {
        let page = try await scene.asked(browser)
        for (typed, told) in [
            (scene.wrong, "Incorrect code"), ("", "Enter the code"),
            (String(repeating: "9", count: 900), "Incorrect code"), ("e\u{301}", "Incorrect code"),
        ] {
            let again = try await browser.submit(page, [("code", typed)])
            expectAsked(again)
            #expect(again.text.contains(told))
        }
        #expect(!browser.cookies.keys.contains { $0.contains("session") })
        #expect(scene.server.log.contains("event=sign_in.second_step_failed"))
        #expect(!scene.server.log.contains(scene.wrong))
        expectCode(try await browser.submit(page, [("code", scene.code)]))
    }

    @Test("decision 0050: sign-in again asks for both again")
    func again() async throws {
        expectCode(try await browser.submit(scene.asked(browser), [("code", scene.code)]))
        let second = try await browser.signIn("alice", TestFlow.again)
        expectAsked(second)
        scene.server.clock.advance(by: 30)
        expectCode(try await browser.submit(second, [("code", scene.code)]))
        #expect(try await scene.server.remains().sessions == 1)
    }

    @Test("WEB-PW-7: a new password by mail is no second factor")
    func reset() async throws {
        let scene = try await SecondStepScene(sendsMail: true)
        let browser = TestBrowser(scene.server)
        let forgot = try await browser.get("/realms/test/login-actions/reset-credentials")
        _ = try await browser.submit(forgot, [("email", "alice@example.com"), ("action", "send")])
        let choosing = try await browser.get(try await scene.server.link())
        let password = "another long pass phrase 1"
        _ = try await browser.submit(choosing, [("password", password)])
        let page = try await browser.authorize(SecondStepScene.request)
        let next = try await browser.submit(page, [("username", "alice"), ("password", password)])
        expectAsked(next)
        #expect(try await scene.server.remains().sessions == 0)
        expectCode(try await browser.submit(next, [("code", scene.code)]))
    }

    @Test("decision 0050: a password that must be replaced can be only after the code")
    func demanded() async throws {
        let scene = try await SecondStepScene { new in
            new.people[0].person.requiredActions = [RequiredAction.updatePassword]
        }
        let browser = TestBrowser(scene.server)
        let page = try await scene.asked(browser)
        expectAsked(try await browser.submit(page, [("code", scene.wrong)]))
        let reply = try await browser.submit(page, [("code", scene.code)])
        let location = try #require(reply.location)
        #expect(location.hasPrefix("/realms/test/login-actions/new-password?key="))
        #expect(try await scene.used(.totp) == scene.server.clock.seconds / 30)
        #expect(try await scene.server.remains().sessions == 0)
        // The same form, by a second click, leads there as well; the code opens nothing else.
        #expect(try await browser.submit(page, [("code", scene.code)]).location == location)
        let refused = try await browser.submit(scene.asked(browser), [("code", scene.code)])
        expectAsked(refused)
        #expect(refused.text.contains("already been used"))
    }

    @Test("decision 0050: the account's own pages ask for it, too")
    func account() async throws {
        let page = try await browser.get("/realms/test/account/apps")
        let alice = TestRealm.login()
        let asked = try await browser.submit(page, alice)
        expectAsked(asked)
        #expect(asked.formAction == "/realms/test/account/sign-in")
        let apps = "/realms/test/account/apps"
        #expect(try await !browser.get(apps).text.contains("account/devices"))
        #expect(try await browser.submit(asked, [("code", scene.code)]).location == apps)
        #expect(try await browser.get(apps).text.contains("account/devices"))
    }
}
