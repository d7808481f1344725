import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport

/// The account pages of a realm on which second factors are set up.
extension PageWalk {
    static let secondFactors: [PageWalk] =
        [
            list("none") { visit in visit.page },
            PageWalk(SecondFactorsPage.self, "demanded") { walker in
                try await demanded(walker).page
            },
            PageWalk(AppAddedPage.self, "added") { walker in
                let visit = try await Visit(walker, try await ProviderUnderTest())
                return try await visit.added(visit.page)
            },
            list("added") { visit in
                let one = try await visit.added(visit.page)
                _ = try await visit.browser.press(one, [("action", "codes")])
                return try await visit.added(try await visit.browser.get(Visit.path))
            },
            PageWalk(SecondFactorsPage.self, "added, on the way to an app") { walker in
                let visit = try await demanded(walker, withCodes: true)
                return try await visit.added(visit.page)
            },
            list("two apps and codes") { visit in
                let one = try await visit.added(visit.page)
                let two = try await visit.added(one)
                let shown = try await visit.browser.press(two, [("action", "codes")])
                let code = shown.text.firstMatch(of: /[2-9A-Z]{4}(-[2-9A-Z]{4}){2}/)?.0 ?? ""
                let other = TestBrowser(visit.server)
                let asked = try await other.signIn("alice", TestFlow.request())
                _ = try await other.press(asked, [("code", String(code))])
                return try await visit.browser.get(Visit.path)
            },
            list("removed") { visit in
                _ = try await visit.added(visit.page)
                let page = try await visit.browser.get(Visit.path)
                let id = page.hiddenFields.first { $0.name == "id" }?.value ?? ""
                return try await visit.browser.press(page, [("action", "remove"), ("id", id)])
            },
            PageWalk(SecondFactorsPage.self, "codes alone") { walker in
                let made = RecoveryCodes.make(.system)
                let server = try await ProviderUnderTest { new in
                    new.people[0].add(.recoveryCodes, made.parameters, made.secret, 0x3FF)
                }
                return try await Visit(walker, server, code: made.codes[10]).page
            },
            PageWalk(SecondFactorsPage.self, "full") { walker in
                let secret = SecretText(#"{"value":"d9TWI6sTaqt0CNLc7qrE"}"#)
                let server = try await ProviderUnderTest { new in
                    for _ in 1...10 { new.people[0].add(.totp, [:], secret, 0) }
                }
                let app = OneTimePassword([:], secret: secret)
                let code = app?.code(at: server.clock.seconds / 30) ?? ""
                let visit = try await Visit(walker, server, code: code)
                return try await visit.added(visit.page)
            },
            setUp("asked", nil), setUp("missing", ""), setUp("wrong code", "12345"),
            PageWalk(RecoveryCodesPage.self, "made") { walker in
                let visit = try await Visit(walker, try await ProviderUnderTest())
                let page = try await visit.added(visit.page)
                return try await visit.browser.press(page, [("action", "codes")])
            },
            PageWalk(RecoveryCodesPage.self, "made again") { walker in
                let visit = try await Visit(walker, try await ProviderUnderTest())
                let page = try await visit.added(visit.page)
                _ = try await visit.browser.press(page, [("action", "codes")])
                let list = try await visit.browser.get(Visit.path)
                return try await visit.browser.press(list, [("action", "codes")])
            },
        ]

    /// Alice on the page.
    private struct Visit {
        static let path = "/realms/test/account/second-factor"

        let server: ProviderUnderTest
        let browser: TestBrowser
        var page: Reply

        init(_ server: ProviderUnderTest, _ browser: TestBrowser, _ page: Reply) {
            self.server = server
            self.browser = browser
            self.page = page
        }

        init(_ walker: Walker, _ server: ProviderUnderTest, code: String? = nil) async throws {
            let browser = walker.browser(server)
            let form = try await browser.get(Self.path)
            let password = TestRealm.passwords["alice"] ?? ""
            let asked = try await browser.press(
                form,
                [("username", "alice"), ("password", password)]
            )
            if let code { _ = try await browser.press(asked, [("code", code)]) }
            self.init(server, browser, try await browser.get(Self.path))
        }

        /// Adds an app.
        func added(_ page: Reply) async throws -> Reply {
            let setup = try await browser.press(page, [("action", "add")])
            let key = setup.text.firstMatch(of: /otpauth:[^"]*secret=([A-Z2-7]{32})/)?.1 ?? ""
            let app = OneTimePassword(
                key: Base32.decode(String(key)) ?? [],
                digest: .sha1,
                digits: 6,
                period: 30
            )
            let code = app?.code(at: server.clock.seconds / 30) ?? ""
            return try await browser.press(setup, [("action", "confirm"), ("code", code)])
        }
    }

    private static func list(
        _ state: String,
        _ walk: @escaping @Sendable (Visit) async throws -> Reply
    ) -> PageWalk {
        PageWalk(SecondFactorsPage.self, state) { walker in
            try await walk(Visit(walker, try await ProviderUnderTest()))
        }
    }

    private static func setUp(_ state: String, _ typed: String?) -> PageWalk {
        PageWalk(AuthenticatorSetupPage.self, state) { walker in
            let visit = try await Visit(walker, try await ProviderUnderTest())
            let page = try await visit.browser.press(visit.page, [("action", "add")])
            guard let typed else { return page }
            return try await visit.browser.press(
                page,
                [("action", "confirm"), ("code", typed), ("others", "1")]
            )
        }
    }

    /// She comes from an app, and must add one first.
    private static func demanded(_ walker: Walker, withCodes: Bool = false) async throws -> Visit {
        let made = RecoveryCodes.make(.system)
        let server = try await ProviderUnderTest { new in
            new.people[0].person.requiredActions = [RequiredAction.configureTOTP]
            guard withCodes else { return }
            new.people[0].add(.recoveryCodes, made.parameters, made.secret, 0)
        }
        let browser = walker.browser(server)
        var reply = try await browser.signIn("alice", TestFlow.request())
        if withCodes { reply = try await browser.press(reply, [("code", made.codes[0])]) }
        return Visit(server, browser, try await browser.get(reply.location ?? "/"))
    }
}

extension NewPerson {
    fileprivate mutating func add(
        _ kind: Credential.Kind,
        _ parameters: JSONObject,
        _ secret: SecretText,
        _ used: Int64
    ) {
        let id = UniqueID(random: .system).text
        credentials.append(
            Credential(
                id: id,
                personID: person.id,
                kind: kind,
                label: "",
                createdAt: 1_800_000_000_000,
                priority: 0,
                parameters: parameters,
                sealedSecret: CredentialSeal(ring: TestRealm.ring)
                    .seal(secret, of: id, random: .system),
                used: used
            )
        )
    }
}

extension TestBrowser {
    /// Sends a form of a page that has several, with the first of each hidden field.
    fileprivate func press(_ page: Reply, _ fields: [(String, String)]) async throws -> Reply {
        var sent = fields
        for (name, value) in page.hiddenFields where !sent.contains(where: { $0.0 == name }) {
            sent.append((name, value))
        }
        return try await post(page.formAction ?? "/no-form", sent)
    }
}
