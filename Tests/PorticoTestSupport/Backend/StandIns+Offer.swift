import PorticoBytes
import PorticoSeals
import PorticoStandIns
import PorticoStores
import PorticoUpstream

extension StandIns {
    /// Registers a backend at each stand-in, and each stand-in and the apps with the backend.
    ///
    /// - Parameter origin: The backend's own, without a slash at the end.
    func offer(
        to database: TestDatabase,
        at origin: String,
        apps: [Client],
        ring: KeyRing,
        realmID: String? = nil
    ) async throws {
        let kinds: [(StandInKind, IdentityProvider.Kind, String)] = [
            (.google, .google, "google"), (.facebook, .facebook, "facebook"),
            (.apple, .apple, "apple"), (.openID, .oidc, "keycloak"),
        ]
        for (place, (standIn, kind, name)) in kinds.enumerated() {
            let callback = "\(origin)/v1/auth/\(name)/callback"
            let registered = try registerDemo(
                at: standIn,
                redirectURIs: [
                    callback, callback + "/link", "\(origin)/realms/test/broker/\(name)/endpoint",
                ]
            )
            var record = try ProviderRecord(
                standIn: registered,
                name: name,
                kind: kind,
                place: Int64(place),
                ring: ring,
                random: .system
            )
            try await database.put(record)
            guard let realmID else { continue }
            record.realmID = realmID
            try await database.configuration.put(record)
        }
        for app in apps { try await database.put(app) }
    }
}
