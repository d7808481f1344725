import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("AuditStore") struct AuditContract {
    @Test("events come in their order, a page at a time", arguments: StoreUnderTest.allCases)
    func order(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        for _ in 1...5 { _ = try await stores.signedIn() }
        let all = try await stores.audit.events(after: 0, limit: 10)
        #expect(all.map(\.kind) == [.registered] + Array(repeating: .signedIn, count: 4))
        #expect(all.map(\.number) == all.map(\.number).sorted())
        #expect(Set(all.map(\.number)).count == 5)
        let two = try await stores.audit.events(after: all[1].number, limit: 2)
        #expect(two == Array(all[2...3]))
        #expect(try await stores.audit.events(after: all[4].number, limit: 10).isEmpty)
        #expect(try await stores.audit.events(after: 0, limit: -1).isEmpty)
    }

    @Test(
        "events of clients are kept as they are, behind those of accounts",
        arguments: StoreUnderTest.allCases
    )
    func note(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        _ = try await stores.signedIn()
        var event = AuditEvent(number: 7, kind: .clientRefused, at: 5, accountID: nil)
        event.realm = "shop"
        event.client = "api"
        event.reason = "secret"
        event.address = "192.0.2.1"
        let nameless = AuditEvent(number: 7, kind: .clientRefused, at: 6, accountID: nil)
        try await stores.audit.note([event, nameless])
        try await stores.audit.note([])
        let before = try await stores.audit.events(after: 0, limit: 1).first?.number ?? 0
        var kept = try await stores.audit.events(after: before, limit: 10)
        #expect(kept.map(\.number) == [before + 1, before + 2])
        for index in kept.indices { kept[index].number = 7 }
        #expect(kept == [event, nameless])
    }

    @Test(
        "the latest come first, of one account where one is named",
        arguments: StoreUnderTest.allCases
    )
    func latest(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        let ann = try await stores.signedIn()
        let bob = try await stores.signedIn(AccountExample.key("bob"))
        _ = try await stores.signedIn()
        let latest = try await stores.audit.latest(AuditEvent.Kind.all, of: nil, limit: 2)
        #expect(latest.map(\.accountID) == [ann.account.id, bob.account.id])
        #expect(try await stores.kinds(of: ann.account.id) == [.registered, .signedIn])
        #expect(try await stores.kinds(of: bob.account.id) == [.registered])
        let one = try await stores.audit.latest(AuditEvent.Kind.all, of: ann.account.id, limit: 1)
        #expect(one.map(\.kind) == [.signedIn])
        let registered = try await stores.audit.latest([.registered], of: nil, limit: 2)
        #expect(registered.map(\.kind) == [.registered, .registered])
        #expect(registered.map(\.accountID) == [bob.account.id, ann.account.id])
        let others: Set = [AuditEvent.Kind.registered, .signedOut]
        let hers = try await stores.audit.latest(others, of: ann.account.id, limit: 5)
        #expect(hers.map(\.kind) == [.registered])
        #expect(try await stores.audit.latest([], of: nil, limit: 5).isEmpty)
    }

    @Test(
        "a purge of one kind leaves the others",
        arguments: StoreUnderTest.allCases
    )
    func purgeOfKinds(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        let refused = AuditEvent(number: 0, kind: .clientRefused, at: 5, accountID: nil)
        let later = AuditEvent(number: 0, kind: .clientRefused, at: 6, accountID: nil)
        let blocked = AuditEvent(number: 0, kind: .blocked, at: 5, accountID: nil)
        try await stores.audit.note([refused, blocked, later, blocked])
        try await stores.audit.purge([.clientRefused], before: 6)
        let left = try await stores.audit.events(after: 0, limit: 10)
        #expect(left.map(\.kind) == [.blocked, .clientRefused, .blocked])
        try await stores.audit.purge([], before: 100)
        #expect(try await stores.audit.events(after: 0, limit: 10) == left)
    }

    @Test(
        "a purge removes what happened before, and no number is given twice",
        arguments: StoreUnderTest.allCases
    )
    func purge(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        for offset: Int64 in 0...2 {
            _ = try await stores.signedIn(at: AccountExample.now + offset)
        }
        let all = try await stores.audit.events(after: 0, limit: 10)
        try await stores.audit.purge(AuditEvent.Kind.all, before: AccountExample.now + 1)
        #expect(try await stores.audit.events(after: 0, limit: 10) == Array(all.dropFirst()))
        try await stores.audit.purge(AuditEvent.Kind.all, before: AccountExample.now + 100)
        #expect(try await stores.audit.events(after: 0, limit: 10) == Array(all.suffix(1)))
        _ = try await stores.signedIn()
        let next = try await stores.audit.latest(AuditEvent.Kind.all, of: nil, limit: 1).first
        #expect(next.map { $0.number > all[2].number } == true)
    }
}
