import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoStores

@Suite("PersonStore: passwords and consent", .everyDatabase) struct CredentialContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private var people: PersonStore { stores.people }

    @Test("a login is a user name, or an email address where allowed, without regard to case")
    func login() async throws {
        let ann = PersonCredentials(person: Example.ann, password: Example.password)
        #expect(try await stores.credentials("ann") == ann)
        #expect(try await stores.credentials("ANN") == ann)
        #expect(try await stores.credentials("ann@example.com") == nil)
        #expect(try await stores.credentials("Ann@Example.COM", byEmail: true) == ann)
        #expect(try await stores.credentials("ann", byEmail: true) == ann)
        #expect(try await stores.credentials("nobody", byEmail: true) == nil)
        #expect(try await stores.credentials("") == nil)
        let elsewhere = try await stores.people.credentials(
            realmID: "realm-2",
            login: "ann",
            byEmail: true
        )
        #expect(elsewhere == nil)
    }

    @Test("a username has priority over another person's email address")
    func precedence() async throws {
        var bob = Example.person("bob")
        bob.username = "ann@example.com"
        _ = try await stores.people.create(NewPerson(person: bob, password: nil))
        let found = try await stores.credentials("ann@example.com", byEmail: true)
        #expect(found == PersonCredentials(person: bob, password: nil))
    }

    @Test("a new password ends every session and grant of the same second, and none from after")
    func setPassword() async throws {
        var grant = Example.grant()
        grant.isOffline = true
        #expect(try await stores.redeem(grant) == .redeemed)
        let new = PasswordHash(encoded: "new")
        // The second in which the grant was made.
        let later = Example.now
        #expect(try await stores.setPassword(new, at: later) == .changed)
        #expect(try await stores.people.setPassword(new, of: "unknown", at: later) == .notFound)
        #expect(try await stores.credentials("ann")?.password == new)
        #expect(try await stores.liveByCookie(at: later) == nil)
        #expect(try await stores.reading(grant.id, at: later)?.isLive == false)

        var session = Example.session("session-2", cookie: Example.cookie)
        session.form = .browser(cookieHash: Hash256(of: "after"))
        session.authenticatedAt = later
        session.provenAt = later
        session.epoch = try #require(try await stores.credentials("ann")).epoch
        try await stores.start(session)
        #expect(try await stores.liveByID("session-2", at: later) != nil)
        var after = Example.grant(Example.id(2))
        after.sessionID = "session-2"
        after.createdAt = later
        #expect(try await stores.redeem(after, request: Example.id(8), at: later) == .redeemed)
        #expect(try await stores.reading(after.id, at: later)?.isLive == true)
    }

    @Test("a sign-in that read the former password does not outlive it, however late it is written")
    func lateSignIn() async throws {
        let before = try #require(try await stores.credentials("ann"))
        let new = PasswordHash(encoded: "new")
        _ = try await stores.setPassword(new)
        var session = Example.session("session-2", cookie: Hash256(of: "late"))
        session.authenticatedAt = Example.now + 5
        session.provenAt = Example.now + 5
        session.epoch = before.epoch
        try await stores.start(session)
        #expect(try await stores.liveByID("session-2", at: Example.now + 5) == nil)
        var grant = Example.grant()
        grant.sessionID = "session-2"
        grant.createdAt = Example.now + 5
        #expect(try await stores.redeem(grant) == .sessionEnded)
    }

    @Test("a clock that was set back does not revive what a new password ended")
    func clockSetBack() async throws {
        let new = PasswordHash(encoded: "new")
        _ = try await people.setPassword(new, of: "person-ann", at: Example.now)
        _ = try await people.setPassword(new, of: "person-ann", at: Example.now - 500)
        #expect(try await stores.person("person-ann")?.person.notBefore == Example.now)
    }

    @Test(
        "decision 0037: a rehash signs no one out, and yields to a password changed in the meantime"
    )
    func upgrade() async throws {
        let stronger = PasswordHash(encoded: "stronger")
        let late = PasswordHash(encoded: "late")
        for (index, new) in [stronger, late].enumerated() {
            try await stores.sessions.start(
                Example.session("session-\(index + 2)", cookie: Hash256(of: "cookie-\(index)")),
                replacing: nil,
                upgrading: PasswordUpgrade(from: Example.password, to: new)
            )
            #expect(try await stores.credentials("ann")?.password == stronger)
        }
        #expect(try await stores.liveByCookie() != nil)
        #expect(try await stores.liveByID("session-2") != nil)
        #expect(try await stores.liveByID("session-3") != nil)
    }

    @Test("decision 0039: consent adds up, for one client")
    func consent() async throws {
        _ = try await stores.realms.create(Example.client2)
        #expect(try await people.consent(personID: "person-ann", clientID: "client-uuid") == nil)
        for tokens in [["openid", "email"], ["profile", "openid"]] {
            try await people.allow(
                Scope(tokens: tokens),
                to: "client-uuid",
                by: "person-ann",
                at: Example.now
            )
        }
        let consent = try await people.consent(personID: "person-ann", clientID: "client-uuid")
        #expect(consent?.scope == Scope(tokens: ["openid", "email", "profile"]))
        #expect(try await people.consent(personID: "person-ann", clientID: "client-2") == nil)
        try await people.allow(.none, to: "client-2", by: "person-ann", at: Example.now)
        let none = try await people.consent(personID: "person-ann", clientID: "client-2")
        #expect(none?.scope == Scope.none)
    }

    @Test("decision 0039: concurrent consents are all kept")
    func consentRace() async throws {
        _ = try await concurrently(20) { index in
            try await people.allow(
                Scope(tokens: ["scope-\(index)"]),
                to: "client-uuid",
                by: "person-ann",
                at: Example.now
            )
        }
        let consent = try await people.consent(personID: "person-ann", clientID: "client-uuid")
        #expect(consent?.scope == Scope(tokens: (0..<20).map { "scope-\($0)" }))
    }

    @Test("consent goes with the person and with the client, and needs both")
    func consentEnds() async throws {
        let scope = Scope(tokens: ["openid"])
        let allow = { (person: String, client: String) in
            try await stores.people.allow(scope, to: client, by: person, at: Example.now)
        }
        try await allow("person-ann", "client-uuid")
        await #expect(throws: MissingReference.self) { try await allow("unknown", "client-uuid") }
        await #expect(throws: MissingReference.self) { try await allow("person-ann", "unknown") }
        #expect(try await stores.realms.deleteClient(id: "client-uuid") == .changed)
        #expect(try await stores.consent() == nil)
    }
}

extension TestDatabase {
    func credentials(_ login: String, byEmail: Bool = false) async throws -> PersonCredentials? {
        try await people.credentials(realmID: "realm-1", login: login, byEmail: byEmail)
    }
}
