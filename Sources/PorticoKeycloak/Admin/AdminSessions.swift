import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Where people are signed in: by themselves, at a client, in the whole realm; and what they allowed
/// clients.
enum AdminSessions {
    static var rows: [AdminRow] {
        [
            .post("users/{user}/logout", .manageUsers) { call in
                try await call.operations.signOut(
                    try await call.person(),
                    by: call.administrator,
                    at: call.moment.seconds
                )
            },
            .get("users/{user}/sessions", .viewUsers, ofPerson),
            .delete("sessions/{session}", .manageUsers) { call in
                try await call.operations.endSession(
                    try call.segment("session"),
                    in: call.realmID,
                    by: call.administrator,
                    at: call.moment.seconds
                )
            },
            .get("users/{user}/consents", .viewUsers, consents),
            .delete("users/{user}/consents/{client}", .manageUsers, revoke),
            .get("client-session-stats", .viewRealm, statistics),
            .get("clients/{client}/session-count", .viewClients) { call in
                try await count(call) { $0.active }
            },
            .get("clients/{client}/offline-session-count", .viewClients) { call in
                try await count(call) { $0.offline }
            },
            .get("clients/{client}/user-sessions", .viewClients) { call in
                try await ofClient(call, isOffline: false)
            },
            .get("clients/{client}/offline-sessions", .viewClients) { call in
                try await ofClient(call, isOffline: true)
            },
            .get("users/{user}/offline-sessions/{client}", .viewUsers) { call in
                try await ofClient(call, isOffline: true, of: try await call.person())
            },
            .post("logout-all", .manageUsers, signOutAll),
            // What it pushes there, servers here ask for: each token is looked up.
            .post("push-revocation", .manageRealm) { call in
                try await call.noteAction("revocation_pushed")
                return .object([:])
            },
        ]
    }

    // MARK: Of a person

    private static func ofPerson(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person()
        let now = call.moment.seconds
        let sessions = try await call.operations.sessions.sessions(
            of: person.id,
            realmID: call.realmID,
            at: now,
            idle: call.realm.lifetimes.sessionIdle,
            limit: AdminCall.longestPage
        )
        let clients = try await call.people.clientsBySession(
            of: person.id,
            realmID: call.realmID,
            at: now
        )
        var names: [String: JSONValue] = [:]
        for id in Set(clients.values.joined()) {
            names[id] = try await call.served.client(uuid: id).map { .string($0.clientID) }
        }
        return .list(
            sessions.map { [names] session in
                var named = JSONObject()
                for id in clients[session.id] ?? [] { named[id] = names[id] }
                let times = (session.createdAt, session.lastSeenAt)
                return json(session.id, (person.id, person.username), times, named)
            }
        )
    }

    /// Keycloak `UserSessionRepresentation`. Addresses are not kept.
    private static func json(
        _ id: String,
        _ person: (id: String, name: String),
        _ times: (start: Int64, last: Int64),
        _ clients: JSONObject
    ) -> JSONObject {
        var json: JSONObject = ["id": .string(id), "username": .string(person.name)]
        json["userId"] = .string(person.id)
        json["ipAddress"] = ""
        json["start"] = .integer(times.start &* 1000)
        json["lastAccess"] = .integer(times.last &* 1000)
        json["rememberMe"] = false
        json["clients"] = .object(clients)
        json["transientUser"] = false
        return json
    }

    private static func consents(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person()
        let apps = try await call.people.connectedApps(
            of: person.id,
            realmID: call.realmID,
            at: call.moment.seconds
        )
        var objects: [JSONObject] = []
        for app in apps {
            guard let allowedAt = app.allowedAt,
                let client = try await call.served.client(uuid: app.clientID)
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

    private static func revoke(_ call: AdminCall) async throws {
        let person = try await call.person()
        guard let client = try await call.served.client(named: try call.segment("client")) else {
            throw AdminRefusal.notFound("Client not found")
        }
        try await call.operations.revokeConsent(
            of: person,
            to: client,
            by: call.administrator,
            at: call.moment.seconds
        )
    }

    // MARK: Of clients

    private static func counts(_ call: AdminCall, of client: Client? = nil) async throws
        -> [ClientSessionCount]
    {
        try await call.operations.sessions.counts(
            ofClient: client?.id,
            realmID: call.realmID,
            at: call.moment.seconds,
            idle: call.realm.lifetimes.sessionIdle
        )
    }

    private static func statistics(_ call: AdminCall) async throws -> AdminAnswer {
        var objects: [JSONObject] = []
        for count in try await counts(call) {
            guard let client = try await call.served.client(uuid: count.clientID) else { continue }
            objects.append([
                "offline": .string("\(count.offline)"), "clientId": .string(client.clientID),
                "active": .string("\(count.active)"), "id": .string(client.id),
            ])
        }
        return .list(objects)
    }

    private static func count(_ call: AdminCall, _ which: (ClientSessionCount) -> Int64)
        async throws
        -> AdminAnswer
    {
        let counts = try await counts(call, of: try await call.client())
        return .object(["count": .integer(counts.first.map(which) ?? 0)])
    }

    private static func ofClient(
        _ call: AdminCall,
        isOffline: Bool,
        of person: Person? = nil
    ) async throws -> AdminAnswer {
        // They name people.
        try call.expect(call.rights.allows(.viewUsers))
        let client = try await call.client()
        let page = try call.page()
        let found = try await call.operations.sessions.sessions(
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
                let times = (session.startedAt, session.lastSeenAt)
                let person = (session.personID, session.username)
                return json(session.id, person, times, [client.id: .string(client.clientID)])
            }
        )
    }

    /// Ends every session of the realm; offline ones stay, as there.
    private static func signOutAll(_ call: AdminCall) async throws -> AdminAnswer {
        try await call.operations.signOutEveryone(
            of: call.realm,
            by: call.administrator,
            at: call.moment.seconds
        )
        return .object([:])
    }
}

/// `…/attack-detection/brute-force/users`: what counts against people who try passwords
/// (``FailedPasswords``). No one is locked out for good: people wait.
enum AdminBruteForce {
    static var rows: [AdminRow] {
        [
            .get("attack-detection/brute-force/users/{user}", .viewUsers, read),
            .delete("attack-detection/brute-force/users/{user}", .manageUsers) { call in
                try await forget(try await call.person(), call)
            },
            .delete("attack-detection/brute-force/users", .manageUsers) { call in
                try await forget(nil, call)
            },
        ]
    }

    private static func forget(_ person: Person?, _ call: AdminCall) async throws {
        try await call.operations.forgetTries(
            of: person,
            in: call.realm,
            counted: call.access.server.tries,
            by: call.administrator,
            at: call.moment.now
        )
    }

    private static func read(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person()
        let names = [person.username] + (person.email.map { [$0] } ?? [])
        let standing = call.access.server.tries.standing(
            of: person.id,
            named: names.map(LoginName.folded),
            realm: call.realmID,
            at: call.moment.now
        )
        return .object([
            "failedLoginNotBefore": 0, "numFailures": .integer(Int64(standing.failures)),
            "numTemporaryLockouts": 0, "disabled": .bool(standing.mustWait),
            "numSecondaryAuthFailures": 0, "lastIPFailure": "n/a",
            "lastFailure": .integer((Int64(exactly: standing.lastAt.rounded(.down)) ?? 0) &* 1000),
        ])
    }
}

/// `…/users/ID/execute-actions-email` and its relatives: a mail with a link by which a person does
/// what is asked of them.
enum AdminMails {
    static var rows: [AdminRow] {
        [
            .put("users/{user}/execute-actions-email", .manageUsers) { call in
                try await send(try actions(in: call), "execute actions email", call)
            },
            // Before version 26, and still there.
            .put("users/{user}/reset-password-email", .manageUsers) { call in
                try await send([RequiredAction.updatePassword], "execute actions email", call)
            },
            .put("users/{user}/send-verify-email", .manageUsers) { call in
                try await send([RequiredAction.verifyEmail], "verify email", call)
            },
        ]
    }

    /// In seconds, where a realm says nothing: 12 hours.
    private static let usualLifetime: Int64 = 43_200

    private static func send(_ actions: [String], _ mail: StaticString, _ call: AdminCall)
        async throws
    {
        let person = try await call.person()
        try await call.operations.expectChangeable(person, by: call.administrator)
        guard let email = person.email else { throw AdminRefusal.invalid("User email missing") }
        let kept = try await call.people.credentials(id: person.id, realmID: call.realmID)
        guard person.isEnabled, let kept else { throw AdminRefusal.invalid("User is disabled") }
        let query = try call.query()
        let link = ActionLink(
            person: PersonLink(
                id: call.moment.id(),
                realmID: call.realmID,
                personID: person.id,
                email: email,
                epoch: kept.epoch,
                actions: actions,
                expiresAt: call.moment.seconds &+ (try lifetime(query, call))
            ),
            back: try await back(query, call)
        )
        let outcome = try await call.operations.mail(
            link,
            to: person,
            in: call.realm,
            of: call.access.server,
            by: call.administrator,
            at: call.moment
        )
        switch outcome {
        case .sent: return
        case .sendsNoMail:
            throw AdminRefusal.message(
                .internalServerError,
                "Failed to send \(mail): this server sends no mail."
            )
        case .mustWait:
            throw AdminRefusal.message(
                .tooManyRequests,
                "So many mails were sent to this address. Try again later."
            )
        }
    }

    private static func actions(in call: AdminCall) throws -> [String] {
        let asked = try call.texts()
        let known = ActionLink.possibleActions.filter { action in
            asked.contains { sameBytes($0, action) }
        }
        guard !asked.isEmpty, known.count == asked.count else {
            throw AdminRefusal.invalid("Provided invalid required actions")
        }
        return known
    }

    /// In seconds.
    private static func lifetime(_ query: FormParameters, _ call: AdminCall) throws -> Int64 {
        guard let text = query["lifespan"] else {
            let usual = call.realm.kept.object.int64("actionTokenGeneratedByAdminLifespan")
            return min(max(usual ?? usualLifetime, 60), ActionLink.longestLifetime)
        }
        guard let seconds = Int(digits: text.utf8, atMost: 9).map(Int64.init),
            1...ActionLink.longestLifetime ~= seconds
        else { throw AdminRefusal.invalid("The lifespan is from 1 to 2592000 seconds.") }
        return seconds
    }

    /// Where the person is to go on: an address of the client's.
    private static func back(_ query: FormParameters, _ call: AdminCall) async throws -> ActionLink
        .Back?
    {
        guard let clientID = query["client_id"] else {
            guard query["redirect_uri"] == nil else {
                throw AdminRefusal.invalid("Client id missing")
            }
            return nil
        }
        guard let client = try await call.served.client(named: clientID) else {
            throw AdminRefusal.invalid("Client doesn't exist")
        }
        guard client.isEnabled else { throw AdminRefusal.invalid("Client is not enabled") }
        guard let uri = query["redirect_uri"] else { return nil }
        guard call.access.server.permits(uri, of: client, in: call.realm) else {
            throw AdminRefusal.invalid("Invalid redirect uri.")
        }
        return ActionLink.Back(clientID: client.clientID, redirectURI: uri)
    }
}
