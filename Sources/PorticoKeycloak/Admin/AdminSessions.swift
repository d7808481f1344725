import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Where people are signed in, and what they allowed clients.
struct AdminSessions: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        [
            .post("users/{user}/logout", .manageUsers, signOut),
            .get("users/{user}/sessions", .viewUsers, sessions),
            .delete("sessions/{session}", .manageUsers, end),
            .get("users/{user}/consents", .viewUsers, consents),
            .delete("users/{user}/consents/{client}", .manageUsers, revoke),
        ]
    }

    private var people: PersonStore { administration.people }

    private func signOut(_ call: AdminCall) async throws -> AdminAnswer {
        try await administration.signOut(
            try await call.person(in: people).person,
            by: call.administrator,
            at: call.moment.seconds
        )
        return .done
    }

    private func sessions(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person(in: people).person
        let now = call.moment.seconds
        let sessions = try await administration.sessions.sessions(
            of: person.id,
            realmID: call.realmID,
            at: now,
            idle: call.realm.lifetimes.sessionIdle,
            limit: AdminCall.longestPage
        )
        let clients = try await people.clientsBySession(
            of: person.id,
            realmID: call.realmID,
            at: now
        )
        var names: [String: JSONValue] = [:]
        for id in Set(clients.values.joined()) {
            names[id] = try await call.realm.client(uuid: id).map { .string($0.clientID) }
        }
        return .list(
            sessions.map { [names] session in
                var named = JSONObject()
                for id in clients[session.id] ?? [] { named[id] = names[id] }
                return [
                    "id": .string(session.id), "username": .string(person.username),
                    "userId": .string(person.id),
                    // Addresses are not kept.
                    "ipAddress": "",
                    "start": .integer(session.createdAt &* 1000),
                    "lastAccess": .integer(session.lastSeenAt &* 1000),
                    "rememberMe": false, "clients": .object(named), "transientUser": false,
                ]
            }
        )
    }

    private func end(_ call: AdminCall) async throws -> AdminAnswer {
        try await administration.endSession(
            try call.segment("session"),
            in: call.realmID,
            by: call.administrator,
            at: call.moment.seconds
        )
        return .done
    }

    private func consents(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person(in: people).person
        let apps = try await people.connectedApps(
            of: person.id,
            realmID: call.realmID,
            at: call.moment.seconds
        )
        var objects: [JSONObject] = []
        for app in apps {
            guard let allowedAt = app.allowedAt,
                let client = try await call.realm.client(uuid: app.clientID)
            else { continue }
            objects.append([
                "clientId": .string(client.clientID),
                "grantedClientScopes": .texts(app.scope.tokens),
                "createdDate": .integer(allowedAt &* 1000),
                "lastUpdatedDate": .integer(allowedAt &* 1000), "additionalGrants": [],
            ])
        }
        return .list(objects)
    }

    private func revoke(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person(in: people).person
        guard let client = try await call.realm.client(named: try call.segment("client")) else {
            throw AdminRefusal.notFound("Client not found")
        }
        try await administration.revokeConsent(
            of: person,
            to: client,
            by: call.administrator,
            at: call.moment.seconds
        )
        return .done
    }
}
