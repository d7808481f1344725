import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Keeps what is known here by its representation alone, so that an export gives it back: identity providers
/// (``FileProvider``), and flows, components, policies, which nothing here acts on. Secrets in it are sealed.
struct PartImport {
    let realm: Realm
    let seal: RealmPartSeal
    let moment: Moment
    private let existing: ExistingRealm?

    init(realm: Realm, ring: KeyRing, moment: Moment, existing: ExistingRealm? = nil) {
        self.realm = realm
        seal = RealmPartSeal(ring: ring)
        self.moment = moment
        self.existing = existing
    }

    /// Members that are arrays of objects, each with the member that tells one from another.
    static let lists = [
        "identityProviders": "alias", "identityProviderMappers": "id",
        "authenticationFlows": "id", "authenticatorConfig": "id", "requiredActions": "alias",
    ]
    static let components = "components"
    /// Members that are one object.
    static let objects = ["clientProfiles", "clientPolicies", "smtpServer"]
    /// The kinds of components that are kept elsewhere, by their member in `components`.
    static let keyComponents = "org.keycloak.keys.KeyProvider"

    func callAsFunction(_ representation: Representation, report: inout ImportReport)
        throws(RealmImportError) -> [RealmPart]
    {
        var parts: [RealmPart] = []
        var seen = SeenTexts()
        let names = PartNames(Array((existing?.parts ?? [:]).values))
        func add(_ kind: String, _ known: [PartNames.Known]) {
            for (id, object) in known {
                guard seen.insert("\(kind) \(id)") else {
                    report.add(.skipped, "\(kind) \(id)", "the file has it twice")
                    continue
                }
                parts.append(part(kind, id, object))
            }
        }
        for (kind, key) in Self.lists.sorted(by: { $0.key < $1.key }) {
            let listed = try Self.named(try representation.children(kind), by: key)
            add(
                kind,
                key == "id"
                    ? names.known(listed.map { ($0.object, $0.place) }, kind)
                    : listed.map { ($0.name ?? $0.place, $0.object) }
            )
        }
        for kind in Self.objects {
            guard let object = try representation.child(kind), !object.object.isEmpty else {
                continue
            }
            parts.append(part(kind, "", object.object))
        }
        if let components = try representation.child(Self.components) {
            var all: [(object: JSONObject, place: String)] = []
            for (type, _) in components.object where type != Self.keyComponents {
                for one in try Self.named(try components.children(type), by: "id") {
                    all.append((PartNames.typed(one.object, type), "\(type)/\(one.place)"))
                }
            }
            add(Self.components, names.known(all, Self.components))
        }
        return parts
    }

    /// - Returns: What each is named by, and where it stands.
    private static func named(_ list: [Representation], by key: String) throws(RealmImportError)
        -> [(object: JSONObject, name: String?, place: String)]
    {
        var named: [(object: JSONObject, name: String?, place: String)] = []
        for (index, element) in list.enumerated() {
            named.append((element.object, try element.text(key), String(index)))
        }
        return named
    }

    private func part(_ kind: String, _ id: String, _ object: JSONObject) -> RealmPart {
        seal.part(object, of: kind, id: id, realmID: realm.id, random: moment.random)
    }
}
