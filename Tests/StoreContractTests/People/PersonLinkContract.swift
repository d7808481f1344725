import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("PersonMailboxStore: links that are mailed") struct PersonLinkContract {
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
            realmID: "realm-1",
            personID: person.id,
            email: "Ann@Example.com",
            epoch: try await ann(stores).epoch,
            actions: actions
        )
    }

    private func notice() -> MailDraft {
        MailDraft(
            id: Example.fresh(),
            to: nil,
            message: .passwordChanged,
            language: "en",
            createdAt: Example.now
        )
    }

    private func follow(_ link: PersonLink, _ password: PasswordHash?, _ stores: TestDatabase)
        async throws -> Change
    {
        try await stores.mailboxes.follow(
            link,
            password: password,
            notice: notice(),
            at: Example.now
        )
    }

    @Test(
        "a link proves the address and sets the password once; what else is asked is demanded",
        arguments: StoreUnderTest.allCases
    )
    func once(_ database: StoreUnderTest) async throws {
        let stores = try await database.furnished()
        let actions = [RequiredAction.updatePassword, RequiredAction.configureTOTP]
        let link = try await link(stores, actions)
        #expect(try await follow(link, hash, stores) == .changed)
        let after = try await ann(stores)
        #expect(after.password == hash && after.epoch == link.epoch + 1)
        #expect(after.person.isEmailVerified)
        #expect(after.person.requiredActions == [RequiredAction.configureTOTP])
        #expect(try await stores.outbox.latest(limit: 9).map(\.draft.to) == ["ann@example.com"])
        #expect(try await follow(link, PasswordHash(encoded: "other"), stores) == .notFound)
        #expect(try await follow(link, nil, stores) == .notFound)
        #expect(try await ann(stores).password == hash)
    }

    @Test(
        "without a password only the address is proven, and a password stays demanded",
        arguments: StoreUnderTest.allCases
    )
    func address(_ database: StoreUnderTest) async throws {
        let stores = try await database.furnished()
        let link = try await link(stores)
        let before = try await ann(stores)
        #expect(try await follow(link, nil, stores) == .changed)
        let after = try await ann(stores)
        #expect(after.person.isEmailVerified && after.password == before.password)
        #expect(after.epoch == before.epoch)
        #expect(after.person.requiredActions == [RequiredAction.updatePassword])
        #expect(try await stores.outbox.latest(limit: 9).isEmpty)
    }

    @Test(
        "a link is dead for another address, realm and person, and for one who may not sign in",
        arguments: StoreUnderTest.allCases
    )
    func dead(_ database: StoreUnderTest) async throws {
        let stores = try await database.furnished()
        let link = try await link(stores)
        var changed = [link, link, link]
        changed[0].email = "other@example.com"
        changed[1].realmID = "realm-2"
        changed[2].personID = "nobody"
        for other in changed { #expect(try await follow(other, hash, stores) == .notFound) }
        var person = try await ann(stores).person
        person.isEnabled = false
        _ = try await stores.people.update(person, replacing: nil)
        var disabled = link
        disabled.epoch = try await ann(stores).epoch
        #expect(try await follow(disabled, hash, stores) == .notFound)
        #expect(try await ann(stores).password != hash)
        #expect(try await !ann(stores).person.isEmailVerified)
    }
}
