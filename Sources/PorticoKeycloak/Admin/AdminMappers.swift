package import PorticoAdministration
package import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// `…/protocol-mappers` of clients and client scopes.
enum AdminMappers {
    static var rows: [AdminRow] {
        ["clients/{client}", "client-scopes/{scope}"].flatMap { owner in
            let base = "\(owner)/protocol-mappers"
            return [
                AdminRow.get("\(base)/models", .viewScopes, list),
                .get("\(base)/protocol/{protocol}", .viewScopes, list),
                .post("\(base)/models", .manageClients, create),
                .post("\(base)/add-models", .manageClients, createAll),
                .get("\(base)/models/{mapper}", .viewScopes, read),
                .put("\(base)/models/{mapper}", .manageClients, update),
                .delete("\(base)/models/{mapper}", .manageClients, delete),
            ]
        }
    }

    private static func list(_ call: AdminCall) async throws -> AdminAnswer {
        .list(try await mappers(call).1)
    }

    private static func read(_ call: AdminCall) async throws -> AdminAnswer {
        let mappers = try await mappers(call).1
        return .object(mappers[try Self.index(in: mappers, call)])
    }

    private static func create(_ call: AdminCall) async throws -> AdminAnswer {
        let mapper = try MapperFields.registrable(try call.json(), at: call.moment).json
        try await add([mapper], call)
        return .created(path: call.path(mapper.string("id") ?? ""))
    }

    private static func createAll(_ call: AdminCall) async throws {
        guard let values = try call.json().array, values.count <= 100 else {
            throw AdminRefusal.unreadable
        }
        try await add(
            try values.map { try MapperFields.registrable($0, at: call.moment).json },
            call
        )
    }

    private static func add(_ new: [JSONObject], _ call: AdminCall) async throws {
        func add(_ call: AdminCall) async throws {
            let (owner, mappers) = try await mappers(call)
            let all = try MapperOwner.adding(new, to: mappers)
            try await keep(all, owner, .mapperCreated, call)
        }
        do {
            try await add(call)
        } catch is ChangedMeanwhile {
            // Two that are added at once both stay.
            try await call.access.server.readChanges()
            try await add(call.again)
        }
    }

    private static func update(_ call: AdminCall) async throws {
        let mapper = try MapperFields.registrable(try call.json(), at: call.moment).json
        let (owner, mappers) = try await mappers(call)
        let index = try Self.index(in: mappers, call)
        var all = mappers
        all[index] = mapper
        all[index]["id"] = mappers[index]["id"]
        try await keep(all, owner, .mapperUpdated, call)
    }

    private static func delete(_ call: AdminCall) async throws {
        let (owner, mappers) = try await mappers(call)
        var all = mappers
        all.remove(at: try Self.index(in: mappers, call))
        try await keep(all, owner, .mapperDeleted, call)
    }

    // MARK: Owners

    private static func mappers(_ call: AdminCall) async throws -> (MapperOwner, [JSONObject]) {
        let owner: MapperOwner
        if call.has("client") {
            try call.expect(call.rights.allows(.viewClients))
            owner = .client(try await call.client())
        } else {
            owner = .scope(try await call.scope())
        }
        return (owner, owner.representations)
    }

    private static func index(in mappers: [JSONObject], _ call: AdminCall) throws -> Int {
        let id = try call.segment("mapper")
        let index = mappers.firstIndex { $0.string("id").map { sameBytes($0, id) } ?? false }
        guard let index else { throw AdminRefusal.notFound("Model not found") }
        return index
    }

    private static func keep(
        _ mappers: [JSONObject],
        _ owner: MapperOwner,
        _ kind: Event.Kind,
        _ call: AdminCall
    ) async throws {
        try await call.operations.update(
            try owner.with(mappers),
            replacing: owner,
            as: kind,
            by: call.administrator,
            at: call.moment
        )
    }
}

/// A mapper as a request of the administration describes it (Keycloak
/// `ProtocolMapperRepresentation`).
enum MapperFields {
    /// - Returns: The mapper with an id.
    /// - Throws: ``MapperRefusal``
    static func registrable(_ value: JSONValue, at moment: Moment) throws
        -> (json: JSONObject, mapper: ClaimMapper)
    {
        let representation = try Representation(value, path: "")
        try RepresentationMembers.mapper.check(representation)
        var json = representation.object
        guard let name = try representation.text("name"), PlainText.isLine(name, length: 255) else {
            throw MapperRefusal.invalid("A mapper has a name of one line.")
        }
        if try representation.text("protocol") == nil { json["protocol"] = "openid-connect" }
        let id = try representation.text("id").flatMap(UniqueID.init)
        json["id"] = .string((id ?? UniqueID(random: moment.random)).text)
        if json["consentRequired"] == nil { json["consentRequired"] = false }
        let config = try representation.child("config")?.object.withoutEmptyTexts
        json["config"] = config.map(JSONValue.object)
        for (name, setting) in config ?? JSONObject() {
            guard name.utf8.count <= 200, setting.string.map({ $0.utf8.count <= 4096 }) ?? true
            else { throw MapperRefusal.invalid("A setting of a mapper is too long.") }
        }
        guard json.string("protocolMapper")?.utf8.starts(with: "oidc-".utf8) == true,
            let mapper = try ClaimMapper(Representation(.object(json), path: ""))
        else { throw MapperRefusal.unknownType }
        if let words = mapper.whyNotEvaluated { throw MapperRefusal.invalid(words) }
        return (json, mapper)
    }
}

/// Why a mapper is not added.
package enum MapperRefusal: Error, Sendable {
    /// Its owner has one of that name.
    case isTaken
    /// Nothing here evaluates one of its type.
    case unknownType
    case invalid(String)
}

extension AdminRefusal {
    init(_ refusal: MapperRefusal) {
        self =
            switch refusal {
            case .isTaken: .conflict("Protocol mapper exists with same name")
            case .unknownType: .notFound("ProtocolMapper provider not found")
            case .invalid(let words): .invalid(words)
            }
    }
}

/// The mappers of an owner (Keycloak `ProtocolMapperRepresentation`).
extension MapperOwner {
    private var kept: KeptRepresentation? {
        switch self {
        case .client(let client): client.kept
        case .scope(let scope): scope.kept
        }
    }

    /// With those of other protocols.
    var representations: [JSONObject] {
        MapperList(mappers, kept.object).values?.compactMap(\.object) ?? []
    }

    /// - Throws: ``MapperRefusal/isTaken``
    static func adding(_ new: [JSONObject], to mappers: [JSONObject]) throws -> [JSONObject] {
        var all = mappers
        for mapper in new {
            guard !all.contains(where: { $0.string("name") == mapper.string("name") }) else {
                throw MapperRefusal.isTaken
            }
            all.append(mapper)
        }
        return all
    }
}

/// The mappers in a representation.
struct MapperList {
    static let member = "protocolMappers"

    let mappers: [ClaimMapper]
    /// Those of other protocols, as they stand there; `nil` where the member is missing.
    let others: [JSONValue]?

    /// - Parameter former: Of the owner before: those that are the same stay as they are.
    init(_ owner: Representation, former: [ClaimMapper] = []) throws(RealmImportError) {
        let known = former.map { ($0, $0.representation) }
        var (mappers, others): ([ClaimMapper], [JSONValue]) = ([], [])
        for mapper in try owner.children(Self.member) {
            if let same = known.first(where: { $0.1 == mapper.object }) {
                mappers.append(same.0)
            } else if let mapper = try ClaimMapper(mapper) {
                mappers.append(mapper)
            } else {
                others.append(.object(mapper.object))
            }
        }
        self.mappers = mappers
        self.others = owner.object[Self.member] == nil ? nil : others
    }

    /// - Parameter kept: Of their owner.
    init(_ mappers: [ClaimMapper], _ kept: JSONObject) {
        self.mappers = mappers
        others = kept.array(Self.member)
    }

    /// `nil` where there are none, and nothing says so.
    var values: [JSONValue]? {
        guard others != nil || !mappers.isEmpty else { return nil }
        return (others ?? []) + mappers.map { .object($0.representation) }
    }

    /// Says of an import which mappers write nothing here. All are kept.
    func add(_ subject: String, to report: inout ImportReport) {
        for mapper in mappers {
            guard let words = mapper.whyNotEvaluated else { continue }
            report.add(.skipped, subject, "mapper \(mapper.name)", "writes nothing: \(words)")
        }
    }
}

extension MapperOwner {
    /// What the mappers are with another one.
    ///
    /// - Parameter mapper: In Keycloak's words.
    /// - Throws: ``MapperRefusal``
    package func mappers(adding mapper: JSONObject, at moment: Moment) throws -> [ClaimMapper] {
        let (json, mapper) = try MapperFields.registrable(.object(mapper), at: moment)
        _ = try Self.adding([json], to: representations)
        return mappers + [mapper]
    }

    /// The owner with other mappers, those of other protocols too.
    func with(_ mappers: [JSONObject]) throws -> MapperOwner {
        guard mappers.count <= 100 else { throw AdministrationRefusal.invalid(.tooManyMappers) }
        let said = try Representation(
            .object([MapperList.member: .array(mappers.map(JSONValue.object))]),
            path: ""
        )
        let list = try MapperList(said, former: self.mappers)
        var changed = with(list.mappers)
        switch changed {
        case .client(var client):
            client.kept[MapperList.member] = list.others.map(JSONValue.array)
            changed = .client(client)
        case .scope(var scope):
            scope.kept[MapperList.member] = list.others.map(JSONValue.array)
            changed = .scope(scope)
        }
        return changed
    }
}
