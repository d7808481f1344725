import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport

/// Values that the contracts are tried with. Ann signed in at ``signedIn``; it is ``now``.
enum Example {
    static let signedIn: Int64 = 1_800_000_000
    static let now: Int64 = signedIn + 30
    static let idle: Int64 = 1800

    static let realm = Realm(
        id: "realm-1",
        name: "demo",
        displayName: "Demo",
        issuer: "https://id.example/realms/demo"
    )

    static let client = Client(
        id: "client-uuid",
        realmID: "realm-1",
        clientID: "notes",
        name: "Notes",
        type: .public,
        authentication: .none
    )

    /// Another one of the realm.
    static var client2: Client {
        var other = client
        other.id = "client-2"
        other.clientID = "other"
        return other
    }

    static let key = SigningKeyRecord(
        realmID: "realm-1",
        keyID: "key-1",
        algorithm: .es256,
        sealedPrivateKey: "sealed",
        createdAt: signedIn,
        activeFrom: signedIn
    )

    static let realmRole = role("role-1", "admin")
    static let clientRole = role("role-2", "editor", of: "notes")

    static func role(_ id: String, _ name: String, of clientID: String? = nil) -> Role {
        Role(id: id, realmID: "realm-1", clientID: clientID, name: name, description: "")
    }

    static let ann = person("ann")

    static func person(_ name: String) -> Person {
        var person = Person(
            id: "person-" + name,
            realmID: "realm-1",
            username: name,
            createdAt: signedIn - 1000
        )
        person.email = name + "@example.com"
        return person
    }

    static let password = PasswordHash(encoded: "$argon2id$ann")

    static var newRealm: NewRealm {
        NewRealm(
            realm: realm,
            keys: [key],
            clients: [client],
            roles: [realmRole, clientRole],
            people: [
                NewPerson(
                    person: ann,
                    password: password,
                    roles: [RoleName(clientID: nil, name: "admin")]
                )
            ]
        )
    }

    /// What ``Realm/everythingSet`` and ``Client/everythingSet`` name.
    static let scopes = ["a", "b", "c"].map {
        ClientScope(id: "scope-" + $0, realmID: "realm-1", name: $0)
    }
    static let group = Group(id: "group-1", realmID: "realm-1", parentID: nil, name: "staff")

    static let cookie = Hash256(of: "cookie")

    static let session = session("session-1", cookie: cookie)

    static func session(_ id: String, cookie: Hash256) -> PersonSession {
        PersonSession(
            id: id,
            realmID: "realm-1",
            personID: "person-ann",
            cookieHash: cookie,
            authenticatedAt: signedIn,
            acr: "1",
            amr: ["pwd"],
            device: "Firefox · Linux",
            createdAt: signedIn,
            lastSeenAt: signedIn,
            expiresAt: signedIn + 36_000,
            epoch: 0
        )
    }

    static func id(_ number: UInt8) -> UniqueID {
        UniqueID(random: RandomSource { Array(repeating: number, count: $0) })
    }

    static func fresh() -> UniqueID {
        UniqueID(random: .system)
    }

    /// What Ann gave the client, with a refresh token.
    static func grant(_ id: UniqueID = id(1)) -> Grant {
        Grant(
            id: id,
            realmID: "realm-1",
            clientID: "client-uuid",
            personID: "person-ann",
            sessionID: "session-1",
            scope: Scope(tokens: ["openid", "profile"]),
            isOffline: false,
            authenticatedAt: signedIn,
            acr: "1",
            amr: ["pwd"],
            claims: nil,
            createdAt: now,
            idleSeconds: 1800,
            expiresAt: signedIn + 36_000,
            refresh: RefreshState(
                generation: 1,
                secret: Array(repeating: 7, count: 32),
                keyID: [1, 2, 3, 4],
                rotatedAt: now,
                idempotencyKey: nil
            )
        )
    }

    /// A wish for a new password; without an address a demanded one.
    static func reset(_ number: UInt8, _ email: String = "") -> PasswordReset {
        PasswordReset(
            id: id(number),
            realmID: "realm-1",
            email: email,
            linkHash: Hash256(of: "link \(number)"),
            browser: Hash256(of: "browser"),
            back: number == 1 ? "request" : nil,
            expiresAt: now + 1800
        )
    }

    static func credential(_ id: String, _ kind: Credential.Kind, used: Int64 = 0) -> Credential {
        Credential(
            id: id,
            personID: "person-ann",
            kind: kind,
            label: "",
            createdAt: 0,
            priority: 0,
            parameters: [:],
            sealedSecret: "sealed",
            used: used
        )
    }

    static func rotation(of id: UniqueID, from generation: UInt32) -> Rotation {
        Rotation(familyID: id, generation: generation, idempotencyKey: nil, keyID: [1, 2, 3, 4])
    }

    static let realm2 = Realm(
        id: "realm-2",
        name: "other",
        displayName: "Other",
        issuer: "https://id.example/realms/other"
    )

    static func mail(_ message: MailDraft.Message, to address: String? = nil) -> MailDraft {
        MailDraft(id: fresh(), to: address, message: message, language: "de", createdAt: signedIn)
    }

    static func assertion(_ text: String = "jti") -> SpentOnce {
        SpentOnce(.assertion, hash: Hash256(of: text), expiresAt: now + 300)
    }
}

extension PersonStore {
    /// What a person allows a client, wherever they say so.
    func allow(_ scope: Scope, to clientID: String, by personID: String, at now: Int64) async throws
    {
        var client = Example.client
        client.id = clientID
        try await allow(
            Consent(scope: scope),
            to: client,
            by: personID,
            in: nil,
            notBefore: 0,
            at: now
        )
    }
}

/// What the contracts ask of Ann, her session and her client.
extension TestDatabase {
    func person(_ id: String) async throws -> PersonWithRoles? {
        try await people.person(id: id, realmID: "realm-1")
    }

    func secondFactors() async throws -> [Credential] {
        try await people.secondFactors(of: "person-ann", realmID: "realm-1")
    }

    func setPassword(_ password: PasswordHash, at now: Int64 = Example.now) async throws -> Change {
        try await people.setPassword(password, of: "person-ann", at: now)
    }

    func reset(_ id: UniqueID) async throws -> PasswordResetReading? {
        try await mailboxes.reset(id: id, realmID: "realm-1")
    }

    func allow(_ tokens: [String], to clientID: String, at now: Int64 = Example.now) async throws {
        try await people.allow(Scope(tokens: tokens), to: clientID, by: "person-ann", at: now)
    }

    func consent(_ clientID: String = "client-uuid") async throws -> Consent? {
        try await people.consent(personID: "person-ann", clientID: clientID)
    }

    func disconnect(_ clientID: String = "client-uuid", at now: Int64 = Example.now) async throws
        -> Change
    {
        try await people.disconnect(clientID, from: "person-ann", realmID: "realm-1", at: now)
    }

    @discardableResult
    func start(_ session: PersonSession, replacing old: Hash256? = nil) async throws
        -> SessionBeginning
    {
        try await sessions.start(session, replacing: old, upgrading: nil)
    }

    func endSession(_ id: String = "session-1", at now: Int64 = Example.now) async throws -> Change
    {
        try await sessions.end(id: id, realmID: "realm-1", at: now)
    }

    /// Those of Ann, but one.
    func endSessions(but kept: String, at now: Int64 = Example.now) async throws {
        _ = try await sessions.signOutEverywhere(of: "person-ann", except: kept, at: now)
    }

    func signOutEverywhere(at now: Int64) async throws -> Change {
        try await people.signOutEverywhere("person-ann", realmID: "realm-1", at: now)
    }

    func liveByCookie(_ cookie: Hash256 = Example.cookie, at now: Int64 = Example.now) async throws
        -> LiveSession?
    {
        try await sessions.live(cookie: cookie, realmID: "realm-1", at: now, idle: Example.idle)
    }

    func liveByID(_ id: String = "session-1", at now: Int64 = Example.now) async throws
        -> LiveSession?
    {
        try await sessions.live(id: id, realmID: "realm-1", at: now, idle: Example.idle)
    }

    func insert(_ grant: Grant) async throws -> Redemption {
        try await grants.insert(grant, spending: [], at: Example.now)
    }

    func revoke(_ id: UniqueID, at now: Int64 = Example.now) async throws -> Revocation {
        try await grants.revoke(id: id, spending: [], at: now)
    }

    func claim(at now: Int64 = Example.now) async throws -> [LogoutDelivery] {
        try await logoutDeliveries.claim(at: now, until: now + 60, limit: 100)
    }
}
