import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStandIns
import PorticoStores
import PorticoUpstream

/// The sign-in methods and the app of `portico serve --demo`: stand-ins for Google, Facebook and Apple,
/// internet handles, and an app to sign in to.
struct DemoBackend {
    let installation: Installation
    let standIns: StandIns
    let host: DemoHost

    /// The name of the demo's app.
    static let app = "notes"

    func prepare() async throws {
        let random = installation.clock.moment().random
        let origin = installation.settings.effectivePublicURL
        let kinds: [(StandInKind, IdentityProvider.Kind)] = [
            (.apple, .apple), (.google, .google), (.facebook, .facebook),
        ]
        for (place, (standIn, kind)) in kinds.enumerated() {
            let callback = "\(origin)/v1/auth/\(kind.rawValue)/callback"
            let registered = try standIns.registerDemo(
                at: standIn,
                redirectURIs: [callback, callback + "/link"]
            )
            try await installation.backend.put(
                record(of: registered, kind, place: Int64(place), random)
            )
        }
        try await installation.backend.put(host.provider)
        // An existing app may have been changed on purpose, so it is kept.
        guard try await !isThere(Self.app) else { return }
        try await installation.backend.put(
            App(
                id: UniqueID(random: random),
                name: Self.app,
                displayName: "Notes",
                redirectURIs: ["http://127.0.0.1/callback", "com.example.notes:/callback"],
                isDefault: true
            )
        )
    }

    private func isThere(_ app: String) async throws -> Bool {
        try await installation.backend.configuration().apps.contains { $0.name == app }
    }

    private func record(
        of standIn: StandInSettings,
        _ kind: IdentityProvider.Kind,
        place: Int64,
        _ random: RandomSource
    ) -> ProviderRecord {
        var settings: JSONObject = [
            "clientID": .string(standIn.clientID), "standIn": .string(standIn.issuer),
        ]
        if let key = standIn.appleKey {
            settings["teamID"] = .string(key.teamID)
            settings["keyID"] = .string(key.keyID)
        }
        let secret = standIn.clientSecret ?? standIn.appleKey?.privateKey
        return ProviderRecord(
            name: kind.rawValue,
            kind: kind.rawValue,
            place: place,
            isEnabled: true,
            settings: settings,
            sealedSecret: secret.map {
                ProviderSecrets(ring: installation.ring).seal(
                    $0,
                    for: kind.rawValue,
                    random: random
                )
            }
        )
    }
}
