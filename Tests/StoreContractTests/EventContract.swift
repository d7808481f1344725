import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("EventStore", .everyDatabase) struct EventContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private typealias Bound = EventStore.Bound
    private static let now: Int64 = 1_800_000_000

    private func event(
        _ kind: Event.Kind,
        at seconds: Int64 = EventContract.now,
        realm: String? = "realm-1"
    ) -> Event {
        var event = Event(kind, at: Event.milliseconds(seconds), realmID: realm)
        event.subjectID = "ann"
        event.clientID = "app"
        event.provider = "google"
        event.sessionID = "sid"
        event.device = "Firefox"
        event.address = "192.0.2.1"
        event.reason = "secret"
        event.details = ["grant": "g"]
        return event
    }

    private func done(_ kind: Event.Kind, at seconds: Int64 = now, realm: String = "realm-1")
        -> Event
    {
        Event(
            kind,
            by: .person("root"),
            to: "client-1",
            in: realm,
            from: ["name": "a"],
            into: ["name": "b"],
            at: Event.milliseconds(seconds)
        )
    }

    private func kinds(_ stores: TestDatabase, _ change: (inout EventQuery) -> Void = { _ in })
        async throws -> [Event.Kind]
    {
        var query = EventQuery()
        change(&query)
        return try await stores.events.events(query, limit: 100).map(\.kind)
    }

    @Test("events come back as they are, with their number and their realm's name")
    func kept() async throws {
        var command = done(.realmUpdated)
        command.actor = .commandLine
        var robot = done(.clientUpdated)
        robot.actor = .client("robot")
        let events = [
            event(.signedIn), event(.signedIn, realm: nil), done(.clientUpdated), command, robot,
            Event(.handleKeyAdded, at: 1),
        ]
        try await stores.events.note(events)
        try await stores.events.note([])
        var kept = Array(try await stores.events.latest().reversed())
        #expect(kept.map(\.number) == kept.map(\.number).sorted())
        #expect(Set(kept.map(\.number)).count == events.count)
        let name = Example.realm.name
        #expect(kept.map(\.realm) == [name, nil, name, name, name, nil])
        for index in kept.indices {
            kept[index].number = 0
            kept[index].realm = nil
        }
        #expect(kept == events)
    }

    @Test("of a realm that is gone only what administrators did is kept")
    func gone() async throws {
        try await stores.events.note([
            event(.signedIn, realm: "gone"), done(.realmDeleted, realm: "gone"),
        ])
        #expect(try await kinds(stores) == [.realmDeleted])
        try await stores.events.note([event(.signedIn), done(.clientUpdated), event(.signedOut)])
        #expect(try await stores.realms.deleteRealm(id: "realm-1") == .changed)
        try await stores.events.note([Event(.accountClaimed, of: nil, at: Self.now)])
        try await stores.events.purge(at: Self.now)
        #expect(try await kinds(stores) == [.accountClaimed, .clientUpdated, .realmDeleted])
    }

    @Test("events are found by what a query names")
    func found() async throws {
        var other = event(.signedOut, at: Self.now + 1)
        other.subjectID = "bob"
        other.clientID = "shop"
        other.address = "192.0.2.2"
        try await stores.events.note([
            event(.signedIn), other, done(.clientUpdated), event(.signInBlocked, realm: nil),
        ])
        let numbers = try await stores.events.latest().map(\.number).reversed()
        #expect(try await kinds(stores) == [.signInBlocked, .clientUpdated, .signedOut, .signedIn])
        #expect(
            try await kinds(stores) { $0.realmID = "realm-1" }
                == [.clientUpdated, .signedOut, .signedIn]
        )
        #expect(try await kinds(stores) { $0.subjectID = "ann" } == [.signInBlocked, .signedIn])
        #expect(
            try await kinds(stores) { ($0.subjectID, $0.realmID) = ("ann", "realm-1") }
                == [.signedIn]
        )
        #expect(try await kinds(stores) { $0.clientID = "shop" } == [.signedOut])
        #expect(try await kinds(stores) { $0.address = "192.0.2.2" } == [.signedOut])
        #expect(try await kinds(stores) { $0.actorID = "root" } == [.clientUpdated])
        #expect(try await kinds(stores) { $0.isAdministration = true } == [.clientUpdated])
        #expect(
            try await kinds(stores) { ($0.isAdministration, $0.realmID) = (false, "realm-1") }
                == [.signedOut, .signedIn]
        )
        #expect(try await kinds(stores) { $0.kinds = [.signedIn, .signedOut] }.count == 2)
        #expect(try await kinds(stores) { $0.kinds = [] }.isEmpty)
        #expect(try await kinds(stores) { $0.from = (Self.now + 1) * 1000 } == [.signedOut])
        #expect(try await kinds(stores) { $0.to = (Self.now + 1) * 1000 }.count == 3)
        #expect(
            try await kinds(stores) { ($0.after, $0.isOldestFirst) = (numbers.first, true) }
                == [.signedOut, .clientUpdated, .signInBlocked]
        )
        let page = try await stores.events.events(EventQuery(), first: 1, limit: 2)
        #expect(page.map(\.kind) == [.clientUpdated, .signedOut])
        #expect(try await stores.events.events(EventQuery(), first: -1, limit: -1).isEmpty)
    }

    @Test("decision 0051: events are counted by realm, kind, client and reason")
    func counted() async throws {
        var refused = event(.swapRefused, at: Self.now + 5)
        refused.reason = "expired"
        var swapped = event(.swapped)
        swapped.reason = nil
        try await stores.events.note([
            swapped, refused, swapped, refused, refused, done(.keyCreated),
        ])
        var query = EventQuery()
        query.kinds = [.swapped, .swapRefused]
        let counts = try await stores.events.counts(query)
        #expect(
            counts.map(\.kind) == [.swapped, .swapRefused].sorted { $0.rawValue < $1.rawValue }
        )
        #expect(counts.map(\.reason) == [nil, "expired"])
        #expect(counts.map(\.count) == [2, 3])
        #expect(counts.map(\.lastAt) == [Self.now * 1000, (Self.now + 5) * 1000])
        #expect(counts.allSatisfy { $0.clientID == "app" && $0.realm != nil })
    }

    @Test(
        "what people did can be removed from a realm, which is an event; what administrators did stays"
    )
    func cleared() async throws {
        var second = Example.realm
        (second.id, second.name, second.issuer) = ("realm-2", "second", "https://id.example/second")
        let new = NewRealm(realm: second, keys: [], clients: [])
        #expect(try await stores.realms.create(new) == .created)
        try await stores.events.note([
            event(.signedIn), event(.signInFailed), done(.clientUpdated),
            event(.signedIn, realm: nil), event(.signedOut, realm: "realm-2"), event(.signedIn),
        ])
        let last = try await stores.events.latest(limit: 1).first?.number ?? 0
        try await stores.events.clear(realmID: "realm-1", noting: done(.eventsDeleted))
        let left = try await stores.events.latest()
        #expect(left.map(\.kind) == [.eventsDeleted, .signedOut, .signedIn, .clientUpdated])
        #expect(try #require(left.first).number > last, "no number is given twice")
    }

    @Test("events are kept as long as their kind is")
    func aged() async throws {
        let day: Int64 = 86_400
        for (kind, realm, isAdmin, days) in [
            (.signedIn, "realm-1", false, Bound.days), (.accountClaimed, nil, false, Bound.days),
            (.refreshReplayed, nil, false, Bound.days),
            (.clientUpdated, "realm-1", true, Bound.days),
            (.clientRefused, "realm-1", false, Bound.daysOfStrangers),
            (.signInFailed, "realm-1", false, Bound.daysOfStrangers),
        ] as [(Event.Kind, String?, Bool, Int64)] {
            let end = Self.now - days * day
            let latest = event(.signedOut, realm: nil)
            try await stores.events.note(
                [end - 1, end, end + 1].map {
                    isAdmin ? done(kind, at: $0) : event(kind, at: $0, realm: realm)
                } + [latest]
            )
            for left in [2, 1, 0] {
                try await stores.events.purge(at: Self.now + Int64(2 - left))
                #expect(
                    try await stores.events.latest([kind]).count == left,
                    "\(kind.rawValue), left: \(left)"
                )
            }
        }
        // The latest stays, so that no number is given twice.
        let number = try await stores.events.latest(limit: 1).first?.number ?? 0
        try await stores.events.purge(at: Self.now + 500 * day)
        #expect(try await stores.events.latest().map(\.number) == [number])
    }

    @Test("a realm's own time ends the events of its people, and no others")
    func lifetime() async throws {
        var realm = Example.realm
        realm.events.lifetime = 3600
        #expect(try await stores.realms.update(realm, replacing: nil) == .changed)
        let before = Self.now - 3601
        try await stores.events.note([
            event(.signedIn, at: before), event(.signInFailed, at: before),
            done(.clientUpdated, at: before), event(.signedOut, at: before, realm: nil),
            event(.consented, at: before + 1), event(.accountClaimed, realm: nil),
        ])
        try await stores.events.purge(at: Self.now)
        #expect(
            try await kinds(stores) == [.accountClaimed, .consented, .signedOut, .clientUpdated]
        )
    }

    @Test("attack: what strangers cause pushes out the oldest of itself only")
    func bounded() async throws {
        try await stores.events.note([
            event(.signInFailed), event(.signedIn), done(.clientUpdated),
            event(.signedIn, realm: nil),
        ])
        let most = Int(Bound.ofStrangers)
        try await stores.events.note(
            (0..<most).map { _ in event(.clientRefused) } + [event(.signedOut)]
        )
        try await stores.events.purge(at: Self.now)
        var query = EventQuery()
        query.kinds = Set(Event.Kind.allCases.filter(\.isAnyones))
        let left = try await stores.events.counts(query)
        #expect(left.map(\.kind) == [.clientRefused] && left.map(\.count) == [Int64(most)])
        #expect(
            try await kinds(stores) { $0.kinds = [.signedIn, .clientUpdated, .signedOut] }.count
                == 4
        )
    }

    @Test("a change names secrets without their values, and each side has a bound")
    func change() {
        let long = String(repeating: "x", count: 300)
        var wide: JSONObject = ["name": "a"]
        for number in 0..<100 { wide["member\(number)"] = .string(long) }
        var many: JSONObject = [:]
        for number in 0..<2000 { many["member\(number)"] = "value" }
        let event = Event(
            .clientUpdated,
            by: .commandLine,
            to: "c",
            in: nil,
            from: [
                "client_id": "shop", "clientSecret": "s3cret", "has_secret": true,
                "attributes": ["sealed_key": ["s3cret"], "web": "x"],
                "credentials": [["value": "s3cret"]], "keys": [["privateKey": "s3cret"]],
            ],
            into: wide,
            at: 1
        )
        #expect(
            event.before == [
                "client_id": "shop", "clientSecret": "(secret)", "has_secret": true,
                "attributes": ["sealed_key": "(secret)", "web": "x"],
                "credentials": "(secret)", "keys": [["privateKey": "(secret)"]],
            ]
        )
        #expect(event.after?.string("name") == "a")
        #expect(event.after?.string("member7") == "(302 bytes)")
        let other = Event(
            .clientUpdated,
            by: .commandLine,
            to: "c",
            in: nil,
            from: many,
            into: nil,
            at: 1
        )
        #expect(other.before?.count == 1)
        for side in [event.before, event.after, other.before] {
            #expect((side?.serialized().count ?? .max) <= Event.mostBytes)
        }
    }
}
