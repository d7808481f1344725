import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Clients from their documents: what is kept of them", .everyDatabase)
struct DocumentContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private static let day: Int64 = 86_400
    private static let document: Client = {
        var client = Client(
            id: "document-1",
            realmID: "realm-1",
            clientID: "https://app.example.com/client.json",
            name: "app.example.com",
            type: .confidential,
            authentication: .privateKeyJWT
        )
        client.source = .document
        client.assertionAlgorithm = .edDSA
        client.requiresConsent = true
        client.consentMemory = .namedAccount
        client.consentFingerprint = Hash256(of: "1")
        client.scopeRule = .atProtocol
        client.staySignedIn = .apart(idle: 10 * day, most: 20 * day)
        client.compatibility = [.listedAudience]
        return client
    }()

    private static func grant(_ id: UniqueID = Example.id(1)) -> Grant {
        var grant = Example.grant(id)
        grant.clientID = document.id
        grant.isOffline = true
        grant.hasOwnTimes = true
        grant.expiresAt = nil
        grant.idleSeconds = 10 * day
        return grant
    }

    private func redeem(
        _ stores: TestDatabase,
        _ grant: Grant = grant(),
        request: UInt8 = 9,
        issuedAt: Int64 = Example.now,
        once challenge: SpentOnce? = nil
    ) async throws -> Redemption {
        try await stores.grants.redeem(
            grant,
            requestID: Example.id(request),
            issuedAt: issuedAt,
            of: Self.document,
            spending: [],
            once: challenge,
            at: Example.now
        )
    }

    private func kept(_ stores: TestDatabase, in realm: String = "realm-1") async throws -> Client?
    {
        try await stores.grants.clientFromDocument(id: Self.document.id, realmID: realm)
    }

    private func allow(
        _ stores: TestDatabase,
        _ scope: String = "a",
        _ text: String = "1",
        notBefore: Int64 = 0
    ) async throws {
        try await stores.people.allow(
            Consent(scope: try Scope(scope), fingerprint: Hash256(of: text)),
            to: Self.document,
            by: Example.ann.id,
            in: Example.session,
            notBefore: notBefore,
            at: Example.now
        )
    }

    private func consent(_ stores: TestDatabase, notBefore: Int64 = 0) async throws
        -> Consent?
    {
        try await stores.people.consent(
            personID: Example.ann.id,
            clientID: Self.document.id,
            notBefore: notBefore
        )
    }

    /// The addresses of the apps that Ann's account lists.
    private func listed(_ stores: TestDatabase, notBefore: Int64 = 0) async throws -> [String] {
        try await stores.people.connectedApps(
            of: Example.ann.id,
            realmID: "realm-1",
            notBefore: notBefore,
            at: Example.now
        ).map(\.clientID)
    }

    @Test("decision 0064: a redemption keeps the document, and its grant is live with it")
    func redeemed() async throws {
        #expect(try await kept(stores) == nil)
        #expect(try await redeem(stores) == .redeemed)
        #expect(try await kept(stores) == Self.document)
        #expect(try await kept(stores, in: "realm-2") == nil)
        #expect(try await stores.realms.snapshot().clients.allSatisfy { $0.source == .registered })
        for name in [ClientName.clientID(Self.document.clientID), .id(Self.document.id)] {
            #expect(try await stores.realms.reading(of: name, realmID: "realm-1").found == nil)
        }
        #expect(try await !stores.realms.hasClient(Self.document.clientID, realmID: "realm-1"))
        #expect(try await stores.realms.clientCount(realmID: "realm-1") == 1)
        #expect(try await stores.reading(Example.id(1))?.isLive == true)
        // Once more, as it is now.
        #expect(try await redeem(stores, Self.grant(Example.id(2)), request: 8) == .redeemed)
        #expect(try await kept(stores) == Self.document)
    }

    @Test("decision 0064: what is not redeemed keeps nothing, and no document means no live grant")
    func refused() async throws {
        let challenge = SpentOnce(
            .challenge,
            hash: Hash256(of: "challenge"),
            expiresAt: Example.now + 300
        )
        _ = try await stores.grants.spend([challenge], at: Example.now)
        #expect(try await redeem(stores, once: challenge) == .spentBefore(.challenge))
        #expect(try await kept(stores) == nil)
        #expect(try await stores.reading(Example.id(1))?.isLive != true)
    }

    @Test(
        "decision 0064: a document that nothing needs goes; with it live grants would end, so they keep it"
    )
    func purged() async throws {
        #expect(try await redeem(stores) == .redeemed)
        try await stores.grants.purgeClientsFromDocuments(before: Example.now + 1)
        #expect(try await kept(stores) != nil)
        // What is alive stays, although its client is registered nowhere.
        try await stores.grants.purge(before: Example.now + 5 * Self.day)
        #expect(
            try await stores.reading(Example.id(1), at: Example.now + 5 * Self.day)?.isLive == true
        )
        _ = try await stores.revoke(Example.id(1))
        // Only once their session is over: it says who must be told.
        _ = try await stores.endSession()
        try await stores.grants.purge(before: Example.now + 5 * Self.day)
        try await stores.grants.purgeClientsFromDocuments(before: Example.now)
        #expect(try await kept(stores) != nil, "it was used just now")
        try await stores.grants.purgeClientsFromDocuments(before: Example.now + 1)
        #expect(try await kept(stores) == nil)
    }

    @Test(
        "CIMD-6.3-1: consent adds up while the client stays the same, and begins anew if it changes"
    )
    func consents() async throws {
        let ann = Example.ann.id
        func allow(_ scope: String, _ text: String) async throws -> Consent? {
            try await self.allow(stores, scope, text)
            return try await consent(stores)
        }
        #expect(try await consent(stores) == nil)
        #expect(try await allow("a b", "1")?.scope == Scope("a b"))
        #expect(try await allow("b c", "1")?.scope == Scope("a b c"))
        let changed = try await allow("b", "2")
        #expect(changed?.scope == (try Scope("b")))
        #expect(changed?.fingerprint == Hash256(of: "2"))
        #expect(try await kept(stores) == Self.document)
        try await stores.grants.purgeClientsFromDocuments(before: Example.now + 1)
        #expect(try await kept(stores) != nil, "a person allowed it something")
        // They go with the person.
        _ = try await stores.people.deletePerson(id: ann, realmID: "realm-1")
        try await stores.grants.purgeClientsFromDocuments(before: Example.now + 1)
        #expect(try await kept(stores) == nil)
    }

    /// What ends all sessions and grants of a person.
    enum Ending: CaseIterable {
        case newPassword, signedOut, notBefore, disabled

        func happen(to stores: TestDatabase) async throws {
            var ann = Example.ann
            switch self {
            case .newPassword:
                // The second of the sign-in: times cannot tell them apart.
                _ = try await stores.people.setPassword(
                    PasswordHash(encoded: "new"),
                    of: ann.id,
                    at: Example.signedIn
                )
            case .signedOut:
                _ = try await stores.signOutEverywhere(at: Example.signedIn)
            case .notBefore:
                ann.notBefore = Example.signedIn
                _ = try await stores.people.update(ann)
            case .disabled:
                ann.isEnabled = false
                _ = try await stores.people.update(ann)
            }
        }
    }

    @Test(
        "ATP-UI-3: what ends all of a person's sessions ends what they allowed, and begins nothing",
        arguments: Ending.allCases
    )
    func forgotten(_ ending: Ending) async throws {
        try await allow(stores)
        #expect(try await consent(stores) != nil)
        try await ending.happen(to: stores)
        #expect(try await consent(stores) == nil)
        // The page was open in a session of before.
        try await allow(stores)
        #expect(try await consent(stores) == nil)
    }

    @Test(
        "WEB-SESS-7: ending the others ends the sessions of such clients, and what they were allowed"
    )
    func elsewhere() async throws {
        try await allow(stores)
        #expect(try await redeem(stores) == .redeemed)
        try await stores.endSessions(but: "session-1")
        #expect(try await stores.reading(Example.id(1))?.isLive == false)
        #expect(try await consent(stores) == nil)
        #expect(try await stores.liveByCookie() != nil)
        // Nor does a code that the session that goes on led to.
        let late = Self.grant(Example.id(2))
        #expect(try await redeem(stores, late, request: 8) == .sessionEnded)
        let later = Example.now + 1
        #expect(try await redeem(stores, late, request: 8, issuedAt: later) == .redeemed)
        // What a public client may is not stored: its session alone says so.
        try await stores.endSessions(but: "session-1", at: later)
        let last = Self.grant(Example.id(3))
        #expect(try await redeem(stores, last, request: 7, issuedAt: later) == .sessionEnded)
    }

    @Test("ATP-UI-3: what was allowed before the realm's not-before counts no more, nor adds up")
    func notBefore() async throws {
        try await allow(stores, "a b")
        #expect(try await consent(stores, notBefore: Example.now) != nil)
        #expect(try await consent(stores, notBefore: Example.now + 1) == nil)
        #expect(try await listed(stores, notBefore: Example.now) == [Self.document.id])
        #expect(try await listed(stores, notBefore: Example.now + 1).isEmpty)
        try await allow(stores, "b c", notBefore: Example.now + 1)
        #expect(try await consent(stores)?.scope == (try Scope("b c")))
    }

    @Test("ATP-UI-2: what a client without a session was allowed is told, and taken back")
    func permitted() async throws {
        try await allow(stores)
        #expect(try await redeem(stores) == .redeemed)
        #expect(try await listed(stores) == [Self.document.id], "once, with its session")
        _ = try await stores.revoke(Example.id(1))
        #expect(try await listed(stores) == [Self.document.id])
        func takeBack(from person: String) async throws -> Change {
            try await stores.people.disconnect(
                Self.document.id,
                from: person,
                realmID: "realm-1",
                at: Example.now
            )
        }
        #expect(try await takeBack(from: "somebody") == .notFound)
        #expect(try await listed(stores) == [Self.document.id])
        #expect(try await takeBack(from: Example.ann.id) == .changed)
        #expect(try await listed(stores).isEmpty)
        #expect(try await consent(stores) == nil)
        // Nor does a code from before bring it back.
        let late = Self.grant(Example.id(2))
        #expect(try await redeem(stores, late, request: 8) == .sessionEnded)
        let later = Example.now + 1
        #expect(try await redeem(stores, late, request: 8, issuedAt: later) == .redeemed)
    }

    @Test(
        "ATP-UI-2: with the last session of a client its codes go, and not before",
        arguments: [true, false]
    )
    func codes(_ isConfidential: Bool) async throws {
        // What a public client may is not stored.
        if isConfidential { try await allow(stores) }
        func end(_ number: UInt8) async throws -> Bool {
            try await stores.people.endAppSession(
                Example.id(number),
                of: Example.ann.id,
                realmID: "realm-1",
                at: Example.now
            ) == Self.document.clientID
        }
        for number: UInt8 in [1, 2] {
            let grant = Self.grant(Example.id(number))
            #expect(try await redeem(stores, grant, request: 10 + number) == .redeemed)
        }
        #expect(try await end(1))
        let third = Self.grant(Example.id(3))
        #expect(try await redeem(stores, third, request: 13) == .redeemed)
        #expect(try await end(2))
        #expect(try await end(3))
        #expect(try await consent(stores) == nil)
        let fourth = Self.grant(Example.id(4))
        #expect(try await redeem(stores, fourth, request: 14) == .sessionEnded)
    }

    @Test("ATP-UI-2: a person has their own sessions, each apart, and ends one of them")
    func sessions() async throws {
        let ann = Example.ann.id
        #expect(try await redeem(stores) == .redeemed)
        #expect(try await redeem(stores, Self.grant(Example.id(2)), request: 8) == .redeemed)
        func sessions() async throws -> [UniqueID] {
            try await stores.people.appSessions(
                of: ann,
                realmID: "realm-1",
                notBefore: 0,
                at: Example.now
            ).map(\.grantID)
        }
        func end(_ id: UniqueID, of person: String, in realm: String = "realm-1") async throws
            -> Bool
        {
            try await stores.people.endAppSession(
                id,
                of: person,
                realmID: realm,
                at: Example.now
            ) != nil
        }
        #expect(Set(try await sessions()) == [Example.id(1), Example.id(2)])
        #expect(try await !end(Example.id(1), of: "another"))
        #expect(try await !end(Example.id(1), of: ann, in: "realm-2"))
        #expect(try await end(Example.id(1), of: ann))
        #expect(try await !end(Example.id(1), of: ann))
        #expect(try await sessions() == [Example.id(2)])
        #expect(try await stores.reading(Example.id(1))?.isLive == false)
        // What hangs on a browser's session is none of them.
        #expect(
            try await stores.redeem(Example.grant(Example.id(3)), request: Example.id(7))
                == .redeemed
        )
        #expect(try await !end(Example.id(3), of: ann))
    }

    @Test(
        "decision 0064: a registered client takes the place of a document, with its grants and consents"
    )
    func registered() async throws {
        try await allow(stores)
        #expect(try await redeem(stores) == .redeemed)
        var client = Example.client
        client.id = "registered-1"
        client.clientID = Self.document.clientID
        #expect(try await stores.realms.create(client) == .created)
        #expect(try await kept(stores) == nil)
        #expect(try await consent(stores) == nil)
        #expect(try await stores.reading(Example.id(1))?.isLive == false)
        // A person let the document in a moment earlier.
        try await allow(stores)
        #expect(try await consent(stores) == nil)
        let late = Self.grant(Example.id(2))
        #expect(try await redeem(stores, late, request: 8) == .sessionEnded)
        #expect(try await stores.reading(Example.id(2))?.isLive == false)
        #expect(try await stores.realms.create(client) == .conflict)
        // When the document comes back, nothing of before does.
        #expect(try await stores.realms.deleteClient(id: client.id) == .changed)
        #expect(try await redeem(stores, Self.grant(Example.id(3)), request: 7) == .redeemed)
        #expect(try await stores.reading(Example.id(1))?.isLive == false)
        #expect(try await stores.reading(Example.id(2))?.isLive == false)
        #expect(try await consent(stores) == nil)
    }

    @Test(
        "decision 0064: no key of a document is kept, and what registered clients were allowed stays"
    )
    func apart() async throws {
        let scope = try Scope("openid")
        try await stores.people.allow(
            scope,
            to: Example.client.id,
            by: Example.ann.id,
            at: Example.now
        )
        var client = Self.document
        client.keySet = ["keys": []]
        try await stores.people.allow(
            Consent(scope: scope, fingerprint: client.consentFingerprint),
            to: client,
            by: Example.ann.id,
            in: Example.session,
            notBefore: 0,
            at: Example.now
        )
        #expect(try await kept(stores) == Self.document)
        #expect(Set(try await listed(stores)) == [Example.client.id, Self.document.id])
        _ = try await stores.signOutEverywhere(at: Example.now)
        #expect(try await listed(stores) == [Example.client.id])
    }

    @Test(
        "decision 0064: another DID, or none, ends all that a person has; their first one, nothing",
        arguments: [nil, "did:plc:44ybard66vv44zksje25o7dz"] as [String?]
    )
    func otherDID(_ next: String?) async throws {
        try await allow(stores)
        #expect(try await redeem(stores) == .redeemed)
        let first = ["did:plc:ewvi7nxzyoun6zhxrhs64oiz"]
        var ann = Example.ann
        ann.attributes["did"] = first
        #expect(try await stores.people.update(ann) == .changed)
        ann.givenName = "Ann"
        #expect(try await stores.people.update(ann) == .changed)
        #expect(try await stores.reading(Example.id(1))?.isLive == true)
        #expect(try await consent(stores) != nil)
        ann.attributes["did"] = next.map { [$0] }
        #expect(try await stores.people.update(ann) == .changed)
        ann.attributes["did"] = first
        #expect(try await stores.people.update(ann) == .changed)
        #expect(try await stores.reading(Example.id(1))?.isLive == false)
        #expect(try await consent(stores) == nil)
        #expect(try await stores.liveByCookie() == nil)
        // A code from before is worth nothing either.
        #expect(try await redeem(stores, Self.grant(Example.id(2)), request: 8) == .sessionEnded)
    }

    @Test("decision 0064: a DID is one person's in a realm; other attributes of that name are free")
    func dids() async throws {
        let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
        var ann = Example.ann
        ann.attributes["did"] = [did]
        #expect(try await stores.people.update(ann) == .changed)
        var bea = Example.person("bea")
        bea.attributes["did"] = [did]
        #expect(try await stores.people.create(NewPerson(person: bea, password: nil)) == .conflict)
        #expect(try await stores.people.person(id: bea.id, realmID: bea.realmID) == nil)
        bea.attributes["did"] = ["no DID"]
        #expect(try await stores.people.create(NewPerson(person: bea, password: nil)) == .created)
        bea.attributes["did"] = [did]
        await #expect(throws: StoreConflict.self) { try await stores.people.update(bea) }
        ann.attributes["did"] = nil
        #expect(try await stores.people.update(ann) == .changed)
        #expect(try await stores.people.update(bea) == .changed)
        #expect(try await stores.people.person(id: bea.id, realmID: bea.realmID)?.person.did == did)
    }
}
