import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

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
            try await SharedBrowsers.use(
                .chromium,
                scripts: scripts,
                at: stage.origin
            ) { browser in
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
