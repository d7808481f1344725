package import PorticoBytes
package import PorticoProtocol
import PorticoProvider
package import PorticoStores

/// What has mappers (Keycloak `ProtocolMapperRepresentation`).
package enum MapperOwner: Sendable {
    case client(Client)
    case scope(ClientScope)

    package var mappers: [JSONObject] {
        let representation: JSONObject? =
            switch self {
            case .client(let client): client.keycloak
            case .scope(let scope): scope.representation
            }
        return (representation?.array("protocolMappers") ?? []).compactMap(\.object)
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

/// Mappers.
extension RealmAdministration {
    /// What the mappers of an owner are with another one.
    ///
    /// - Throws: ``AdminRefusal`` for one that would write nothing, or whose name is there.
    package static func mappers(
        of owner: MapperOwner,
        adding mapper: JSONObject,
        at moment: Moment
    ) throws -> [JSONObject] {
        let (json, _) = try MapperFields.registrable(.object(mapper), at: moment)
        return try MapperOwner.adding([json], to: owner.mappers)
    }

    /// Replaces the mappers of a client or a client scope.
    ///
    /// - Parameter note: A client with what is put down of who changes it.
    package func keep(
        _ mappers: [JSONObject],
        of owner: MapperOwner,
        noting note: (Client) -> Client = { $0 }
    ) async throws {
        guard mappers.count <= 100 else { throw AdminRefusal.invalid("Too many mappers.") }
        let value = JSONValue.array(mappers.map(JSONValue.object))
        switch owner {
        case .client(let former):
            guard former.keycloak != nil else {
                throw AdminRefusal.invalid(
                    "This client is one of Portico's: see portico client update."
                )
            }
            var client = note(former)
            client.keycloak?["protocolMappers"] = value
            try await update(client, replacing: former)
        case .scope(let former):
            var scope = former
            scope.representation["protocolMappers"] = value
            try await update(scope, replacing: former)
        }
    }
}
