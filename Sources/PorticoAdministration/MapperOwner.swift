package import PorticoBytes
package import PorticoStores

/// What has mappers.
package enum MapperOwner: Sendable {
    case client(Client)
    case scope(ClientScope)

    package var mappers: [ClaimMapper] {
        switch self {
        case .client(let client): client.mappers
        case .scope(let scope): scope.mappers
        }
    }

    package func with(_ mappers: [ClaimMapper]) -> MapperOwner {
        switch self {
        case .client(var client):
            client.mappers = mappers
            return .client(client)
        case .scope(var scope):
            scope.mappers = mappers
            return .scope(scope)
        }
    }
}

extension RealmAdministration {
    /// - Parameter kind: What becomes of its mappers.
    package func update(
        _ owner: MapperOwner,
        replacing former: MapperOwner,
        as kind: Event.Kind,
        by administrator: Administrator,
        at moment: Moment
    ) async throws {
        switch (owner, former) {
        case (.client(let client), .client(let former)):
            try await update(client, replacing: former, as: kind, by: administrator, at: moment)
        case (.scope(let scope), .scope(let former)):
            try await update(scope, replacing: former, as: kind, by: administrator)
        default: throw ChangedMeanwhile()
        }
    }
}
