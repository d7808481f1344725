import PorticoBackend
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// The table of docs/decisions/0030 row by row, in a real Chromium; mail comes from a real mail
/// server.
@Suite(
    "End to end: a second sign-in method",
    .serialized,
    .sharesBrowsers,
    .enabled(if: MailServer.isPossible, "needs TEST_SMTPD")
)
struct LinkingWalkTests {
    @Test(
        "decision 0030, known: a known person signs in, and an identity is never moved",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func known(scripts: Bool) async throws {
        try await PostedWalk.run(scripts) { walk, post in
            try await walk.register("google", as: .ben)
            let account = try #require(try await post.server.accounts().first)
            try await walk.signOut()
            try await walk.signIn("google", as: .ben)
            try await walk.expect("You’re signed in")
            #expect(try await post.server.accounts().map(\.id) == [account.id])

            // Another person, who has added Facebook's Paul.
            try await walk.signOut()
            try await walk.register("google", as: .layla)
            try await walk.open("/account/ways")
            try await walk.press("facebook")
            try await walk.prove(by: post.code)
            try await walk.expect("Sign-in methods")
            try await walk.press("facebook")
            try await walk.be(.paul, at: "facebook")
            try await walk.expect("Sign-in methods")
            #expect(
                try await post.next().headers["subject"] == "Facebook was added to your account"
            )

            // It belongs to another account: nothing is moved, and the way there is offered.
            try await walk.signOut()
            try await walk.signIn("google", as: .ben)
            try await walk.expect("You’re signed in")
            try await walk.open("/account/ways")
            try await walk.press("facebook")
            try await walk.prove(by: post.code)
            try await walk.expect("Sign-in methods")
            try await walk.press("facebook")
            try await walk.be(.paul, at: "facebook")
            try await walk.expect("Error: That Facebook account is already used")
            #expect(try await walk.says("It stays connected to that account."))
            try await walk.press("switch")
            try await walk.expect("Sign in to Example")
            try await walk.start("facebook")
            try await walk.be(.paul, at: "facebook")
            try await walk.expect("Sign-in methods")
            #expect(try await post.ways(of: "ben@example.org") == ["google"])
            #expect(try await post.ways(of: "layla@example.com") == ["google", "facebook"])
            #expect(try await post.isEmpty())
        }
    }

    @Test(
        "decision 0030, adding a way: it asks for a recent proof, adds it, and a mail tells of it",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func added(scripts: Bool) async throws {
        try await PostedWalk.run(scripts) { walk, post in
            // Just signed in; but Google may have asked no one.
            try await walk.register("google", as: .ben)
            try await walk.open("/account/ways")
            try await walk.press("facebook")
            try await walk.expect("Confirm it’s you")
            #expect(try await walk.says("Before you add a sign-in method"))
            try await walk.prove(by: post.code)
            try await walk.expect("Sign-in methods")
            try await walk.press("facebook")
            // Another tab's confirmation does not count for a person who stops here.
            try await walk.atProvider()
            try await walk.browser.click("button[name=cancel]")
            try await walk.expect("Error: Sign-in methods")
            #expect(try await walk.says("You stopped signing in"))
            #expect(try await post.ways(of: "ben@example.org") == ["google"])
            try await walk.press("facebook")
            try await walk.be(.paul, at: "facebook")
            try await walk.expect("Sign-in methods")
            #expect(try await walk.says("Facebook has been added."))
            let mail = try await post.next()
            #expect(mail.to == ["ben@example.org"])
            #expect(mail.headers["subject"] == "Facebook was added to your account")
            #expect(mail.defects.isEmpty)
        }
    }

    @Test(
        "decision 0030, vouched for at one: it asks, also with auto, and the old way proves it with a code",
        .needs(.chromium),
        arguments: [AccountRules.Linking.ask, .auto],
        Scripts.on
    )
    func vouched(_ linking: AccountRules.Linking, scripts: Bool) async throws {
        try await PostedWalk.run(scripts, linking) { walk, post in
            try await walk.register("apple", as: .ann)
            try await walk.signOut()
            try await walk.signIn("google", as: .ann)
            try await walk.expect("You already have an account")
            #expect(try await walk.says("Sign in with Apple, as usual."))
            #expect(try await post.ways(of: "ann@example.com") == ["apple"])
            try await walk.press("apple")
            try await walk.be(.ann, at: "apple")
            try await walk.prove(by: post.code)
            try await walk.expect("Add Google to this account?")
            try await walk.press("add")
            try await walk.expect("You’re signed in")
            #expect(try await post.ways(of: "ann@example.com") == ["apple", "google"])
            #expect(try await post.next().headers["subject"] == "Google was added to your account")
        }
    }

    @Test(
        "decision 0030, proven at both: auto asks nothing",
        .needs(.chromium),
        arguments: [AccountRules.Linking.ask, .auto],
        Scripts.on
    )
    func proven(_ linking: AccountRules.Linking, scripts: Bool) async throws {
        try await PostedWalk.run(scripts, linking) { walk, post in
            try await walk.signIn("facebook", as: .ann)
            try await walk.expect("Welcome")
            try await walk.press("save")
            try await walk.expect("Enter the code")
            try await walk.browser.type(try await post.code(), into: "#code")
            try await walk.press("confirm")
            try await walk.expect("Personal details")
            try await walk.signOut()
            try await walk.signIn("google", as: .ann)
            guard linking == .auto else {
                try await walk.expect("You already have an account")
                #expect(try await post.ways(of: "ann@example.com") == ["facebook"])
                return
            }
            try await walk.expect("You’re signed in")
            #expect(try await post.ways(of: "ann@example.com") == ["facebook", "google"])
            #expect(try await post.next().headers["subject"] == "Google was added to your account")
        }
    }

    @Test(
        "decision 0030, Google without authority: even auto asks about an address that Google does not own",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func withoutAuthority(scripts: Bool) async throws {
        try await PostedWalk.run(scripts, .auto) { walk, post in
            try await walk.register("keycloak", as: .ben)
            try await walk.signOut()
            try await walk.signIn("google", as: .ben)
            try await walk.expect("You already have an account")
            try await walk.press("keycloak")
            try await walk.be(.ben, at: "keycloak")
            try await walk.expect("Add Google to this account?")
            try await walk.press("cancel")
            try await walk.expect("Error: Sign in to Example")
            #expect(try await walk.says("You stopped signing in"))
            #expect(try await post.ways(of: "ben@example.org") == ["keycloak"])
            #expect(try await post.isEmpty())
        }
    }

    @Test(
        "decision 0030, not proven here: the mailbox decides, and the previous owner is signed out",
        .needs(.chromium),
        arguments: ["facebook", "keycloak"],
        Scripts.on
    )
    func preRegistration(_ provider: String, scripts: Bool) async throws {
        try await PostedWalk.run(scripts) { attacker, post in
            // Facebook vouches for no address; the other one for an address that it does not own.
            try await attacker.register(provider, as: .ann)
            try await attacker.elsewhere { owner in
                try await owner.signIn("google", as: .ann)
                try await owner.expect("You already have an account")
                #expect(try await owner.says("Using the code removes"))
                try await owner.press("mailbox")
                try await owner.expect("Enter the code")
                try await owner.browser.type(try await post.code(), into: "#code")
                try await owner.press("confirm")
                try await owner.expect("You’re signed in")
                #expect(try await post.ways(of: "ann@example.com") == ["google"])
            }
            try await attacker.open("/dashboard")
            try await attacker.expect("Sign in to Example")
            // What was theirs opens nothing any more.
            try await attacker.signIn(provider, as: .ann, at: "/login?prompt=login")
            try await attacker.expect("You already have an account")
        }
    }

    @Test(
        "decision 0030, unverified or missing there: a new account, and no question about another",
        .needs(.chromium),
        arguments: [("google", StandInPerson.uma), ("facebook", .paul)],
        Scripts.on
    )
    func unmatched(_ row: (provider: String, person: StandInPerson), scripts: Bool) async throws {
        try await PostedWalk.run(scripts) { walk, post in
            try await walk.register(row.provider == "google" ? "apple" : "google", as: .ann)
            try await walk.signOut()
            try await walk.signIn(row.provider, as: row.person)
            try await walk.expect("Welcome")
            #expect(try await post.server.accounts().count == 2)
            // An address is asked for, and is worth something once its mailbox has answered.
            if row.person.email == nil {
                #expect(try await walk.says("We didn’t get an email address."))
            }
            try await walk.browser.type("other@example.org", into: "#email")
            try await walk.press("save")
            try await walk.expect("Enter the code")
            let mail = try await post.next()
            #expect(mail.to == ["other@example.org"])
            try await walk.browser.type(try post.code(in: mail), into: "#code")
            try await walk.press("confirm")
            try await walk.expect("Personal details")
            #expect(try await walk.says("Confirmed."))
            #expect(try await post.ways(of: "other@example.org") == [row.provider])
        }
    }
}

/// The other rows of the table: those in which a provider's word on an address counts for little.
@Suite(
    "End to end: proof before a second sign-in method",
    .serialized,
    .sharesBrowsers,
    .enabled(if: MailServer.isPossible, "needs TEST_SMTPD")
)
struct LinkingProofWalkTests {
    @Test(
        "decision 0030, Facebook: its address is never taken for verified; the old way or the mailbox proves it",
        .needs(.chromium),
        arguments: ["google", "mailbox"],
        Scripts.on
    )
    func facebook(_ proof: String, scripts: Bool) async throws {
        try await PostedWalk.run(scripts) { walk, post in
            try await walk.register("google", as: .ann)
            try await walk.signOut()
            try await walk.signIn("facebook", as: .ann)
            try await walk.expect("You already have an account")
            #expect(try await walk.browser.text("button[value=mailbox]").contains("a…@example.com"))
            try await walk.press(proof)
            if proof == "google" {
                try await walk.be(.ann, at: "google")
                try await walk.prove(by: post.code)
                try await walk.expect("Add Facebook to this account?")
                try await walk.press("add")
            } else {
                try await walk.expect("Enter the code")
                let code = try await post.code()
                // Wrong once, and then as people copy it.
                try await walk.browser.type("000000", into: "#code")
                try await walk.press("confirm")
                try await walk.expect("Error: Enter the code")
                #expect(try await walk.browser.focusedName() == "That code didn’t work")
                let spaced = code.prefix(3) + " " + code.suffix(3)
                try await walk.browser.type(String(spaced), into: "#code")
                try await walk.press("confirm")
            }
            try await walk.expect("You’re signed in")
            #expect(try await post.ways(of: "ann@example.com") == ["google", "facebook"])
            #expect(
                try await post.next().headers["subject"] == "Facebook was added to your account"
            )
        }
    }

    @Test(
        "decision 0030, Apple's relay: asked before an account is made, and joined to the one that is there",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func relay(scripts: Bool) async throws {
        try await PostedWalk.run(scripts) { walk, post in
            try await walk.register("google", as: .ben)
            try await walk.signOut()
            try await walk.signIn("apple", as: .rea)
            try await walk.expect("Do you already have an account with Example?")
            #expect(try await post.server.accounts().count == 1)
            try await walk.press("link")
            try await walk.expect("Sign in to Example")
            try await walk.start("google")
            try await walk.be(.ben, at: "google")
            try await walk.prove(by: post.code)
            try await walk.expect("Add Apple to this account?")
            #expect(try await walk.browser.text(".account").contains("ben@example.org"))
            try await walk.press("add")
            try await walk.expect("You’re signed in")
            #expect(try await post.ways(of: "ben@example.org") == ["google", "apple"])
            #expect(try await post.next().headers["subject"] == "Apple was added to your account")
            try await walk.signOut()
            try await walk.signIn("apple", as: .rea)
            try await walk.expect("You’re signed in")
        }
    }

    @Test(
        "decision 0030, two matches: the one that is proven is signed in to, and the operator is told",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func twoMatches(scripts: Bool) async throws {
        try await PostedWalk.run(scripts) { walk, post in
            // Two accounts that say the same address, neither of which has proven it.
            post.server.standIns.setPeople([.paul, .ann, .ben], at: .facebook)
            try await walk.register("facebook", as: .ann)
            try await walk.signOut()
            try await walk.signIn("google", as: .uma)
            try await walk.expect("Welcome")
            try await walk.press("later")
            try await walk.expect("You’re signed in")
            try await walk.signOut()
            #expect(try await post.server.accounts().count == 2)

            try await walk.signIn("apple", as: .ann)
            try await walk.expect("You already have an account")
            for way in ["facebook", "google", "mailbox", "separate"] {
                _ = try await walk.browser.text("button[value=\(way)]")
            }
            let lines = post.server.log.split(separator: "\n")
            #expect(lines.count { $0.contains("accounts.same_address") } == 1)
            try await walk.press("google")
            try await walk.be(.uma, at: "google")
            try await walk.prove(by: post.code)
            try await walk.expect("Add Apple to this account?")
            #expect(try await walk.browser.text(".account").contains("Uma Unverified"))
            try await walk.press("add")
            try await walk.expect("You’re signed in")
            #expect(try await walk.browser.text(".account").contains("Uma Unverified"))
            #expect(try await post.server.accounts().count == 2)
        }
    }

    @Test(
        "decision 0030, SEED-ADR-2: the program itself sends the code that proves a mailbox, and the notice",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func program(scripts: Bool) async throws {
        let mails = try await MailServer()
        let settings = [
            "--mail-smtp", "smtp://127.0.0.1:\(mails.port)",
            "--mail-from", "Example <portico@example.com>",
        ]
        try await Stage.run(settings) { stage in
            try await SharedBrowsers.use(.chromium, scripts: scripts, at: stage.origin) { browser in
                let walk = Walk(browser: browser, origin: stage.origin, scripts: scripts)
                try await walk.register("google", as: .ben)
                try await walk.signOut()
                try await walk.signIn("facebook", as: .ben)
                try await walk.expect("You already have an account")
                try await walk.press("mailbox")
                try await walk.expect("Enter the code")
                let mail = try await mails.mail(0)
                #expect(mail.to == ["ben@example.org"])
                #expect(mail.headers["from"] == "Example <portico@example.com>")
                try await walk.browser.type(try PostedWalk.code(in: mail), into: "#code")
                try await walk.press("confirm")
                try await walk.expect("You’re signed in")
                let notice = try await mails.mail(1)
                #expect(notice.headers["subject"] == "Facebook was added to your account")
                #expect(notice.to == ["ben@example.org"])
            }
        }
    }
}
