import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("PersonMailboxStore: people register", .everyDatabase) struct RegistrationContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private static let owner = Hash256(of: "owner")
    private static let code = Hash256(of: "code")

    private func person(_ name: String, email: String? = nil) -> Person {
        var person = Example.person(name)
        person.email = email
        return person
    }

    private func mail(_ message: MailDraft.Message) -> MailDraft {
        Example.mail(message)
    }

    private func start(_ address: String, _ stores: TestDatabase, realm: String = "realm-1")
        async throws
    {
        try await stores.mailboxes.startRegistration(
            EmailConfirmation(
                owner: Self.owner,
                address: address,
                codeHash: Self.code,
                expiresAt: Example.now + 600
            ),
            nobodys: Hash256(of: "nobody's"),
            realmID: realm,
            mail: mail(.confirmationCode(sealedCode: "sealed", use: .confirmAddress, minutes: 10)),
            told: mail(.alreadyRegistered)
        )
    }

    private func register(
        _ person: Person,
        _ stores: TestDatabase,
        proof: Hash256? = nil,
        roles: [RoleName] = [],
        groups: [String] = [],
        number: Int = 2,
        replacing old: Hash256? = nil,
        at now: Int64 = Example.now
    ) async throws -> PersonRegistered {
        var session = Example.session("session-\(number)", cookie: Hash256(of: "c-\(number)"))
        session.personID = person.id
        return try await stores.mailboxes.register(
            PersonRegistering(
                person: person,
                password: Example.password,
                roles: roles,
                groupIDs: groups,
                proof: proof.map { .init(owner: Self.owner, codeHash: $0) }
            ),
            beginning: session,
            replacing: old,
            at: now
        )
    }

    private func live(_ stores: TestDatabase, _ number: Int = 2) async throws -> String? {
        try await stores.liveByCookie(Hash256(of: "c-\(number)"))?.person.username
    }

    @Test("an account begins with its session, its roles that there are, and a proven address")
    func whole() async throws {
        try await start("bea@example.com", stores)
        #expect(try await stores.outbox.latest(limit: 1).first?.draft.to == "bea@example.com")
        let bea = person("bea", email: "bea@example.com")
        let roles = [
            RoleName(clientID: nil, name: "admin"), RoleName(clientID: nil, name: "no such"),
        ]
        let outcome = try await register(
            bea,
            stores,
            proof: Self.code,
            roles: roles,
            groups: ["no such"]
        )
        var kept = bea
        kept.mailbox = Mailbox(address: "bea@example.com", verification: .mailedCode)
        kept.updatedAt = Example.now
        #expect(outcome == .began(kept, .began))
        #expect(try await live(stores) == "bea")
        #expect(try await stores.person(bea.id) == PersonWithRoles(person: kept, roles: [roles[0]]))
        #expect(try await stores.credentials("bea")?.password == Example.password)
        // The code is spent.
        #expect(try await register(person("b2"), stores, proof: Self.code) == .unknown)
    }

    @Test("where the address is someone's, they are told, and the code is not right")
    func taken() async throws {
        try await start("Ann@example.com", stores)
        let queued = try #require(try await stores.outbox.latest(limit: 1).first)
        #expect(queued.draft.message == .alreadyRegistered)
        #expect(queued.draft.to == "Ann@example.com")
        let bea = person("bea", email: "Ann@example.com")
        #expect(try await register(bea, stores, proof: Self.code) == .wrong(triesLeft: 4))
        #expect(try await live(stores) == nil)
        // In another realm it is no one's.
        try await start("ann@example.com", stores, realm: "realm-2")
        #expect(
            try await stores.outbox.latest(limit: 9).count {
                $0.draft.message != .alreadyRegistered
            } == 1
        )
    }

    @Test("a name or an address that is someone's in any way makes no account and no session")
    func conflicts() async throws {
        var odd = person("odd@example.com")
        odd.isEnabled = false
        _ = try await stores.people.create(NewPerson(person: odd, password: nil))
        for (name, email) in [
            ("ann", "x@example.com"), ("bea", "ann@example.com"), ("ann@example.com", nil),
            ("bea", "odd@example.com"),
        ] {
            var bea = person(name, email: email)
            bea.id = "person-bea"
            try await start(email ?? "x@example.com", stores, realm: "realm-2")
            let proof = email == nil ? nil : Self.code
            #expect(try await register(bea, stores, proof: proof) == .taken, "\(name)")
            #expect(try await live(stores) == nil)
            #expect(try await stores.person("person-bea") == nil)
        }
    }

    @Test("a wrong code costs a try, and one for another address or too late is none")
    func codes() async throws {
        let bea = person("bea", email: "bea@example.com")
        #expect(try await register(bea, stores, proof: Self.code) == .unknown)
        try await start("bea@example.com", stores)
        let wrong = Hash256(of: "wrong")
        #expect(try await register(bea, stores, proof: wrong) == .wrong(triesLeft: 4))
        let late = Example.now + 600
        #expect(try await register(bea, stores, proof: Self.code, at: late) == .expired)
        var other = bea
        other.email = "other@example.com"
        #expect(try await register(other, stores, proof: Self.code) == .unknown)
        #expect(try await live(stores) == nil)
        #expect(try await stores.credentials("bea") == nil)
    }

    @Test("of many at once for one name, one makes the account")
    func atOnce() async throws {
        for round in 0..<10 {
            let outcomes = try await concurrently(8) { index -> Bool in
                var bea = person("bea-\(round)", email: "bea-\(round)@example.com")
                bea.id = "person-\(round)-\(index)"
                let outcome = try await register(bea, stores, number: 1000 + round * 100 + index)
                if case .began = outcome { return true }
                #expect(outcome == .taken)
                return false
            }
            #expect(outcomes.count(of: true) == 1)
        }
    }

    @Test("another person's session in the browser ends with it")
    func another() async throws {
        let bea = person("bea")
        let outcome = try await register(bea, stores, replacing: Example.cookie)
        #expect(outcome == .began(bea, .tookOver("session-1")))
    }

    @Test("what the realm demands of everyone is demanded")
    func actions() async throws {
        for (alias, isEnabled, isDefault) in [
            ("CONFIGURE_TOTP", true, true), ("VERIFY_EMAIL", true, false),
            ("UPDATE_PROFILE", false, true),
        ] {
            try await stores.realms.put(
                RealmPart(
                    realmID: "realm-1",
                    kind: "requiredActions",
                    id: alias,
                    document: ["enabled": .bool(isEnabled), "defaultAction": .bool(isDefault)]
                )
            )
        }
        var bea = person("bea")
        let outcome = try await register(bea, stores)
        bea.requiredActions = ["CONFIGURE_TOTP"]
        #expect(outcome == .began(bea, .began))
    }
}
