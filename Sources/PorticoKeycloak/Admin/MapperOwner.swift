package import PorticoBytes
package import PorticoProtocol
import PorticoProvider
package import PorticoStores

/// What has mappers (Keycloak `ProtocolMapperRepresentation`).
package enum MapperOwner: Sendable {
    case client(Client)
    case scope(ClientScope)

    package var mappers: [ClaimMapper] {
        switch self {
        case .client(let client): client.mappers
        case .scope(let scope): scope.mappers
        }
    }

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

    /// - Throws: ``AdminRefusal`` with `conflict` for a name that is there.
    static func adding(_ new: [JSONObject], to mappers: [JSONObject]) throws -> [JSONObject] {
        var all = mappers
        for mapper in new {
            guard !all.contains(where: { $0.string("name") == mapper.string("name") }) else {
                throw AdminRefusal.conflict("Protocol mapper exists with same name")
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

/// Mappers.
extension RealmAdministration {
    /// What the mappers of an owner are with another one.
    ///
    /// - Parameter mapper: In Keycloak's words.
    /// - Throws: ``AdminRefusal`` for one that would write nothing, or whose name is there.
    package static func mappers(
        of owner: MapperOwner,
        adding mapper: JSONObject,
        at moment: Moment
    ) throws -> [ClaimMapper] {
        let (json, mapper) = try MapperFields.registrable(.object(mapper), at: moment)
        _ = try MapperOwner.adding([json], to: owner.representations)
        return owner.mappers + [mapper]
    }

    /// Replaces the mappers of a client or a client scope.
    package func keep(_ mappers: [ClaimMapper], of owner: MapperOwner) async throws {
        guard mappers.count <= 100 else { throw AdminRefusal.invalid("Too many mappers.") }
        switch owner {
        case .client(let former):
            var client = former
            client.mappers = mappers
            try await update(client, replacing: former)
        case .scope(let former):
            var scope = former
            scope.mappers = mappers
            try await update(scope, replacing: former)
        }
    }

    /// The same with those of other protocols.
    ///
    /// - Parameter note: A client with what is put down of who changes it.
    func keep(
        _ mappers: [JSONObject],
        of owner: MapperOwner,
        noting note: (Client) -> Client
    ) async throws {
        guard mappers.count <= 100 else { throw AdminRefusal.invalid("Too many mappers.") }
        let said = try Representation(
            .object([MapperList.member: .array(mappers.map(JSONValue.object))]),
            path: ""
        )
        let list = try MapperList(said, former: owner.mappers)
        let others = list.others.map(JSONValue.array)
        switch owner {
        case .client(let former):
            var client = note(former)
            client.mappers = list.mappers
            client.kept[MapperList.member] = others
            try await update(client, replacing: former)
        case .scope(let former):
            var scope = former
            scope.mappers = list.mappers
            scope.kept[MapperList.member] = others
            try await update(scope, replacing: former)
        }
    }
}
