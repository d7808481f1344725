import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("PersonMailboxStore: a demanded password", .everyDatabase) struct DemandContract {
    private let reset = Example.reset(70)

    @Test("one that was checked against a replaced password is not kept")
    func outdated() async throws {
        let stores = try await StoreUnderTest.furnished()
        let people = stores.people
        func ann() async throws -> PersonCredentials {
            try #require(
                try await people.credentials(realmID: "realm-1", login: "ann", byEmail: false)
            )
        }
        let checked = try await ann()
        let new = PasswordHash(encoded: "$argon2id$new")
        _ = try await people.setPassword(new, of: checked.person.id, at: Example.now)
        #expect(try await stores.mailboxes.demand(reset, of: checked) == .notFound)
        #expect(try await stores.reset(reset.id) == nil)
        #expect(try await stores.mailboxes.demand(reset, of: try await ann()) == .changed)
    }
}
