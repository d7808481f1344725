import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

/// Values that the contracts of accounts are tried with. Ann signs in with Google at ``now``.
enum AccountExample {
    static let now: Int64 = 1_800_000_000
    static let idle: Int64 = 1800
    static let sessionLife: Int64 = 86_400
    static let google = "https://accounts.google.com"
    static let apple = "https://appleid.apple.com"

    static let ann = key("ann")

    static func key(_ subject: String, at issuer: String = google) -> IdentityKey {
        IdentityKey(issuer: issuer, subject: subject)
    }

    static func identity(
        _ key: IdentityKey = ann,
        _ email: Mailbox? = nil,
        token: String? = nil
    ) -> Identity {
        Identity(
            key: key,
            provider: provider(of: key),
            email: email,
            linkedAt: 0,
            lastUsedAt: 0,
            sealedToken: token
        )
    }

    static func provider(of key: IdentityKey) -> String {
        switch key.issuer {
        case google: "google"
        case apple: "apple"
        default: "oidc"
        }
    }

    static func verified(_ address: String = "ann@example.com") -> Mailbox {
        Mailbox(address: address, verification: .authoritative)
    }

    static func vouched(_ address: String = "ann@example.com") -> Mailbox {
        Mailbox(address: address, verification: .vouched)
    }

    static func mailed(_ address: String = "ann@example.com") -> Mailbox {
        Mailbox(address: address, verification: .mailedCode)
    }

    static func unverified(_ address: String = "ann@example.com") -> Mailbox {
        Mailbox(address: address)
    }

    static func relay(_ address: String = "x1@privaterelay.example") -> Mailbox {
        Mailbox(address: address, verification: .vouched, isRelay: true)
    }

    static func fresh() -> UniqueID { UniqueID(random: .system) }
    static func freshSession() -> String { fresh().text }
    static func freshHash() -> Hash256 { Hash256(of: RandomSource.system.bytes(16)) }

    static func attempt(_ hash: Hash256 = freshHash()) -> SpentOnce {
        SpentOnce(hash: hash, expiresAt: now + 600)
    }

    static func browser(
        _ cookie: Hash256 = freshHash(),
        replacing old: Hash256? = nil,
        id: String = freshSession()
    ) -> NewSession {
        var session = session(.browser(cookieHash: cookie), id: id)
        session.replaces = old
        return session
    }

    static func session(_ form: PersonSession.Form, id: String = freshSession()) -> NewSession {
        NewSession(
            id: id,
            form: form,
            providerSessionID: nil,
            device: "Firefox on Linux",
            address: "192.0.2.7",
            idleSeconds: idle,
            expiresAt: now + sessionLife
        )
    }

    static func app(id: String = freshSession(), refresh: RefreshState = refresh())
        -> NewSession
    {
        session(.app(name: "notes", refresh: refresh), id: id)
    }

    static func refresh(_ generation: UInt32 = 1) -> RefreshState {
        RefreshState(
            generation: generation,
            secret: Array(repeating: 7, count: 32),
            keyID: [1, 2, 3, 4],
            rotatedAt: now,
            idempotencyKey: nil
        )
    }

    static func signIn(
        _ key: IdentityKey = ann,
        email: Mailbox? = nil,
        session: NewSession = browser(),
        rule: SignInEvent.EmailRule = .never,
        spending: [SpentOnce] = [attempt()]
    ) -> SignInEvent {
        SignInEvent(
            realmID: "home",
            spending: spending,
            identity: identity(key, email),
            name: "Ann",
            picture: "https://pictures.example/ann",
            language: "de",
            emailRule: rule,
            isSignUpOpen: true,
            newPersonID: fresh().text,
            session: session,
            userAgent: "Mozilla/5.0",
            notice: nil
        )
    }

    static func handOff(_ code: Hash256 = freshHash()) -> HandOff {
        HandOff(
            codeHash: code,
            app: "notes",
            redirectHash: Hash256(of: "com.example.notes:/cb"),
            challenge: Hash256(of: "verifier"),
            expiresAt: now + 60
        )
    }

    static func presentation(of code: HandOff) -> HandOffPresentation {
        HandOffPresentation(
            codeHash: code.codeHash,
            app: code.app,
            redirectHash: code.redirectHash,
            challenge: code.challenge,
            refresh: refresh()
        )
    }

    static func notice(to address: String? = nil) -> MailDraft {
        MailDraft(
            id: fresh(),
            to: address,
            message: .newDevice(device: "Firefox on Linux", at: now, provider: "google"),
            language: "de",
            createdAt: now
        )
    }
}

extension TestDatabase {
    /// A person who signed in with a browser.
    struct SignedIn {
        var account: Person
        var cookie: Hash256
        var sessionID: String
    }

    func signIn(_ event: SignInEvent, at now: Int64 = AccountExample.now) async throws
        -> SignInOutcome
    {
        try await makeHome()
        return try await accounts.signIn(event, at: now)
    }

    /// Signs in a person who may sign in.
    func signedIn(
        _ key: IdentityKey = AccountExample.ann,
        email: Mailbox? = nil,
        rule: SignInEvent.EmailRule = .never,
        at now: Int64 = AccountExample.now
    ) async throws -> SignedIn {
        let cookie = AccountExample.freshHash()
        let session = AccountExample.browser(cookie)
        let event = AccountExample.signIn(key, email: email, session: session, rule: rule)
        let account = try #require(try await signIn(event, at: now).account)
        return SignedIn(account: account, cookie: cookie, sessionID: session.id)
    }

    func live(_ cookie: Hash256, at now: Int64 = AccountExample.now) async throws
        -> LiveSession?
    {
        try await liveByFirstStep(cookie: cookie, at: now)
    }

    func sessions(of id: String, at now: Int64 = AccountExample.now) async throws
        -> [PersonSession]
    {
        try await sessions.sessions(
            of: id,
            realmID: "home",
            at: now,
            idle: 1800,
            limit: 10
        )
    }

    func isLive(_ id: String, at now: Int64 = AccountExample.now) async throws -> Bool {
        try await liveByFirstStep(id: id, at: now) != nil
    }

    /// A session that waits for its app.
    func waiting(_ key: IdentityKey = AccountExample.ann) async throws -> (
        code: HandOff, account: Person, sessionID: String
    ) {
        let code = AccountExample.handOff()
        let session = AccountExample.session(.handOff(code))
        let event = AccountExample.signIn(key, session: session)
        let account = try #require(try await signIn(event).account)
        return (code, account, session.id)
    }

    func link(
        _ key: IdentityKey,
        email: Mailbox? = nil,
        in sessionID: String,
        spending: [SpentOnce] = [AccountExample.attempt()],
        notice: MailDraft? = nil,
        at now: Int64 = AccountExample.now
    ) async throws -> LinkOutcome {
        let event = LinkEvent(
            spending: spending,
            identity: AccountExample.identity(key, email),
            sessionID: sessionID,
            notice: notice
        )
        return try await accounts.link(event, at: now)
    }

    /// As the server clears away.
    func purge(before time: Int64) async throws {
        try await sessions.purge(before: time)
        try await accounts.purge(before: time)
    }

    func kinds(of personID: String? = nil) async throws -> [Event.Kind] {
        try await events.latest(of: personID).map(\.kind)
            .reversed()
    }

    func delete(_ id: String) async throws -> [Identity]? {
        try await accounts.delete(id, noticeID: AccountExample.fresh(), at: AccountExample.now)
    }

    func forget(_ key: IdentityKey, linkedUntil issuedAt: Int64 = .max) async throws -> Bool {
        try await accounts.forget(
            key,
            realmID: "home",
            linkedUntil: issuedAt,
            noticeID: AccountExample.fresh(),
            at: AccountExample.now
        )
    }

    /// What was mailed but codes, the latest first.
    func notices() async throws -> [MailDraft] {
        try await outbox.latest(limit: 1000).map(\.draft).filter {
            if case .confirmationCode = $0.message { false } else { true }
        }
    }

    func recipients() async throws -> [String] {
        try await outbox.latest(limit: 1000).compactMap(\.draft.to)
    }

    func accountCount() async throws -> Int {
        try await registered().count
    }
}

extension SignInOutcome {
    var account: Person? {
        if case .signedIn(let account, _) = self { account } else { nil }
    }

    var isNew: Bool? {
        if case .signedIn(_, let isNew) = self { isNew } else { nil }
    }
}
