package import PorticoAdministration
package import PorticoBytes
package import PorticoProtocol
import PorticoProvider
package import PorticoStores

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
