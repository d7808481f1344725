import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoUpstream

extension ProviderRecord {
    /// A stand-in as an operator would configure it.
    init(
        standIn: StandInSettings,
        name: String,
        kind: IdentityProvider.Kind,
        place: Int64,
        ring: KeyRing,
        random: RandomSource
    ) throws {
        var settings: JSONObject = [
            "clientID": .string(standIn.clientID), "standIn": .string(standIn.issuer),
        ]
        if kind == .oidc {
            settings["issuer"] = .string(standIn.issuer)
            settings["displayName"] = "Example ID"
        }
        if kind == .google { settings["offline"] = true }
        if let team = standIn.team {
            settings["teamID"] = .string(team.id)
            settings["keyID"] = .string(team.keyID)
        }
        self.init(
            realmID: "home",
            name: name,
            kind: kind.rawValue,
            place: place,
            isEnabled: true,
            settings: settings,
            sealedSecret: ProviderSecrets(ring: ring).seal(
                standIn.secret,
                for: name,
                random: random
            )
        )
    }
}
