import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/events` and `…/admin-events`: what happened in a realm.
struct AdminEvents: Sendable {
    let administration: RealmAdministration
    let events: RealmEvents

    var rows: [AdminRow] {
        [
            .get("events", .viewEvents) { call in .list(try await userEvents(call)) },
            .delete("events", .manageEvents) { call in try await clear(call, isAdmin: false) },
            .get("admin-events", .viewEvents) { call in .list(try await adminEvents(call)) },
            .delete("admin-events", .manageEvents) { call in try await clear(call, isAdmin: true) },
            .get("events/config", .viewEvents, settings),
            .put("events/config", .manageEvents, configure),
        ]
    }

    private var store: RealmEventStore { administration.store.events }

    // MARK: Reading

    private func userEvents(_ call: AdminCall) async throws -> [JSONObject] {
        let query = try call.query()
        var wanted = try Self.query(query, isAdmin: false, kinds: "type")
        wanted.clientID = query["client"]
        wanted.personID = query["user"]
        wanted.address = query["ipAddress"]
        return try await found(wanted, query, call).map { event in
            var json: JSONObject = [
                "id": .string("\(event.number)"), "time": .integer(event.at),
                "type": .string(event.kind), "realmId": .string(call.containerID),
            ]
            json["clientId"] = event.clientID.map(JSONValue.string)
            json["userId"] = event.personID.map(JSONValue.string)
            json["sessionId"] = event.sessionID.map(JSONValue.string)
            json["ipAddress"] = event.address.map(JSONValue.string)
            json["error"] = event.error.map(JSONValue.string)
            json["details"] = .object(event.details)
            return json
        }
    }

    private func adminEvents(_ call: AdminCall) async throws -> [JSONObject] {
        let query = try call.query()
        var wanted = try Self.query(query, isAdmin: true, kinds: "operationTypes")
        wanted.clientID = query["authClient"]
        wanted.personID = query["authUser"]
        wanted.address = query["authIpAddress"]
        return try await found(wanted, query, call).map { event in
            var who: JSONObject = ["realmId": event.details["realmId"] ?? ""]
            who["clientId"] = event.clientID.map(JSONValue.string)
            who["userId"] = event.personID.map(JSONValue.string)
            who["ipAddress"] = event.address.map(JSONValue.string)
            return [
                "id": .string("\(event.number)"), "time": .integer(event.at),
                "realmId": .string(call.containerID), "authDetails": .object(who),
                "operationType": .string(event.kind),
                "resourceType": event.details["resourceType"] ?? "",
                "resourcePath": event.details["resourcePath"] ?? "",
            ]
        }
    }

    private func found(_ wanted: RealmEventQuery, _ query: FormParameters, _ call: AdminCall)
        async throws -> [RealmEvent]
    {
        let page = try call.page(query)
        try await events.flush(into: store)
        var wanted = wanted
        if !wanted.isAdmin,
            let start = RealmEvents.start(in: call.realm, at: call.moment.seconds)
        {
            wanted.from = max(wanted.from ?? start, start)
        }
        return try await store.events(
            wanted,
            realmID: call.realmID,
            first: page.first,
            limit: page.max
        )
    }

    private static func query(_ query: FormParameters, isAdmin: Bool, kinds: String) throws
        -> RealmEventQuery
    {
        var wanted = RealmEventQuery(isAdmin: isAdmin)
        wanted.kinds = query.all.filter { sameBytes($0.name, kinds) }.map(\.value)
        guard wanted.kinds.allSatisfy(Self.isWord) else {
            throw AdminRefusal.invalid("There is no such kind of event.")
        }
        wanted.from = try query["dateFrom"].map { try time($0) }
        wanted.to = try query["dateTo"].map { try time($0, isEnd: true) }
        wanted.isOldestFirst = query["direction"] == "asc"
        return wanted
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

    private func clear(_ call: AdminCall, isAdmin: Bool) async throws -> AdminAnswer {
        try await events.flush(into: store)
        try await store.clear(isAdmin: isAdmin, realmID: call.realmID)
        return .done
    }

    // MARK: Settings

    private func settings(_ call: AdminCall) -> AdminAnswer {
        let kept = RealmRepresentation(call.realm.realm).json
        var json: JSONObject = [
            "eventsEnabled": kept["eventsEnabled"] ?? false,
            "eventsListeners": kept["eventsListeners"] ?? ["jboss-logging"],
            "enabledEventTypes": kept["enabledEventTypes"] ?? .texts(RealmEvents.kinds),
            "adminEventsEnabled": kept["adminEventsEnabled"] ?? false,
            "adminEventsDetailsEnabled": kept["adminEventsDetailsEnabled"] ?? false,
        ]
        if json["enabledEventTypes"] == [] {
            json["enabledEventTypes"] = .texts(RealmEvents.kinds)
        }
        json["eventsExpiration"] = kept["eventsExpiration"]
        return .object(json)
    }

    private func configure(_ call: AdminCall) async throws -> AdminAnswer {
        let representation = try call.representation(.eventsConfig)
        let former = call.realm.realm
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
        realm.events = try Realm.EventPolicy(Representation(.object(json), path: ""))
        let members = RepresentationMembers.eventsConfig.names
        for (name, value) in json where members.contains(name) { kept[name] = value }
        realm.kept = KeptRepresentation(kept)
        try await administration.update(
            realm,
            replacing: former,
            by: call.administrator,
            needing: .manageEvents
        )
        return .done
    }
}

extension AdminRight {
    fileprivate static let viewEvents = AdminRight("view-events", "manage-events")
}

extension RepresentationMembers {
    fileprivate static let eventsConfig = RepresentationMembers(
        "RealmEventsConfigRepresentation",
        """
        eventsEnabled eventsExpiration eventsListeners enabledEventTypes adminEventsEnabled
        adminEventsDetailsEnabled
        """
    )
}
