import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("GrantStore: grants derived from another's", .everyDatabase) struct DerivedGrantContract {
    /// Grants 1 to 3, each derived from the one before; 4 from 1; 5 from none.
    private static func family() async throws -> TestDatabase {
        let stores = try await StoreUnderTest.furnished()
        for (id, parent) in [(1, nil), (2, 1), (3, 2), (4, 1), (5, nil)] as [(UInt8, UInt8?)] {
            let outcome = try await stores.redeem(
                Example.grant(Example.id(id)),
                request: Example.id(50 + id),
                derivedFrom: parent.map { Example.id($0) }
            )
            #expect(outcome == .redeemed)
        }
        return stores
    }

    private static func live(_ stores: TestDatabase) async throws -> [UInt8] {
        var live: [UInt8] = []
        for id in UInt8(1)...5 where try await stores.reading(Example.id(id))?.isLive == true {
            live.append(id)
        }
        return live
    }

    @Test("RFC 8693 §2.1: who a sign-in was handed on by is known of every grant")
    func behind() async throws {
        let stores = try await Self.family()
        for (id, count) in [(1, 1), (2, 2), (3, 3), (4, 2), (5, 1), (9, 0)] as [(UInt8, Int)] {
            let clients = try await stores.grants.clients(behind: Example.id(id))
            #expect(clients == Array(repeating: "client-uuid", count: count))
        }
    }

    @Test("RFC 8693 §2.1: a grant that ends takes with it what was derived from it, and no other")
    func ends() async throws {
        for (ended, left) in [(1, [5]), (2, [1, 4, 5]), (3, [1, 2, 4, 5])] as [(UInt8, [UInt8])] {
            let stores = try await Self.family()
            #expect(try await Self.live(stores) == [1, 2, 3, 4, 5])
            for _ in 0..<2 {
                #expect(try await stores.revoke(Example.id(ended)) == .revoked)
            }
            #expect(try await Self.live(stores) == left)
        }
    }

    @Test("RFC 6749 §4.1.2: a code that is redeemed again ends what was derived from its grant")
    func replay() async throws {
        let stores = try await Self.family()
        let again = try await stores.redeem(Example.grant(Example.id(1)), request: Example.id(51))
        #expect(again == .replayed)
        #expect(try await Self.live(stores) == [5])
    }

    @Test("RFC 8693 §2.1: nothing is derived from a grant that has ended, or that is not there")
    func dead() async throws {
        let stores = try await Self.family()
        _ = try await stores.revoke(Example.id(1))
        for parent in [UInt8(1), 2, 77] {
            let outcome = try await stores.redeem(
                Example.grant(Example.id(60)),
                request: Example.id(61),
                derivedFrom: Example.id(parent)
            )
            #expect(outcome == .sessionEnded)
            #expect(try await stores.reading(Example.id(60)) == nil)
        }
        let outcome = try await stores.redeem(
            Example.grant(Example.id(60)),
            request: Example.id(61),
            derivedFrom: Example.id(5)
        )
        #expect(outcome == .redeemed)
    }

    @Test(
        "RFC 8693 §2.1: nothing is derived from another person's or realm's grant, or an expired one"
    )
    func foreign() async throws {
        let stores = try await Self.family()
        var realm = Example.newRealm
        realm.realm.id = "realm-2"
        realm.realm.name = "other"
        realm.realm.issuer = "https://id.example/realms/other"
        realm.keys = []
        realm.roles = []
        realm.people = []
        realm.clients[0].id = "client-2"
        realm.clients[0].realmID = "realm-2"
        #expect(try await stores.realms.create(realm) == .created)
        let bob = NewPerson(person: Example.person("bob"), password: nil, roles: [])
        #expect(try await stores.people.create(bob) == .created)
        var others = [Example.grant(Example.id(70)), Example.grant(Example.id(71))]
        others[0].personID = "person-bob"
        others[1].realmID = "realm-2"
        others[1].clientID = "client-2"
        for index in others.indices {
            others[index].sessionID = nil
            #expect(try await stores.insert(others[index]) == .redeemed)
        }
        for (parent, now) in [(UInt8(70), 0), (71, 0), (5, 50_000)] as [(UInt8, Int64)] {
            var grant = Example.grant(Example.id(60))
            grant.sessionID = nil
            let outcome = try await stores.redeem(
                grant,
                request: Example.id(61),
                derivedFrom: Example.id(parent),
                at: Example.now + now
            )
            #expect(outcome == .sessionEnded, "\(parent)")
            #expect(try await stores.reading(Example.id(60)) == nil)
        }
    }

    @Test("RFC 8693 §2.1: of a revocation and a derivation at the same time, nothing is left alive")
    func race() async throws {
        for _ in 0..<20 {
            let stores = try await Self.family()
            async let revoked = stores.revoke(Example.id(1))
            async let derived = stores.redeem(
                Example.grant(Example.id(60)),
                request: Example.id(61),
                derivedFrom: Example.id(4)
            )
            _ = try await (revoked, derived)
            #expect(try await stores.reading(Example.id(60))?.isLive != true)
            #expect(try await Self.live(stores) == [5])
        }
    }

    /// A grant of another client, derived from grant 1; offline, so that nothing but that ends it.
    private static func elsewhere() async throws -> TestDatabase {
        let stores = try await StoreUnderTest.furnished()
        var other = Example.client
        other.id = "client-other"
        other.clientID = "other"
        #expect(try await stores.realms.create(other) == .created)
        var parent = Example.grant(Example.id(1))
        parent.isOffline = true
        #expect(try await stores.redeem(parent, request: Example.id(51)) == .redeemed)
        for (id, parentID) in [(UInt8(2), UInt8(1)), (3, 2)] {
            var grant = Example.grant(Example.id(id))
            grant.clientID = "client-other"
            grant.isOffline = true
            grant.expiresAt = nil
            let outcome = try await stores.redeem(
                grant,
                request: Example.id(50 + id),
                derivedFrom: Example.id(parentID)
            )
            #expect(outcome == .redeemed)
        }
        #expect(try await Self.live(stores) == [1, 2, 3])
        return stores
    }

    @Test("RFC 8693 §2.1: an app that is removed takes what it handed on with it")
    func disconnected() async throws {
        let stores = try await Self.elsewhere()
        #expect(try await stores.disconnect() == .changed)
        #expect(try await Self.live(stores) == [])
    }

    @Test("RFC 8693 §2.1: a client that is deleted takes what it handed on with it")
    func clientDeleted() async throws {
        let stores = try await Self.elsewhere()
        #expect(try await stores.realms.deleteClient(id: "client-uuid") == .changed)
        #expect(try await Self.live(stores) == [])
    }

    @Test("RFC 9700 §4.14.2: a dead grant is kept while others are derived from it, to be reached")
    func purged() async throws {
        let stores = try await Self.elsewhere()
        _ = try await stores.endSession()
        // Grant 1 dies of age; those derived from it live on.
        let later = Example.now + 200_000
        for id in [UInt8(2), 3] {
            _ = try await stores.grants.rotate(
                Example.rotation(of: Example.id(id), from: 1),
                sessionIdle: 1800,
                spending: [],
                at: Example.now + 1
            )
        }
        try await stores.grants.purge(before: later)
        #expect(try await stores.reading(Example.id(1)) != nil)
        _ = try await stores.revoke(Example.id(1))
        #expect(try await Self.live(stores) == [])
    }
}
