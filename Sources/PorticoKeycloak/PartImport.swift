import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores

/// Keeps what nothing here acts on, so that an export gives it back: identity providers, flows,
/// components, policies. Secrets in it are sealed.
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
        var names = PartNames(Array((existing?.parts ?? [:]).values))
        func add(_ kind: String, _ part: (id: String, object: JSONObject)) {
            guard seen.insert("\(kind) \(part.id)") else {
                report.add(.skipped, "\(kind) \(part.id)", "the file has it twice")
                return
            }
            parts.append(self.part(kind, part.id, part.object))
        }
        for (kind, key) in Self.lists.sorted(by: { $0.key < $1.key }) {
            for (index, object) in try representation.children(kind).enumerated() {
                guard key == "id" else {
                    add(kind, (try object.text(key) ?? String(index), object.object))
                    continue
                }
                _ = try object.text(key)
                add(kind, names.known(object.object, kind, place: String(index)))
            }
        }
        for kind in Self.objects {
            guard let object = try representation.child(kind), !object.object.isEmpty else {
                continue
            }
            parts.append(part(kind, "", object.object))
        }
        if let components = try representation.child(Self.components) {
            for (type, _) in components.object where type != Self.keyComponents {
                for (index, component) in try components.children(type).enumerated() {
                    _ = try component.text("id")
                    var object = component.object
                    object["providerType"] = .string(type)
                    add(
                        Self.components,
                        names.known(object, Self.components, place: "\(type)/\(index)")
                    )
                }
            }
        }
        return parts
    }

    private func part(_ kind: String, _ id: String, _ object: JSONObject) -> RealmPart {
        let (document, secrets) = RealmPartSeal.parted(object)
        return RealmPart(
            realmID: realm.id,
            kind: kind,
            id: id,
            document: document,
            sealed: secrets.isEmpty
                ? nil
                : seal.seal(
                    secrets,
                    of: kind,
                    id: id,
                    realmID: realm.id,
                    random: moment.random
                )
        )
    }
}
