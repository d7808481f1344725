import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The sessions of a client's and of the whole realm.
struct AdminRealmSessions: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        [
            .get("client-session-stats", .viewRealm, statistics),
            .get("clients/{client}/session-count", .viewClients) { call in
                try await count(call) { $0.active }
            },
            .get("clients/{client}/offline-session-count", .viewClients) { call in
                try await count(call) { $0.offline }
            },
            .get("clients/{client}/user-sessions", .viewClients) { call in
                try await list(call, isOffline: false)
            },
            .get("clients/{client}/offline-sessions", .viewClients) { call in
                try await list(call, isOffline: true)
            },
            .get("users/{user}/offline-sessions/{client}", .viewUsers) { call in
                let person = try await call.person(in: administration.people).person
                return try await list(call, isOffline: true, of: person)
            },
            .post("logout-all", .manageUsers, signOutAll),
            // What it pushes there, servers here ask for: each token is looked up.
            .post("push-revocation", .manageRealm) { call in
                try await administration.noteAction(
                    in: call.realm.realm,
                    "revocation_pushed",
                    by: call.administrator
                )
                return .object([:])
            },
        ]
    }

    private var sessions: BrowserSessionStore { administration.sessions }

    private func counts(_ call: AdminCall, of client: Client? = nil) async throws
        -> [ClientSessionCount]
    {
        try await sessions.counts(
            ofClient: client?.id,
            realmID: call.realmID,
            at: call.moment.seconds,
            idle: call.realm.lifetimes.sessionIdle
        )
    }

    private func statistics(_ call: AdminCall) async throws -> AdminAnswer {
        var objects: [JSONObject] = []
        for count in try await counts(call) {
            guard let client = try await call.realm.client(uuid: count.clientID) else { continue }
            objects.append([
                "offline": .string("\(count.offline)"), "clientId": .string(client.clientID),
                "active": .string("\(count.active)"), "id": .string(client.id),
            ])
        }
        return .list(objects)
    }

    private func count(_ call: AdminCall, _ which: (ClientSessionCount) -> Int64) async throws
        -> AdminAnswer
    {
        let counts = try await counts(call, of: try await call.client())
        return .object(["count": .integer(counts.first.map(which) ?? 0)])
    }

    private func list(_ call: AdminCall, isOffline: Bool, of person: Person? = nil) async throws
        -> AdminAnswer
    {
        // They name people.
        try call.expect(call.rights.allows(.viewUsers))
        let client = try await call.client()
        let page = try call.page(try call.query())
        let found = try await sessions.sessions(
            ofClient: client.id,
            of: person?.id,
            realmID: call.realmID,
            areOffline: isOffline,
            at: call.moment.seconds,
            idle: call.realm.lifetimes.sessionIdle,
            first: page.first,
            limit: page.max
        )
        return .list(
            found.map { session in
                [
                    "id": .string(session.id), "username": .string(session.username),
                    "userId": .string(session.personID),
                    // Addresses are not kept.
                    "ipAddress": "",
                    "start": .integer(session.startedAt &* 1000),
                    "lastAccess": .integer(session.lastSeenAt &* 1000), "rememberMe": false,
                    "clients": [client.id: .string(client.clientID)], "transientUser": false,
                ]
            }
        )
    }

    /// Ends every session of the realm; offline ones stay, as there.
    private func signOutAll(_ call: AdminCall) async throws -> AdminAnswer {
        try await administration.signOutEveryone(
            of: call.realm.realm,
            by: call.administrator,
            at: call.moment.seconds
        )
        return .object([:])
    }
}
