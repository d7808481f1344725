package import PorticoAdministration
package import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// What the administration needs of the server while it runs.
extension Provider: AdministeredServer {
    package var administeredRealms: [any AdministeredRealm] { realms.kept }

    package func administeredRealm(named name: String) -> (any AdministeredRealm)? {
        realms.kept(named: name)
    }

    package func readChanges() async throws { try await realms.refresh() }

    package func flushEvents(into store: EventStore) async throws {
        try await trail.flush(into: store)
    }

    package func permits(_ redirectURI: String, of client: Client, in realm: Realm) -> Bool {
        realms.kept(named: realm.name)
            .map { actionLinks.permits(redirectURI, of: client, in: $0) } ?? false
    }

    package func mail(
        _ link: ActionLink,
        to person: Person,
        in realm: Realm,
        by sender: String,
        at moment: Moment
    ) async throws -> ActionLink.Outcome {
        guard let realm = realms.kept(named: realm.name) else { throw ChangedMeanwhile() }
        return try await actionLinks.send(link, to: person, in: realm, by: sender, at: moment)
    }
}

extension LiveRealm: AdministeredRealm {
    package func client(named clientID: String) async throws -> Client? {
        if let enabled = try await client(clientID: clientID) { return enabled }
        return try await disabledClient(clientID: clientID)
    }

    package func publishedKeys(at now: Int64) throws -> [(jwk: JSONObject, signs: Bool)] {
        let published = keys.published(at: now)
        let signing = Set(published.algorithms.compactMap { keys.active($0, at: now)?.keyID })
        let set = try JSONObject(parsing: published.keySet)
        return (set.array("keys") ?? []).compactMap(\.object).map { jwk in
            (jwk, jwk.string("kid").map(signing.contains) ?? false)
        }
    }
}
