import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

/// Values that the contracts of sessions by handle are tried with.
enum HandleExample {
    static let did = "did:plc:abcdefghijklmnopqrstuvwx"
    static let now = AccountExample.now

    static func new(
        _ did: String = did,
        sealed: String = "sealed 1",
        key: String? = "key-1",
        foreignSealsUntil: Int64? = nil
    ) -> NewHandleSession {
        NewHandleSession(
            did: did,
            handle: "ann.example.com",
            host: "https://pds.example.com",
            issuer: "https://as.example.com",
            clientID: "https://app.example/oauth-client-metadata.json",
            clientKeyID: key,
            askedScope: "atproto transition:generic transition:email",
            scope: "atproto transition:generic",
            sealed: sealed,
            accessExpiresAt: now + 900,
            foreignSealsUntil: foreignSealsUntil
        )
    }

    static func lease(_ revision: Int64 = 1, until: Int64 = now + 30) -> RefreshLease {
        RefreshLease(id: RandomSource.system.bytes(16), revision: revision, until: until)
    }

    static func key(_ id: String, activeFrom: Int64 = now + 600) -> HandleClientKey {
        HandleClientKey(
            keyID: id,
            algorithm: "ES256",
            sealedPrivateKey: "sealed \(id)",
            createdAt: now,
            activeFrom: activeFrom
        )
    }
}

extension TestDatabase {
    /// Ann, signed in by her handle.
    func signedInByHandle(
        _ new: NewHandleSession = HandleExample.new(),
        at now: Int64 = HandleExample.now
    ) async throws -> SignedIn {
        let cookie = AccountExample.freshHash()
        var session = AccountExample.browser(cookie)
        session.expiresAt = now + AccountExample.sessionLife
        var event = AccountExample.signIn(session: session)
        event.handleSession = new
        let account = try #require(try await signIn(event, at: now).account)
        return SignedIn(account: account, cookie: cookie, sessionID: session.id)
    }

    func handle(_ ann: SignedIn, at now: Int64 = HandleExample.now) async throws -> HandleSession? {
        try await handles.live(ann.sessionID, at: now)?.handle
    }

    func lease(
        _ ann: SignedIn,
        _ lease: RefreshLease = HandleExample.lease(),
        at now: Int64 = HandleExample.now
    ) async throws -> LeaseOutcome {
        try await handles.lease(ann.sessionID, lease, at: now)
    }

    func keep(
        _ ann: SignedIn,
        _ sealed: String = "sealed 2",
        after revision: Int64 = 1,
        at now: Int64 = HandleExample.now
    ) async throws -> KeepOutcome {
        try await handles.keep(
            sealed,
            scope: "atproto",
            accessExpiresAt: now + 900,
            host: "https://pds.example.com",
            handle: "ann.example.com",
            of: ann.sessionID,
            after: revision,
            at: now
        )
    }

    func takeDue(_ limit: Int = 100, at now: Int64 = HandleExample.now) async throws
        -> [DueRevocation]
    {
        try await handles.takeDue(limit: limit, at: now, retryAt: now + 60)
    }

    func hasHandleRow(_ ann: SignedIn) async throws -> Bool {
        try database.read { reader in
            try reader.hasRow(
                "SELECT 1 FROM handle_sessions WHERE session_id = $1",
                [.text(ann.sessionID)]
            )
        }
    }
}

extension LeaseOutcome {
    var isLeased: Bool { if case .leased = self { true } else { false } }
    var isHeld: Bool { if case .held = self { true } else { false } }
}
