import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `…/events` and `…/admin-events`: what happened in a realm, in Keycloak's words.
enum AdminEvents {
    static var rows: [AdminRow] {
        [
            .get("events", .viewEvents) { call in .list(try await userEvents(call)) },
            .delete("events", .manageEvents) { call in try await clear(call) },
            .get("admin-events", .viewEvents) { call in .list(try await adminEvents(call)) },
            .delete("admin-events", .manageEvents) { call in try await hide(call) },
            .get("events/config", .viewEvents, settings),
            .put("events/config", .manageEvents, configure),
        ]
    }

    // MARK: Reading

    private static func userEvents(_ call: AdminCall) async throws -> [JSONObject] {
        let query = try call.query()
        let types = try Self.words("type", query)
        var wanted = try Self.times(query)
        wanted.isAdministration = false
        wanted.kinds = types.isEmpty ? EventWords.allKinds : EventWords.kinds(of: types)
        wanted.clientID = query["client"]
        wanted.subjectID = query["user"]
        wanted.address = query["ipAddress"]
        if let start = call.realm.events.start(at: call.moment.seconds) {
            wanted.from = max(wanted.from ?? start, start)
        }
        return try await found(wanted, query, call).compactMap { event in
            guard let word = EventWords.word(event.kind) else { return nil }
            var json: JSONObject = [
                "id": .string("\(event.number)"), "time": .integer(event.at),
                "type": .string(word.type), "realmId": .string(call.containerID),
            ]
            json["clientId"] = event.clientID.map(JSONValue.string)
            json["userId"] = event.subjectID.map(JSONValue.string)
            json["sessionId"] = event.sessionID.map(JSONValue.string)
            json["ipAddress"] = event.address.map(JSONValue.string)
            json["error"] = word.error.map(JSONValue.string)
            json["details"] = event.reason.map { ["reason": .string($0)] } ?? [:]
            return json
        }
    }

    /// The trail has them in any case; only a realm that shows them shows them here.
    private static func adminEvents(_ call: AdminCall) async throws -> [JSONObject] {
        let query = try call.query()
        let operations = try Self.words("operationTypes", query)
        var wanted = try Self.times(query)
        guard call.realm.events.keepsAdministration else { return [] }
        wanted.isAdministration = true
        wanted.kinds = operations.isEmpty ? nil : EventWords.kinds(ofOperations: operations)
        wanted.clientID = query["authClient"]
        wanted.actorID = query["authUser"]
        wanted.address = query["authIpAddress"]
        var hidden = EventQuery()
        hidden.realmID = call.realmID
        hidden.kinds = [.adminEventsHidden]
        wanted.after = try await call.store.events.events(hidden, limit: 1).first?.number
        return try await found(wanted, query, call).map { event in
            let path = EventWords.path(of: event)
            var who: JSONObject = ["realmId": event.details["realm"] ?? ""]
            who["clientId"] = event.clientID.map(JSONValue.string)
            if case .person(let id)? = event.actor { who["userId"] = .string(id) }
            who["ipAddress"] = event.address.map(JSONValue.string)
            return [
                "id": .string("\(event.number)"), "time": .integer(event.at),
                "realmId": .string(call.containerID), "authDetails": .object(who),
                "operationType": .string(EventWords.operation(event.kind)),
                "resourceType": .string(EventWords.resource(path)),
                "resourcePath": .string(path),
            ]
        }
    }

    private static func found(_ wanted: EventQuery, _ query: FormParameters, _ call: AdminCall)
        async throws -> [Event]
    {
        let page = try call.page()
        try await call.access.server.flushEvents(into: call.store.events)
        var wanted = wanted
        wanted.realmID = call.realmID
        wanted.isOldestFirst = query["direction"] == "asc"
        return try await call.store.events.events(wanted, first: page.first, limit: page.max)
    }

    private static func times(_ query: FormParameters) throws -> EventQuery {
        var wanted = EventQuery()
        wanted.from = try query["dateFrom"].map { try time($0) }
        wanted.to = try query["dateTo"].map { try time($0, isEnd: true) }
        return wanted
    }

    private static func words(_ name: String, _ query: FormParameters) throws -> [String] {
        let words = query.all.filter { sameBytes($0.name, name) }.map(\.value)
        guard words.allSatisfy(isWord) else {
            throw AdminRefusal.invalid("There is no such kind of event.")
        }
        return words
    }

    private static func isWord(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
    }

    /// `yyyy-MM-dd`, of which the end is the next day; or milliseconds since 1970.
    private static func time(_ text: String, isEnd: Bool = false) throws -> Int64 {
        let refusal = AdminRefusal.invalid(
            "Invalid value for the date, expected format is yyyy-MM-dd or an Epoch timestamp"
        )
        let bytes = Array(text.utf8.prefix(20))
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else {
            guard let milliseconds = Int(digits: bytes, atMost: 15) else { throw refusal }
            return Int64(milliseconds)
        }
        guard let year = Int(digits: bytes[0..<4], atMost: 4),
            let month = Int(digits: bytes[5..<7], atMost: 2),
            let day = Int(digits: bytes[8..<10], atMost: 2),
            (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { throw refusal }
        let start = CivilDate.seconds(year: year, month: month, day: day)
        return (start + (isEnd ? 86_400 : 0)) * 1000
    }

    private static func clear(_ call: AdminCall) async throws {
        try await call.access.server.flushEvents(into: call.store.events)
        try await call.operations.clearEvents(of: call.realm, by: call.administrator)
    }

    /// No administrator removes what administrators did from the trail.
    private static func hide(_ call: AdminCall) async throws {
        try await call.operations.hideAdminEvents(of: call.realm, by: call.administrator)
    }

    // MARK: Settings

    private static func settings(_ call: AdminCall) -> AdminAnswer {
        let kept = RealmRepresentation(call.realm).json
        var json: JSONObject = [
            "eventsEnabled": kept["eventsEnabled"] ?? false,
            "eventsListeners": kept["eventsListeners"] ?? ["jboss-logging"],
            "enabledEventTypes": kept["enabledEventTypes"] ?? .texts(EventWords.allTypes),
            "adminEventsEnabled": kept["adminEventsEnabled"] ?? false,
            "adminEventsDetailsEnabled": kept["adminEventsDetailsEnabled"] ?? false,
        ]
        if json["enabledEventTypes"] == [] {
            json["enabledEventTypes"] = .texts(EventWords.allTypes)
        }
        json["eventsExpiration"] = kept["eventsExpiration"]
        return .object(json)
    }

    private static func configure(_ call: AdminCall) async throws {
        let representation = try call.representation(.eventsConfig)
        let former = call.realm
        var json = RealmRepresentation(former).json
        for name in ["eventsEnabled", "adminEventsEnabled", "adminEventsDetailsEnabled"] {
            if let value = try representation.bool(name) { json[name] = .bool(value) }
        }
        for name in ["eventsListeners", "enabledEventTypes"] {
            guard let values = try representation.strings(name) else { continue }
            guard values.count <= 300, values.allSatisfy({ $0.utf8.count <= 100 }) else {
                throw AdminRefusal.invalid("At most 300 words of 100 bytes are kept here.")
            }
            json[name] = .texts(values)
        }
        if let seconds = try representation.integer("eventsExpiration") {
            json["eventsExpiration"] = .integer(max(0, seconds))
        }
        var (realm, kept) = (former, former.kept.object)
        let members = RepresentationMembers.eventsConfig.names
        var report = ImportReport(realm: "")
        try RealmRepresentation.members.read(
            Representation(.object(json), path: ""),
            of: nil,
            to: &realm,
            where: { name, _ in members.contains(name) },
            report: &report
        )
        for (name, value) in json where members.contains(name) { kept[name] = value }
        realm.kept = KeptRepresentation(kept)
        try await call.operations.update(
            realm,
            replacing: former,
            by: call.administrator,
            needing: .manageEvents
        )
    }
}

extension AdminRight {
    fileprivate static let viewEvents = AdminRight("view-events", "manage-events")
}

/// Keycloak's words for what happens in a realm (`EventType`, `Errors`).
enum EventWords {
    struct Word: Sendable {
        let type: String
        var error: String?
    }

    static func word(_ kind: Event.Kind) -> Word? {
        switch kind {
        case .signedIn: Word(type: "LOGIN")
        case .signInFailed, .secondStepFailed:
            Word(type: "LOGIN_ERROR", error: "invalid_user_credentials")
        case .signedOut: Word(type: "LOGOUT")
        case .registrationDone: Word(type: "REGISTER")
        case .passwordResetAsked: Word(type: "SEND_RESET_PASSWORD")
        case .passwordReset: Word(type: "RESET_PASSWORD")
        case .passwordChanged: Word(type: "UPDATE_PASSWORD")
        case .emailConfirmed: Word(type: "VERIFY_EMAIL")
        case .secondFactorAdded: Word(type: "UPDATE_TOTP")
        case .secondFactorRemoved: Word(type: "REMOVE_TOTP")
        case .consented: Word(type: "GRANT_CONSENT")
        case .consentRemoved, .tokenRevoked: Word(type: "REVOKE_GRANT")
        case .clientRefused:
            Word(type: "CLIENT_LOGIN_ERROR", error: "invalid_client_credentials")
        case .codeReplayed: Word(type: "CODE_TO_TOKEN_ERROR", error: "invalid_code")
        case .refreshReplayed, .swapReplayed:
            Word(type: "REFRESH_TOKEN_ERROR", error: "invalid_token")
        default: nil
        }
    }

    /// All that have a word.
    static let allKinds = Set(Event.Kind.allCases.filter { word($0) != nil })

    /// The words, for those who choose among them.
    static let allTypes = types(of: allKinds)

    static func types(of kinds: Set<Event.Kind>) -> [String] {
        Set(kinds.compactMap { word($0)?.type }).sorted()
    }

    static func kinds(of types: some Sequence<String>) -> Set<Event.Kind> {
        let types = Set(types)
        return allKinds.filter { kind in word(kind).map { types.contains($0.type) } ?? false }
    }

    /// What an administrator did, as Keycloak says it (`OperationType`).
    static func operation(_ kind: Event.Kind) -> String {
        if kind == .credentialUpdated { return "ACTION" }
        return switch kind.rawValue.split(separator: ".").last {
        case "created"?: "CREATE"
        case "updated"?: "UPDATE"
        case "deleted"?: "DELETE"
        default: "ACTION"
        }
    }

    /// Where what an administrator did is found: the address, below the realm, with what was made there.
    static func path(of event: Event) -> String {
        let path = event.details.string("path") ?? event.subjectID ?? ""
        let parts = path.split(separator: "/")
        let name = event.kind == .roleCreated ? event.details.string("name") : event.subjectID
        guard operation(event.kind) == "CREATE", let name,
            ["users", "clients", "roles", "groups", "children", "client-scopes", "instances"]
                .contains(parts.last ?? "")
        else { return path }
        // A client's role has the client's name in front.
        return path + "/" + (parts.count == 3 ? name.split(separator: "/").last ?? "" : name[...])
    }

    /// What such an address leads to (`ResourceType`).
    static func resource(_ path: String) -> String {
        let parts = path.split(separator: "/").map(String.init)
        guard let first = parts.first else { return "REALM" }
        let isOfClient = parts.dropFirst(3).first == "clients"
        switch (first, parts.dropFirst(2).first ?? "") {
        case (_, "role-mappings"):
            return isOfClient ? "CLIENT_ROLE_MAPPING" : "REALM_ROLE_MAPPING"
        case (_, "scope-mappings"):
            return isOfClient ? "CLIENT_SCOPE_MAPPING" : "REALM_SCOPE_MAPPING"
        case (_, "protocol-mappers"): return "PROTOCOL_MAPPER"
        case ("users", "groups"): return "GROUP_MEMBERSHIP"
        case ("users", "") where parts.last == "profile": return "USER_PROFILE"
        case ("clients", "roles"): return "CLIENT_ROLE"
        case ("clients", "default-client-scopes"), ("clients", "optional-client-scopes"):
            return "CLIENT_SCOPE_CLIENT_MAPPING"
        case ("identity-provider", _) where parts.contains("mappers"):
            return "IDENTITY_PROVIDER_MAPPER"
        case ("authentication", _) where parts.contains("required-actions"):
            return "REQUIRED_ACTION"
        default: return resources[first] ?? "REALM"
        }
    }

    private static let resources = [
        "users": "USER", "clients": "CLIENT", "roles": "REALM_ROLE", "roles-by-id": "REALM_ROLE",
        "groups": "GROUP", "client-scopes": "CLIENT_SCOPE", "sessions": "USER_SESSION",
        "identity-provider": "IDENTITY_PROVIDER", "attack-detection": "USER_LOGIN_FAILURE",
        "components": "COMPONENT", "authentication": "AUTH_FLOW",
    ]

    static func kinds(ofOperations operations: some Sequence<String>) -> Set<Event.Kind> {
        let operations = Set(operations)
        return Set(Event.Kind.allCases.filter { operations.contains(operation($0)) })
    }
}
