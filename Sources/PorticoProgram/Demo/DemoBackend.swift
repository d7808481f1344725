import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoUpstream

/// The sign-in methods of `portico serve --demo`: stand-ins for Google, Facebook and Apple, and internet
/// handles. What a person has put in their place stays.
struct DemoBackend {
    let installation: Installation
    /// Whose people sign in at the backend.
    let realm: Realm
    let standIns: StandIns
    let host: DemoHost

    /// The port that the stand-ins had at an earlier start.
    static func formerPort(_ installation: Installation) async throws -> Int? {
        try await installation.backend.configuration().providers
            .compactMap { $0.settings.string(ProviderSetting.standIn.rawValue) }
            .first.flatMap { HTTPAddress($0)?.port }
    }

    func prepare() async throws {
        let random = installation.clock.moment().random
        let origin = installation.settings.effectivePublicURL
        if try await installation.backend.configuration().realm == nil {
            try await installation.backend.choose(realmID: realm.id)
        }
        let known = try await installation.backend.configuration()
        let kinds: [(StandInKind, IdentityProvider.Kind)] = [
            (.apple, .apple), (.google, .google), (.facebook, .facebook),
        ]
        for (place, (standIn, kind)) in kinds.enumerated() {
            let callback = "\(origin)/v1/auth/\(kind.rawValue)/callback"
            let registered = try standIns.registerDemo(
                at: standIn,
                redirectURIs: [callback, callback + "/link"]
            )
            try await put(record(of: registered, kind, place: Int64(place), random), among: known)
        }
        try await put(host.provider(ofRealm: realm.id), among: known)
    }

    private func put(_ provider: ProviderRecord, among known: BackendConfiguration) async throws {
        let former = known.providers.first { sameBytes($0.name, provider.name) }
        guard former?.isStandIn ?? true else { return }
        try await installation.backend.put(provider)
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
        if let team = standIn.team {
            settings["teamID"] = .string(team.id)
            settings["keyID"] = .string(team.keyID)
        }
        return ProviderRecord(
            realmID: realm.id,
            name: kind.rawValue,
            kind: kind.rawValue,
            place: place,
            isEnabled: true,
            settings: settings,
            sealedSecret: ProviderSecrets(ring: installation.ring).seal(
                standIn.secret,
                for: kind.rawValue,
                random: random
            )
        )
    }
}

extension ProviderRecord {
    /// Only a demo can set a directory of DIDs that is asked by plain http.
    var isStandIn: Bool {
        settings[ProviderSetting.standIn.rawValue] != nil
            || settings.string(HandleSetting.directory.rawValue)?.dropping("http://") != nil
    }
}
