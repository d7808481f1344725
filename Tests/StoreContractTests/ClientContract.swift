import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("RealmStore: clients and roles", .everyDatabase) struct ClientContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private var realms: RealmStore { stores.realms }

    @Test("a client_id is taken once in a realm")
    func conflict() async throws {
        var client = Example.client
        client.id = "client-2"
        #expect(try await realms.create(client) == .conflict)
        #expect(try await realms.snapshot().clients == [Example.client])
    }

    @Test("RFC 6749 §2.2: client_ids are compared as bytes")
    func bytes() async throws {
        for (index, clientID) in ["caf\u{E9}", "cafe\u{301}", "Notes"].enumerated() {
            var client = Example.client
            client.id = "client-\(index)"
            client.clientID = clientID
            #expect(try await realms.create(client) == .created)
        }
        #expect(try await realms.snapshot().clients.count == 4)
    }

    @Test("a realm, and a client of it, are found by their ids; a client_id is there or not")
    func byID() async throws {
        let client = Example.client
        #expect(try await realms.realm(id: client.realmID)?.id == client.realmID)
        #expect(try await realms.realm(id: "unknown") == nil)
        #expect(try await realms.client(id: client.id, realmID: client.realmID) == client)
        #expect(try await realms.client(id: client.id, realmID: "unknown") == nil)
        #expect(try await realms.hasClient(client.clientID, realmID: client.realmID))
        #expect(try await !realms.hasClient(client.clientID, realmID: "unknown"))
        #expect(try await !realms.hasClient("unknown", realmID: client.realmID))
    }

    @Test("of any number of concurrent creations of a client_id exactly one wins")
    func race() async throws {
        for round in 1...20 {
            let answers = try await concurrently(8) { index in
                var client = Example.client
                client.id = "client-\(round)-\(index)"
                client.clientID = "client-\(round)"
                return try await realms.create(client)
            }
            #expect(answers.count(of: .created) == 1)
        }
    }

    @Test("a client without its realm is refused")
    func missingRealm() async throws {
        var client = Example.client
        client.id = "client-2"
        client.realmID = "unknown"
        await #expect(throws: MissingReference.self) { try await realms.create(client) }
    }

    @Test("an update leaves client_id and realm")
    func update() async throws {
        for scope in Example.scopes { #expect(try await realms.create(scope) == .created) }
        var changed = Client.everythingSet
        changed.id = Example.client.id
        changed.clientID = "renamed"
        changed.realmID = "realm-2"
        #expect(try await realms.update(changed) == .changed)
        changed.clientID = "notes"
        changed.realmID = "realm-1"
        #expect(try await realms.snapshot().clients == [changed])
        // And back: what was optional is gone again.
        #expect(try await realms.update(Example.client) == .changed)
        #expect(try await realms.snapshot().clients == [Example.client])
        changed.id = "unknown"
        #expect(try await realms.update(changed) == .notFound)
    }

    @Test("what is kept is tried with a client whose every member differs from its default")
    func everything() {
        for member in Client.members {
            #expect(
                member.value(of: .everythingSet) != member.value(of: .blank),
                "\(member.name)"
            )
        }
    }

    @Test("a client's secret is kept in either form")
    func secrets() async throws {
        for secret in [ClientSecret.hashed(Hash256(of: "x").bytes), .sealed("sealed"), nil] {
            var client = Example.client
            client.secret = secret
            #expect(try await realms.update(client) == .changed)
            #expect(try await realms.snapshot().clients.first?.secret == secret)
        }
    }

    @Test("a client is deleted with its roles")
    func deletion() async throws {
        let role = RoleName(clientID: "notes", name: "editor")
        _ = try await stores.people.assign(role, to: "person-ann", realmID: "realm-1")
        #expect(try await stores.realms.deleteClient(id: "client-uuid") == .changed)
        #expect(try await stores.realms.roles(realmID: "realm-1") == [Example.realmRole])
        let ann = try await stores.person("person-ann")
        #expect(ann?.roles == [RoleName(clientID: nil, name: "admin")])
        #expect(try await stores.realms.deleteClient(id: "client-uuid") == .notFound)
    }

    @Test("roles come in the order of client and name")
    func roleOrder() async throws {
        #expect(try await realms.create(Example.role("role-3", "a", of: "notes")) == .created)
        #expect(try await realms.create(Example.role("role-4", "z")) == .created)
        #expect(try await realms.create(Example.role("role-5", "Z")) == .created)
        let names = try await realms.roles(realmID: "realm-1").map(\.name)
        #expect(names == ["Z", "admin", "z", "a", "editor"])
    }

    @Test("a role's name is taken once in the realm and once in each client")
    func roleConflict() async throws {
        #expect(try await realms.create(Example.role("role-3", "admin")) == .conflict)
        #expect(try await realms.create(Example.role("role-3", "editor", of: "notes")) == .conflict)
        #expect(try await realms.create(Example.role("role-3", "editor")) == .created)
        #expect(try await realms.create(Example.role("role-4", "admin", of: "notes")) == .created)
        await #expect(throws: MissingReference.self) {
            try await realms.create(Example.role("role-5", "x", of: "unknown"))
        }
    }

    @Test("a deleted role is taken from everyone")
    func roleDeletion() async throws {
        #expect(try await stores.realms.deleteRole(id: "role-1") == .changed)
        #expect(try await stores.realms.deleteRole(id: "role-1") == .notFound)
        #expect(try await stores.person("person-ann")?.roles == [])
    }
}

extension Client {
    /// No member has its default.
    static var everythingSet: Client {
        var client = Client(
            id: "client-0",
            realmID: "realm-1",
            clientID: "everything",
            name: "Everything \u{7F}",
            type: .confidential,
            authentication: .privateKeyJWT
        )
        client.isEnabled = false
        client.secret = .sealed("sealed")
        client.keySet = ["keys": [["kty": "EC", "x": 1]]]
        client.redirectURIs = [RedirectURI("https://app.example/cb"), RedirectURI("a:/\u{E9}")]
        client.postLogoutRedirectURIs = [RedirectURI("https://app.example/bye")]
        client.backchannelLogoutURI = HTTPAddress("https://app.example/logout?a=b")
        client.backchannelLogoutSessionRequired = true
        client.grantTypes = [.clientCredentials]
        client.codeProtection = .pkceOrNonce
        client.authenticatesStrictly = true
        client.takesTokenEndpointAudience = true
        client.accessTokenType = .jwt
        client.requiresConsent = true
        client.requiresPushedRequests = true
        client.dpopBoundAccessTokens = true
        client.isDevelopment = true
        client.isMoved = true
        client.defaultScopes = ["b"]
        client.optionalScopes = ["c", "a"]
        client.loginTokenTargets = [LoginTokenTarget(clientID: "notes", isSilent: true)]
        client.idTokenAlgorithm = .edDSA
        client.accessTokenAlgorithm = .rs256
        client.accessTokenLifetime = 60
        client.webOrigins = ["https://app.example"]
        client.mappers = [ClaimMapper(.audience("api"))]
        client.seesAllRoles = false
        client.tokenForm = .lightweight
        client.userInfoAlgorithm = .es256
        client.acrLevels = ["gold": 2]
        client.redirectRule = .exactPort
        client.rootURI = "https://app.example"
        client.homeURI = "/home"
        client.notBefore = 7
        client.compatibility = [.fragments, .longNames]
        client.kept = KeptRepresentation(["a": 1])
        client.assertionAlgorithm = .es256
        client.scopeRule = .atProtocol
        client.consentMemory = .namedAccount
        client.consentFingerprint = Hash256(of: "consent")
        client.administers = true
        client.lends = [RoleName(clientID: nil, name: "admin")]
        client.staySignedIn = .idle(600)
        client.handOff.form = .code
        client.handOff.isDefault = true
        client.handOff.appleAppIDs = ["ABCDE12345.com.example.notes"]
        client.handOff.androidApps = [
            HandOffRules.AndroidApp(
                packageName: "com.example.notes",
                fingerprint: Array(repeating: "AB", count: 32).joined(separator: ":")
            )
        ]
        client.handOff.audiences = [
            HandOffRules.NativeAudience(provider: "google", clientID: "notes")
        ]
        client.handOff.storeLinks = ["https://store.example/notes"]
        return client
    }
}
