import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("RealmStore: realms and keys", .everyDatabase) struct RealmContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private var realms: RealmStore { stores.realms }

    @Test("a realm is created with all that it starts with, as it was given")
    func creation() async throws {
        let realms = try StoreUnderTest.empty().realms
        var new = Example.newRealm
        new.realm = .everythingSet
        new.clients = [.everythingSet, Example.client]
        new.scopes = Example.scopes
        new.groups = [GroupWithRoles(group: Example.group)]
        #expect(try await realms.create(new) == .created)
        let snapshot = try await realms.snapshot()
        #expect(snapshot.realms == [new.realm])
        #expect(snapshot.clients == new.clients)
        #expect(snapshot.keys == new.keys)
        #expect(try await realms.roles(realmID: "realm-1") == new.roles)
    }

    @Test(
        "the mappers that tests keep and read again are of every kind, each kept by a name of its own"
    )
    func mappers() {
        let all =
            ClaimMapper.Kind.Form.allCases.map(\.rawValue)
            + ClaimMapper.PlainKind.allCases.map(\.rawValue)
        #expect(Set(all).count == all.count)
        #expect(Set(ClaimMapper.ofEveryKind.map(\.kind.name)) == Set(all))
    }

    @Test("what is kept is tried with a realm whose every member differs from its default")
    func everything() {
        for member in Realm.members {
            #expect(
                member.value(of: .everythingSet) != member.value(of: .blank),
                "\(member.name)"
            )
        }
    }

    @Test("defaults are kept as they are")
    func defaults() async throws {
        let snapshot = try await StoreUnderTest.furnished().realms.snapshot()
        #expect(snapshot.realms == [Example.realm])
        #expect(snapshot.clients == [Example.client])
    }

    @Test(
        "decision 0036: neither a realm's name nor its issuer is given twice",
        arguments: [true, false]
    )
    func conflict(sameName: Bool) async throws {
        let version = try await realms.version()
        let other = Realm(
            id: "realm-2",
            name: sameName ? "demo" : "other",
            displayName: "Other",
            issuer: sameName ? "https://id.example/realms/other" : Example.realm.issuer
        )
        #expect(try await realms.create(NewRealm(realm: other, keys: [])) == .conflict)
        #expect(try await realms.snapshot().realms == [Example.realm])
        #expect(try await realms.version() == version)
    }

    @Test("of any number of concurrent creations of one name exactly one wins")
    func race() async throws {
        let realms = try StoreUnderTest.empty().realms
        for round in 1...20 {
            let answers = try await concurrently(8) { index in
                let realm = Realm(
                    id: "realm-\(round)-\(index)",
                    name: "name-\(round)",
                    displayName: "",
                    issuer: "https://id.example/\(round)/\(index)"
                )
                return try await realms.create(NewRealm(realm: realm, keys: []))
            }
            #expect(answers.count(of: .created) == 1)
            #expect(answers.count(of: .conflict) == 7)
        }
    }

    @Test("a realm is created whole or not at all")
    func atomic() async throws {
        let realms = try StoreUnderTest.empty().realms
        var new = Example.newRealm
        new.people.append(
            NewPerson(
                person: Example.person("bob"),
                password: nil,
                roles: [RoleName(clientID: nil, name: "unknown")]
            )
        )
        await #expect(throws: MissingReference.self) { try await realms.create(new) }
        new.people = []
        new.clients.append(Example.client)
        await #expect(throws: StoreConflict.self) { try await realms.create(new) }
        let snapshot = try await realms.snapshot()
        #expect(snapshot.realms.isEmpty && snapshot.clients.isEmpty && snapshot.keys.isEmpty)
    }

    @Test("an update leaves name, id and issuer")
    func update() async throws {
        for scope in Example.scopes { #expect(try await realms.create(scope) == .created) }
        #expect(try await realms.create(Example.group) == .created)
        var changed = Realm.everythingSet
        changed.name = "renamed"
        changed.issuer = "https://evil.example"
        #expect(try await realms.update(changed) == .changed)
        #expect(try await realms.snapshot().realms == [.everythingSet])
        changed.id = "unknown"
        #expect(try await realms.update(changed) == .notFound)
    }

    @Test("a realm is deleted with everything in it")
    func deletion() async throws {
        #expect(try await stores.realms.deleteRealm(id: "realm-1") == .changed)
        let snapshot = try await stores.realms.snapshot()
        #expect(snapshot.realms.isEmpty && snapshot.clients.isEmpty && snapshot.keys.isEmpty)
        #expect(try await stores.realms.roles(realmID: "realm-1").isEmpty)
        #expect(try await stores.person("person-ann") == nil)
        #expect(try await stores.realms.deleteRealm(id: "realm-1") == .notFound)
    }

    @Test("a deleted realm can be made again")
    func recreation() async throws {
        _ = try await stores.people.deletePerson(id: "person-ann", realmID: "realm-1")
        #expect(try await stores.realms.deleteRealm(id: "realm-1") == .changed)
        #expect(try await stores.realms.create(Example.newRealm) == .created)
        #expect(try await stores.person("person-ann") != nil)
    }

    @Test("every change of a realm, client or key raises the version, nothing else does")
    func version() async throws {
        let stores = try StoreUnderTest.empty()
        let realms = stores.realms
        var last = try await realms.version()
        func expect(raised: Bool, _ change: StaticString) async throws {
            let version = try await realms.version()
            #expect((version > last) == raised, "\(change)")
            #expect(try await realms.snapshot().version == version)
            last = version
        }
        _ = try await realms.create(Example.newRealm)
        try await expect(raised: true, "create realm")
        _ = try await realms.update(Example.realm)
        try await expect(raised: true, "update realm")
        var client = Example.client
        client.id = "client-2"
        client.clientID = "other"
        _ = try await realms.create(client)
        try await expect(raised: true, "create client")
        _ = try await realms.create(client)
        try await expect(raised: false, "conflict")
        _ = try await realms.update(client)
        try await expect(raised: true, "update client")
        _ = try await realms.deleteClient(id: "client-2")
        try await expect(raised: true, "delete client")
        _ = try await realms.deleteClient(id: "client-2")
        try await expect(raised: false, "delete nothing")
        var key = Example.key
        key.keyID = "key-2"
        key.retiredFrom = 5
        try await realms.rotate(adding: [key], changing: [])
        try await expect(raised: true, "rotate")
        try await realms.removeKeys(retiredBefore: 5)
        try await expect(raised: false, "remove no key")
        try await realms.removeKeys(retiredBefore: 6)
        try await expect(raised: true, "remove a key")
        _ = try await stores.people.create(NewPerson(person: Example.person("bob"), password: nil))
        try await stores.start(Example.session)
        _ = try await stores.redeem(Example.grant())
        try await expect(raised: false, "a sign-in")
        _ = try await realms.deleteRealm(id: "realm-1")
        try await expect(raised: true, "delete realm")
    }

    @Test("OpenID Connect Core §10.1.1: a key rotation is seen whole or not at all")
    func rotation() async throws {
        var next = Example.key
        next.keyID = "key-2"
        next.activeFrom = Example.now + 600
        var retiring = Example.key
        retiring.retiredFrom = Example.now + 900
        try await realms.rotate(adding: [next], changing: [retiring])
        #expect(try await realms.snapshot().keys == [retiring, next])

        var third = Example.key
        third.keyID = "key-3"
        await #expect(throws: StoreConflict.self) {
            try await realms.rotate(adding: [third, next], changing: [])
        }
        var unknown = Example.key
        unknown.keyID = "unknown"
        await #expect(throws: MissingReference.self) {
            try await realms.rotate(adding: [third], changing: [unknown])
        }
        #expect(try await realms.snapshot().keys == [retiring, next])
    }

    @Test("only keys that were retired before are removed")
    func removal() async throws {
        var retired = Example.key
        retired.retiredFrom = Example.now
        try await realms.rotate(adding: [], changing: [retired])
        try await realms.removeKeys(retiredBefore: Example.now)
        #expect(try await realms.snapshot().keys == [retired])
        try await realms.removeKeys(retiredBefore: Example.now + 1)
        #expect(try await realms.snapshot().keys.isEmpty)
    }
}

extension Realm {
    /// No member has its default.
    static var everythingSet: Realm {
        var realm = Example.realm
        realm.displayName = "Démo \u{1F511} \"x\""
        realm.isEnabled = false
        realm.signingAlgorithm = .rs256
        realm.accessTokenType = .jwt
        realm.notBefore = 12
        realm.signsInWithPassword = false
        realm.signsInWithEmail = false
        realm.allowsPasswordReset = false
        realm.confirmsEmail = true
        realm.allowsDeletion = false
        realm.signsOutByHintAlone = true
        realm.errorStyle = .phrase
        realm.registration = .email
        realm.lifetimes.accessToken = 1
        realm.lifetimes.code = 2
        realm.lifetimes.sessionIdle = 3
        realm.lifetimes.sessionMaximum = 4
        realm.lifetimes.offlineIdle = 5
        realm.lifetimes.offlineMaximum = 6
        realm.lifetimes.refreshGrace = 7
        realm.lifetimes.pushedRequest = 8
        realm.lifetimes.formerSessionMaximum = 9
        realm.acrLevels = ["silver": 1, "gold": 2]
        realm.defaultLanguage = "de"
        realm.codeDrift = 1
        realm.events.keepsSignIns = true
        realm.events.kinds = [.signedIn]
        realm.events.keepsAdministration = true
        realm.events.lifetime = 60
        realm.defaultRoles = [
            RoleName(clientID: "notes", name: "editor"), RoleName(clientID: nil, name: "admin"),
        ]
        realm.defaultGroupIDs = ["group-1"]
        realm.defaultClientScopes = ["c", "a"]
        realm.optionalClientScopes = ["b"]
        realm.kept = KeptRepresentation(["a": ["b"]])
        realm.mappers = ClaimMapper.ofEveryKind
        realm.lifetimes.appIdle = 10
        realm.tokenSwap = TokenSwap(issuer: "https://old.example", closesAt: 4_000_000_000)
        realm.profile = .atProtocol(resource: "https://host.example")
        return realm
    }
}
