import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Attacks on the second step") struct SecondStepAttackTests {
    private let scene: SecondStepScene
    private let browser: TestBrowser

    init() async throws {
        scene = try await SecondStepScene()
        browser = TestBrowser(scene.server)
    }

    private static func proof(_ page: Reply) -> String {
        page.hiddenFields.first { $0.name == "proof" }?.value ?? ""
    }

    /// The password is asked for again, and nothing began.
    private func expectLost(
        _ reply: Reply,
        _ scene: SecondStepScene,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(reply.text.contains(#"name="password""#), sourceLocation: location)
        #expect(reply.redirected["code"] == nil, sourceLocation: location)
        #expect(try await scene.server.remains().sessions == 0, sourceLocation: location)
        #expect(try await scene.used(.totp) == 0, sourceLocation: location)
    }

    @Test("WEB-BRUTE-1: five wrong codes in a quarter of an hour, from any address and browser")
    func guessing() async throws {
        for number in 1...5 {
            let browser = TestBrowser(scene.server, from: "192.0.2.\(number)")
            let again = try await browser.submit(scene.asked(browser), [("code", scene.wrong)])
            #expect(again.text.contains("Incorrect code"))
        }
        let browser = TestBrowser(scene.server, from: "198.51.100.1")
        let page = try await scene.asked(browser)
        for code in [scene.wrong, scene.code, scene.recoveryCodes[0]] {
            let again = try await browser.submit(page, [("code", code)])
            expectAsked(again)
            #expect(again.status == 429)
            #expect(again.headers[.retryAfter] == "180")
            #expect(again.text.contains("Too many tries"))
        }
        #expect(try await scene.used(.totp) == 0)
        #expect(try await scene.used(.recoveryCodes) == 0)
        // Others are not held up.
        expectCode(try await TestBrowser(scene.server).signIn("bob", SecondStepScene.request))
        // One more after three minutes, and no more than that.
        scene.server.clock.advance(by: 180)
        #expect(try await browser.submit(page, [("code", scene.wrong)]).status == 200)
        #expect(try await browser.submit(page, [("code", scene.code)]).status == 429)
        scene.server.clock.advance(by: 180)
        expectCode(try await browser.submit(page, [("code", scene.code)]))
    }

    @Test("WEB-BRUTE-1: right codes do not count, and do not clear what does")
    func rightCodes() async throws {
        for _ in 1...4 {
            let browser = TestBrowser(scene.server)
            _ = try await browser.submit(scene.asked(browser), [("code", scene.wrong)])
        }
        for code in scene.recoveryCodes.prefix(6) {
            let browser = TestBrowser(scene.server)
            expectCode(try await browser.submit(scene.asked(browser), [("code", code)]))
        }
        let page = try await scene.asked(browser)
        #expect(try await browser.submit(page, [("code", scene.wrong)]).status == 200)
        #expect(try await browser.submit(page, [("code", scene.code)]).status == 429)
    }

    @Test("WEB-BRUTE-1: a code that was used before counts as a wrong one")
    func usedCodes() async throws {
        let first = TestBrowser(scene.server)
        expectCode(try await first.submit(scene.asked(first), [("code", scene.code)]))
        let asked = try await scene.asked(browser)
        for _ in 1...5 {
            #expect(try await browser.submit(asked, [("code", scene.code)]).status == 200)
        }
        #expect(try await browser.submit(asked, [("code", scene.code)]).status == 429)
    }

    @Test("decision 0050: a proof is for the browser that it was made in")
    func otherBrowser() async throws {
        let mine = try await scene.asked(TestBrowser(scene.server))
        let other = TestBrowser(scene.server)
        let page = try await other.authorize(SecondStepScene.request)
        let reply = try await other.submit(
            page,
            [("proof", Self.proof(mine)), ("code", scene.code)]
        )
        try await expectLost(reply, scene)
    }

    @Test("decision 0050: a proof is for the browser, for a page of the account too")
    func otherBrowserOfAccount() async throws {
        func asked(_ browser: TestBrowser) async throws -> Reply {
            let page = try await browser.get("/realms/test/account/apps")
            let password = TestRealm.passwords["alice"] ?? ""
            return try await browser.submit(page, [("username", "alice"), ("password", password)])
        }
        let mine = try await asked(browser)
        expectAsked(mine)
        let other = TestBrowser(scene.server)
        let page = try await other.get("/realms/test/account/apps")
        let form = [("proof", Self.proof(mine)), ("code", scene.code)]
        try await expectLost(try await other.submit(page, form), scene)
        #expect(try await browser.submit(mine, form).location == "/realms/test/account/apps")
    }

    @Test("decision 0050: a proof is for the request, or the account page, that it was made for")
    func otherRequest() async throws {
        let mine = try await scene.asked(browser)
        for path in [
            TestBrowser.authorizationPath(TestFlow.request("web1")),
            "/realms/test/account/apps",
        ] {
            let page = try await browser.get(path)
            let reply = try await browser.submit(
                page,
                [("proof", Self.proof(mine)), ("code", scene.code)]
            )
            try await expectLost(reply, scene)
        }
    }

    @Test("decision 0050: a proof lasts ten minutes", arguments: [(599.0, true), (602.0, false)])
    func late(after seconds: Double, isGood: Bool) async throws {
        let page = try await scene.asked(browser)
        scene.server.clock.advance(by: seconds)
        let reply = try await browser.submit(page, [("code", scene.code)])
        if isGood {
            expectCode(reply)
        } else {
            try await expectLost(reply, scene)
            #expect(reply.text.contains("took too long"))
        }
    }

    /// What ends a proof.
    enum Change: CaseIterable {
        case password, disabled, signedOut, deleted, noFactor, rehashed
    }

    @Test(
        "decision 0050: a proof is void once the person, the password or the factor has changed",
        arguments: Change.allCases
    )
    func changed(_ change: Change) async throws {
        let page = try await scene.asked(browser)
        let people = scene.server.database.people
        var person = try await scene.server.person().person
        let now = scene.server.clock.seconds
        switch change {
        case .password:
            let same = try await TestRealm.hash(of: TestRealm.passwords["alice"] ?? "")
            _ = try await people.setPassword(same, of: person.id, at: now)
        case .disabled:
            person.isEnabled = false
            _ = try await people.update(person)
        case .signedOut:
            person.notBefore = now
            _ = try await people.update(person)
        case .deleted:
            _ = try await people.deletePerson(id: person.id, realmID: person.realmID)
        case .noFactor:
            for factor in try await people.secondFactors(of: person.id, realmID: person.realmID) {
                _ = try await people.removeCredential(id: factor.id, of: person.id)
            }
        case .rehashed:
            let other = try await TestRealm.hash(of: "another long pass phrase 1")
            let id = person.id
            try await scene.server.database.database.write { transaction in
                _ = try transaction.run(
                    "UPDATE people SET password_hash = $1 WHERE id = $2",
                    [.text(other.encoded), .text(id)]
                )
            }
        }
        let reply = try await browser.submit(page, [("code", scene.code)])
        #expect(reply.text.contains(#"name="password""#))
        #expect(reply.redirected["code"] == nil)
        #expect(try await scene.server.remains().sessions == 0)
    }

    @Test("decision 0050: no proof, another realm's seal, and another seal of ours open nothing")
    func forged() async throws {
        let page = try await browser.authorize(SecondStepScene.request)
        let sealed = page.hiddenFields.first { $0.name == "request" }?.value ?? ""
        for proof in ["", "x", sealed, String(repeating: "A", count: 5000)] {
            let reply = try await browser.submit(page, [("proof", proof), ("code", scene.code)])
            try await expectLost(reply, scene)
        }
        // Without one the password is asked for, whatever code comes with it.
        let reply = try await browser.submit(page, [("username", "alice"), ("code", scene.code)])
        try await expectLost(reply, scene)
    }

    @Test("RFC 6749 §10.12: the form of the second step is bound as the first one is")
    func forgedForm() async throws {
        let page = try await scene.asked(browser)
        #expect(
            try await browser.submit(page, [("code", scene.code), ("csrf", "x")]).status == 403
        )
        #expect(try await scene.used(.totp) == 0)
        let twice = try await browser.submit(page, [("code", scene.wrong), ("code", scene.code)])
        #expect(twice.status == 400)
        #expect(try await scene.server.remains().sessions == 0)
    }

    @Test("decision 0050: another person's code is not mine")
    func otherPerson() async throws {
        let scene = try await SecondStepScene { new in
            let secret = SecretText(#"{"value":"another secret of bob"}"#)
            let bob = new.people[1].person.id
            new.people[1].credentials = [SecondStepScene.factor(of: bob, secret)]
        }
        let browser = TestBrowser(scene.server)
        let page = try await browser.signIn("bob", SecondStepScene.request)
        expectAsked(page)
        // He has no recovery codes, so none are offered.
        #expect(!page.text.contains(#"value="recovery""#))
        for code in [scene.code, scene.recoveryCodes[0]] {
            expectAsked(try await browser.submit(page, [("code", code)]))
        }
        #expect(try await scene.server.remains().sessions == 0)
        #expect(try await scene.used(.totp) == 0)
    }
}
