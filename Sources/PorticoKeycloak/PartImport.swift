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

    init(realm: Realm, ring: KeyRing, moment: Moment) {
        self.realm = realm
        seal = RealmPartSeal(ring: ring)
        self.moment = moment
    }

    /// Members that are arrays of objects, each with the member that tells one from another.
    static let lists = [
        "identityProviders": "alias", "identityProviderMappers": "id",
        "authenticationFlows": "id", "authenticatorConfig": "id", "requiredActions": "alias",
    ]
    /// Members that are one object.
    static let objects = ["clientProfiles", "clientPolicies", "smtpServer"]
    /// The kinds of components that are kept elsewhere, by their member in `components`.
    static let keyComponents = "org.keycloak.keys.KeyProvider"

    func callAsFunction(_ representation: Representation, report: inout ImportReport)
        throws(RealmImportError) -> [RealmPart]
    {
        var parts: [RealmPart] = []
        var seen = SeenTexts()
        for (kind, key) in Self.lists.sorted(by: { $0.key < $1.key }) {
            for (index, object) in try representation.children(kind).enumerated() {
                let id = try object.text(key) ?? String(index)
                guard seen.insert("\(kind) \(id)") else {
                    report.add(.skipped, "\(kind) \(id)", "the file has it twice")
                    continue
                }
                parts.append(part(kind, id, object.object))
            }
        }
        for kind in Self.objects {
            guard let object = try representation.child(kind), !object.object.isEmpty else {
                continue
            }
            parts.append(part(kind, "", object.object))
        }
        if let components = try representation.child("components") {
            for (type, _) in components.object where type != Self.keyComponents {
                for (index, component) in try components.children(type).enumerated() {
                    let id = try component.text("id") ?? "\(type)/\(index)"
                    guard seen.insert("components \(id)") else {
                        report.add(.skipped, "component \(id)", "the file has it twice")
                        continue
                    }
                    var object = component.object
                    object["providerType"] = .string(type)
                    parts.append(part("components", id, object))
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
