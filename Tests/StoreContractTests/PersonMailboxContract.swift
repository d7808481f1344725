import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoStores

@Suite("PersonMailboxStore", .everyDatabase) struct PersonMailboxContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private static let new = PasswordHash(encoded: "new")
    private static let end = Example.now + 1800

    private func reset(_ number: UInt8 = 1, _ email: String = "Ann@Example.com") -> PasswordReset {
        Example.reset(number, email)
    }

    private func draft(
        _ message: MailDraft.Message = .passwordReset(sealedAddress: "sealed", minutes: 30)
    ) -> MailDraft {
        MailDraft(
            id: Example.fresh(),
            to: nil,
            message: message,
            language: "de",
            service: "Demo",
            createdAt: Example.now
        )
    }

    private func finish(
        _ stores: TestDatabase,
        _ number: UInt8 = 1,
        realm: String = "realm-1",
        at now: Int64 = Example.now
    ) async throws -> PasswordResetOutcome {
        try await stores.mailboxes.finish(
            Example.id(number),
            realmID: realm,
            password: Self.new,
            notice: draft(.passwordChanged),
            at: now
        )
    }

    @Test("a wish is kept with its mail, to the address as the person has it")
    func ask() async throws {
        let mail = draft()
        try await stores.mailboxes.ask(reset(), mail: mail)
        let expected = PasswordResetReading(reset: reset(), person: Example.ann, isUsed: false)
        #expect(try await stores.reset(Example.id(1)) == expected)
        let link = Hash256(of: "link 1")
        #expect(try await stores.mailboxes.reset(link: link, realmID: "realm-1") == expected)
        #expect(try await stores.mailboxes.reset(link: link, realmID: "realm-2") == nil)
        #expect(try await stores.mailboxes.reset(id: Example.id(1), realmID: "realm-2") == nil)
        let queued = try #require(try await stores.outbox.latest(limit: 5).first)
        var sent = mail
        sent.to = "ann@example.com"
        #expect(queued.draft == sent)
        #expect(try await stores.credentials("ann")?.password == Example.password)
        #expect(try await stores.liveByCookie() != nil)
    }

    @Test("if no one may sign in with the address, the request is stored and no mail is sent")
    func nobody() async throws {
        var ann = Example.ann
        ann.isEnabled = false
        _ = try await stores.people.update(ann)
        for (number, email) in [(1, "ann@example.com"), (2, "nobody@example.com")] {
            let wish = reset(UInt8(number), email)
            try await stores.mailboxes.ask(wish, mail: draft())
            let reading = try await stores.reset(wish.id)
            #expect(reading == PasswordResetReading(reset: wish, person: nil, isUsed: false))
            let code = Hash256(of: "code")
            for _ in 1...4 {
                let outcome = try await stores.mailboxes.presentCode(
                    code,
                    of: wish.id,
                    at: Example.now
                )
                #expect(outcome == .wrong)
            }
            let last = try await stores.mailboxes.presentCode(code, of: wish.id, at: Example.now)
            #expect(last == .dead)
            #expect(try await finish(stores, UInt8(number)) == .expired)
        }
        #expect(try await stores.outbox.latest(limit: 5).isEmpty)
    }

    @Test("a newer request replaces the person's older ones, and no one else's")
    func newer() async throws {
        let bob = NewPerson(person: Example.person("bob"), password: Example.password)
        _ = try await stores.people.create(bob)
        try await stores.mailboxes.ask(reset(1), mail: draft())
        try await stores.mailboxes.ask(reset(2, "bob@example.com"), mail: draft())
        try await stores.mailboxes.ask(reset(3), mail: draft())
        #expect(try await finish(stores, 1) == .expired)
        #expect(try await stores.reset(Example.id(1)) == nil)
        #expect(try await finish(stores, 2) == .changed)
        #expect(try await finish(stores, 3) == .changed)
    }

    @Test(
        "WEB-SESS-6: the new password ends sessions and grants, verifies the address and queues the notice"
    )
    func finished() async throws {
        var offline = Example.grant()
        offline.isOffline = true
        #expect(try await stores.redeem(offline) == .redeemed)
        try await stores.mailboxes.ask(reset(), mail: draft())
        #expect(try await finish(stores) == .changed)
        #expect(try await stores.credentials("ann")?.password == Self.new)
        #expect(try await stores.credentials("ann")?.person.isEmailVerified == true)
        #expect(try await stores.liveByCookie() == nil)
        #expect(try await stores.reading(offline.id, at: Example.now)?.isLive == false)
        let notice = try #require(
            try await stores.outbox.latest(limit: 5).first {
                // The address was not proven before.
                $0.draft.message == .accountReclaimed
            }
        )
        #expect(notice.draft.to == "ann@example.com")
        #expect(try await finish(stores) == .used)
        #expect(try await stores.reset(Example.id(1))?.isUsed == true)
        #expect(try await stores.outbox.latest(limit: 5).count == 2)
    }

    @Test("whom a session was open with is told when a new password ends it")
    func tellsClients() async throws {
        var client = Example.client
        client.backchannelLogoutURI = HTTPAddress("https://notes.example/logout")
        _ = try await stores.realms.update(client)
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        try await stores.mailboxes.ask(reset(), mail: draft())
        #expect(try await finish(stores) == .changed)
        let told = try await stores.claim()
        #expect(told.map(\.sessionID) == ["session-1"])
    }

    @Test("a wish is over in time, in another realm, and when the address is the person's no more")
    func over() async throws {
        try await stores.mailboxes.ask(reset(), mail: draft())
        #expect(try await finish(stores, at: Self.end) == .expired)
        #expect(try await finish(stores, realm: "realm-2") == .expired)
        #expect(try await finish(stores, 9) == .expired)
        var ann = Example.ann
        ann.email = "ann@new.example"
        _ = try await stores.people.update(ann)
        #expect(try await finish(stores) == .expired)
        ann.email = "ann@example.com"
        ann.isEnabled = false
        _ = try await stores.people.update(ann)
        #expect(try await finish(stores) == .expired)
        #expect(try await stores.credentials("ann")?.password == Example.password)
        ann.isEnabled = true
        _ = try await stores.people.update(ann)
        #expect(try await finish(stores, at: Self.end - 1) == .expired, "nothing is revived")
        try await stores.mailboxes.ask(reset(2), mail: draft())
        #expect(try await finish(stores, 2, at: Self.end - 1) == .changed)
    }

    @Test("of any number of concurrent calls exactly one changes the password")
    func race() async throws {
        for round in 1...20 {
            try await stores.mailboxes.ask(reset(UInt8(round)), mail: draft())
            let outcomes = try await concurrently(8) { _ in
                try await finish(stores, UInt8(round))
            }
            #expect(outcomes.count(of: .changed) == 1)
            #expect(outcomes.count(of: .used) == 7)
        }
    }

    @Test("a code counts in its time; five wrong ones are the end, whatever is shown between them")
    func codes() async throws {
        let (mailboxes, id, now) = (stores.mailboxes, Example.id(1), Example.now)
        try await mailboxes.ask(reset(), mail: draft())
        let (first, second) = (Hash256(of: "1"), Hash256(of: "2"))
        #expect(try await mailboxes.presentCode(first, of: id, at: now) == .wrong)
        #expect(try await mailboxes.keepCode(first, of: id, until: now + 60, at: now) == .changed)
        #expect(try await mailboxes.presentCode(first, of: id, at: now) == .right)
        #expect(try await mailboxes.presentCode(first, of: id, at: now + 60) == .wrong)
        #expect(try await mailboxes.keepCode(second, of: id, until: now + 90, at: now) == .changed)
        #expect(try await mailboxes.presentCode(first, of: id, at: now) == .wrong)
        #expect(try await mailboxes.presentCode(second, of: id, at: now) == .right)
        #expect(try await mailboxes.presentCode(first, of: id, at: now) == .wrong)
        #expect(try await mailboxes.presentCode(first, of: id, at: now) == .dead)
        #expect(try await mailboxes.presentCode(second, of: id, at: now) == .dead)
        #expect(try await mailboxes.keepCode(second, of: id, until: now + 90, at: now) == .changed)
        #expect(try await mailboxes.presentCode(second, of: id, at: now) == .dead)
        // The link itself is good as before.
        #expect(try await finish(stores) == .changed)
        #expect(try await mailboxes.keepCode(first, of: id, until: now + 60, at: now) == .notFound)
    }

    @Test("of any number of concurrent wrong codes five count")
    func wrongRace() async throws {
        for round in 1...20 {
            let id = Example.id(UInt8(round))
            try await stores.mailboxes.ask(reset(UInt8(round)), mail: draft())
            let outcomes = try await concurrently(12) { _ in
                try await stores.mailboxes.presentCode(
                    Hash256(of: "guess"),
                    of: id,
                    at: Example.now
                )
            }
            #expect(outcomes.count(of: .wrong) == 4)
            #expect(outcomes.count(of: .dead) == 8)
        }
    }

    @Test("wishes that ended before a time are cleared away")
    func purge() async throws {
        try await stores.mailboxes.ask(reset(1), mail: draft())
        try await stores.mailboxes.ask(reset(2, "nobody@example.com"), mail: draft())
        try await stores.mailboxes.purgeResets(before: Self.end)
        #expect(try await stores.reset(Example.id(1)) != nil)
        try await stores.mailboxes.purgeResets(before: Self.end + 1)
        for number in [UInt8(1), 2] {
            #expect(try await stores.reset(Example.id(number)) == nil)
        }
    }

    @Test("a code that comes back makes the person's address verified, as long as it is theirs")
    func confirmation() async throws {
        let owner = Hash256(of: "owner")
        let right = Hash256(of: "right")
        func start() async throws {
            try await stores.mailboxes.startConfirmation(
                EmailConfirmation(
                    owner: owner,
                    address: "ann@example.com",
                    codeHash: right,
                    expiresAt: Example.now + 600
                ),
                mail: draft(
                    .confirmationCode(sealedCode: "sealed", use: .confirmAddress, minutes: 10)
                )
            )
        }
        func confirm(_ code: Hash256, realm: String = "realm-1", at now: Int64 = Example.now)
            async throws -> PersonEmailOutcome
        {
            try await stores.mailboxes.confirm(
                code,
                by: owner,
                of: "person-ann",
                realmID: realm,
                at: now
            )
        }
        #expect(try await confirm(right) == .unknown)
        try await start()
        let mail = try #require(try await stores.outbox.latest(limit: 1).first)
        #expect(mail.draft.to == "ann@example.com")
        for left in [4, 3, 2, 1, 0] {
            #expect(try await confirm(Hash256(of: "wrong")) == .wrong(triesLeft: left))
        }
        #expect(try await confirm(right) == .unknown)
        try await start()
        #expect(try await confirm(right, at: Example.now + 600) == .expired)
        #expect(try await confirm(right, realm: "realm-2") == .unknown)
        #expect(try await stores.credentials("ann")?.person.isEmailVerified == false)
        var ann = Example.ann
        ann.email = "ann@new.example"
        _ = try await stores.people.update(ann)
        try await start()
        #expect(try await confirm(right) == .unknown)
        #expect(try await stores.credentials("ann")?.person.isEmailVerified == false)
        ann.email = "Ann@example.com"
        _ = try await stores.people.update(ann)
        try await start()
        #expect(try await confirm(right) == .confirmed)
        #expect(try await confirm(right) == .unknown)
        #expect(try await stores.credentials("ann")?.person.isEmailVerified == true)
        #expect(try await stores.liveByCookie() != nil)
    }
}
