import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("PersonMailboxStore: links that are mailed", .everyDatabase) struct PersonLinkContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private let hash = PasswordHash(encoded: "$argon2id$new")

    private func ann(_ stores: TestDatabase) async throws -> PersonCredentials {
        try #require(
            try await stores.people.credentials(realmID: "realm-1", login: "ann", byEmail: false)
        )
    }

    private func link(_ stores: TestDatabase, _ actions: [String] = []) async throws -> PersonLink {
        var person = try await ann(stores).person
        person.email = "ann@example.com"
        person.isEmailVerified = false
        person.requiredActions = [RequiredAction.verifyEmail, RequiredAction.updatePassword]
        _ = try await stores.people.update(person, replacing: nil)
        return PersonLink(
            id: Example.fresh(),
            realmID: "realm-1",
            personID: person.id,
            email: "Ann@Example.com",
            epoch: try await ann(stores).epoch,
            actions: actions,
            expiresAt: Example.now + 60
        )
    }

    private func notice() -> MailDraft {
        Example.mail(.passwordChanged)
    }

    private func follow(
        _ link: PersonLink,
        _ proof: PersonLink.Proof,
        at now: Int64 = Example.now,
        _ stores: TestDatabase
    ) async throws -> Change {
        try await stores.mailboxes.follow(link, with: proof, notice: notice(), at: now)
    }

    /// An app, recovery codes, an account elsewhere and what an app was allowed: by whoever set the
    /// account up.
    private func furnish(_ stores: TestDatabase) async throws {
        for kind in [Credential.Kind.totp, .recoveryCodes] {
            let credential = Example.credential(kind.rawValue, kind)
            #expect(try await stores.people.add(credential, realmID: "realm-1") == .changed)
        }
        let elsewhere = NewPerson.Identity(provider: "google", subject: "1", username: nil)
        let person = try await ann(stores).person
        #expect(try await stores.people.link(elsewhere, to: person, at: Example.now) == .created)
        try await stores.allow(["openid"], to: Example.client.id)
    }

    /// How many factors, accounts elsewhere and apps that were allowed something there are.
    private func left(_ stores: TestDatabase) async throws -> [Int] {
        let factors = try await stores.secondFactors()
        let others = try await stores.people.identities(of: "person-ann")
        let allowed = try await stores.consent(Example.client.id)
        return [factors.count, others.count, allowed == nil ? 0 : 1]
    }

    @Test("a link proves the address and sets the password once; what else is asked is demanded")
    func once() async throws {
        let actions = [RequiredAction.updatePassword, RequiredAction.configureTOTP]
        let link = try await link(stores, actions)
        var earlier = link
        earlier.id = Example.fresh()
        #expect(try await follow(link, .password(hash), stores) == .changed)
        let after = try await ann(stores)
        #expect(after.password == hash && after.epoch == link.epoch + 1)
        #expect(after.person.isEmailVerified)
        #expect(after.person.requiredActions == [RequiredAction.configureTOTP])
        #expect(try await stores.outbox.latest(limit: 9).map(\.draft.to) == ["ann@example.com"])
        let other = PasswordHash(encoded: "other")
        #expect(try await follow(link, .password(other), stores) == .notFound)
        #expect(try await follow(link, .none, stores) == .notFound)
        // So is one of before that no one has used.
        #expect(try await follow(earlier, .password(other), stores) == .notFound)
        #expect(try await ann(stores).password == hash)
    }

    @Test(
        "decision 0082: only a new password, or a click in a session of the account, confirms an address"
    )
    func confirms() async throws {
        let link = try await link(stores, [RequiredAction.verifyEmail])
        let before = try await ann(stores)
        let bob = NewPerson(person: Example.person("bob"), password: nil)
        #expect(try await stores.people.create(bob) == .created)
        var theirs = Example.session("session-of-bob", cookie: Hash256(of: "bob"))
        theirs.personID = "person-bob"
        try await stores.start(theirs)
        #expect(try await stores.sessions.proves(theirs, .strength, at: Example.now))
        for proof in [PersonLink.Proof.none, .session(theirs)] {
            #expect(try await follow(link, proof, stores) == .notFound)
        }
        #expect(try await ann(stores) == before)
        #expect(try await !stores.mailboxes.isSpent(link))
        #expect(try await follow(link, .session(Example.session), stores) == .changed)
        let after = try await ann(stores)
        #expect(after.person.isEmailVerified && after.password == before.password)
        #expect(after.epoch == before.epoch)
        #expect(after.person.requiredActions == [RequiredAction.updatePassword])
        #expect(try await stores.outbox.latest(limit: 9).isEmpty)
        // Spent by its use.
        #expect(try await stores.mailboxes.isSpent(link))
        #expect(try await follow(link, .session(Example.session), stores) == .notFound)
        #expect(try await follow(link, .password(hash), stores) == .notFound)
    }

    @Test("decision 0082: a session without the second factor that the person has confirms nothing")
    func weak() async throws {
        try await furnish(stores)
        let link = try await link(stores, [RequiredAction.verifyEmail])
        #expect(try await follow(link, .session(Example.session), stores) == .notFound)
        #expect(try await !ann(stores).person.isEmailVerified)
    }

    @Test(
        "decision 0082: with the first proof of an address, what was set before ends; later it stays"
    )
    func reclaims() async throws {
        for action in [RequiredAction.verifyEmail, RequiredAction.updatePassword] {
            let stores = try await StoreUnderTest.furnished()
            try await furnish(stores)
            let first = try await link(stores, [action])
            #expect(try await follow(first, .password(hash), stores) == .changed)
            let after = try await ann(stores)
            #expect(after.person.isEmailVerified && after.password == hash)
            #expect(try await stores.liveByCookie() == nil)
            #expect(try await left(stores) == [0, 0, 0])
            let mails = try await stores.outbox.latest(limit: 9)
            #expect(mails.map(\.draft.message) == [.accountReclaimed])
            // Now it is proven: another password takes away nothing.
            try await furnish(stores)
            var second = first
            second.id = Example.fresh()
            second.epoch = after.epoch
            second.actions = [RequiredAction.updatePassword]
            #expect(try await follow(second, .password(Example.password), stores) == .changed)
            #expect(try await left(stores) == [2, 1, 1])
            let messages = try await stores.outbox.latest(limit: 9).map(\.draft.message)
            #expect(Set(messages) == [.accountReclaimed, .passwordChanged])
        }
    }

    @Test(
        "decision 0082: where the realm demands an app, one is demanded in place of one that goes"
    )
    func demandsAgain() async throws {
        for (isDemanded, hasApp) in [(true, true), (true, false), (false, true)] {
            let stores = try await StoreUnderTest.furnished()
            try await stores.realms.put(
                RealmPart(
                    realmID: "realm-1",
                    kind: "requiredActions",
                    id: RequiredAction.configureTOTP,
                    document: ["enabled": true, "defaultAction": .bool(isDemanded)]
                )
            )
            if hasApp { try await furnish(stores) }
            let link = try await link(stores, [RequiredAction.updatePassword])
            #expect(try await follow(link, .password(hash), stores) == .changed)
            let actions = try await ann(stores).person.requiredActions
            #expect(actions == (isDemanded && hasApp ? [RequiredAction.configureTOTP] : []))
        }
    }

    @Test("decision 0082: a link for an app demands it, confirms nothing, and is spent")
    func demands() async throws {
        let link = try await link(stores, [RequiredAction.configureTOTP])
        let before = try await ann(stores)
        // No password is taken that was not asked for.
        #expect(try await follow(link, .password(hash), stores) == .notFound)
        #expect(try await ann(stores) == before)
        #expect(try await follow(link, .none, stores) == .changed)
        let after = try await ann(stores)
        #expect(!after.person.isEmailVerified && after.password == before.password)
        #expect(after.person.requiredActions.contains(RequiredAction.configureTOTP))
        #expect(after.person.requiredActions.contains(RequiredAction.verifyEmail))
        #expect(try await follow(link, .none, stores) == .notFound)
        // In time only.
        let late = try await self.link(stores, [RequiredAction.configureTOTP])
        #expect(try await follow(late, .none, at: late.expiresAt, stores) == .notFound)
    }

    @Test("a link is dead for another address, realm and person, and for one who may not sign in")
    func dead() async throws {
        let link = try await link(stores, [RequiredAction.updatePassword])
        var changed = [link, link, link]
        changed[0].email = "other@example.com"
        changed[1].realmID = "realm-2"
        changed[2].personID = "nobody"
        for other in changed {
            #expect(try await follow(other, .password(hash), stores) == .notFound)
        }
        var person = try await ann(stores).person
        person.isEnabled = false
        _ = try await stores.people.update(person, replacing: nil)
        var disabled = link
        disabled.epoch = try await ann(stores).epoch
        #expect(try await follow(disabled, .password(hash), stores) == .notFound)
        #expect(try await ann(stores).password != hash)
        #expect(try await !ann(stores).person.isEmailVerified)
    }
}
