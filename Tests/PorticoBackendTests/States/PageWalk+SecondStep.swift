import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport

/// The Provider's page that asks for a second factor.
extension PageWalk {
    static let secondStep: [PageWalk] =
        [
            step("app") { _, page, _ in page },
            step("app, no recovery codes", [.totp]) { _, page, _ in page },
            step("app, code missing") { browser, page, _ in
                try await browser.submit(page, [("code", "")])
            },
            step("app, wrong code") { browser, page, _ in
                try await browser.submit(page, [("code", "12345")])
            },
            step("app, used code") { browser, page, codes in
                _ = try await browser.submit(page, [("code", codes.app)])
                let again = try await browser.signIn(
                    "alice",
                    TestFlow.request("native1", [("prompt", "login")])
                )
                return try await browser.submit(again, [("code", codes.app)])
            },
            step("must wait") { browser, page, _ in
                for _ in 1...5 { _ = try await browser.submit(page, [("code", "12345")]) }
                return try await browser.submit(page, [("code", "12345")])
            },
            step("recovery code") { browser, page, _ in
                try await browser.submit(page, [("action", "recovery")])
            },
            step("recovery code, no app", [.recoveryCodes]) { _, page, _ in page },
            recovery("recovery code missing") { _ in "" },
            recovery("wrong recovery code") { _ in "ABCD EFGH" },
            step("used recovery code") { browser, page, codes in
                _ = try await browser.submit(page, [("code", codes.paper)])
                let again = try await browser.signIn(
                    "alice",
                    TestFlow.request("native1", [("prompt", "login")])
                )
                let other = try await browser.submit(again, [("action", "recovery")])
                return try await browser.submit(other, [("code", codes.paper)])
            },
            PageWalk(SignInPage.self, "took too long") { walker in
                let (browser, page, _, clock) = try await asked(walker, [.totp])
                clock.advance(by: 601)
                return try await browser.submit(page, [("code", "12345")])
            },
        ]

    private struct Codes: Sendable {
        let app: String
        let paper: String
    }

    /// - Parameter walk: From the page that asks for the code.
    private static func step(
        _ state: String,
        _ kinds: [Credential.Kind] = [.totp, .recoveryCodes],
        _ walk: @escaping @Sendable (TestBrowser, Reply, Codes) async throws -> Reply
    ) -> PageWalk {
        PageWalk(SecondStepPage.self, state) { walker in
            let (browser, page, codes, _) = try await asked(walker, kinds)
            return try await walk(browser, page, codes)
        }
    }

    private static func recovery(
        _ state: String,
        _ typed: @escaping @Sendable (Codes) -> String
    ) -> PageWalk {
        step(state) { browser, page, codes in
            let other = try await browser.submit(page, [("action", "recovery")])
            return try await browser.submit(other, [("code", typed(codes))])
        }
    }

    private static func asked(_ walker: Walker, _ kinds: [Credential.Kind]) async throws
        -> (TestBrowser, Reply, Codes, StoppedClock)
    {
        let made = RecoveryCodes.make(.system)
        let secret = SecretText(#"{"value":"d9TWI6sTaqt0CNLc7qrE"}"#)
        let seal = CredentialSeal(ring: TestRealm.ring)
        let server = try await ProviderUnderTest { new in
            for kind in kinds {
                let isApp = kind == .totp
                let id = UniqueID(random: .system).text
                new.people[0].credentials.append(
                    Credential(
                        id: id,
                        personID: new.people[0].person.id,
                        kind: kind,
                        label: "",
                        createdAt: 0,
                        priority: 0,
                        parameters: isApp ? [:] : made.parameters,
                        sealedSecret: seal.seal(
                            isApp ? secret : made.secret,
                            of: id,
                            random: .system
                        )
                    )
                )
            }
        }
        let browser = walker.browser(server)
        let page = try await browser.signIn("alice", TestFlow.request())
        let app = OneTimePassword([:], secret: secret)?.code(at: server.clock.seconds / 30)
        return (browser, page, Codes(app: app ?? "", paper: made.codes[0]), server.clock)
    }
}
