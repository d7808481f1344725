import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What of a file an import takes: what it leaves out and says so is no difference
/// (docs/migrating-from-keycloak.md).
struct ImportedPart {
    private(set) var json: JSONObject

    /// - Parameters:
    ///   - file: A realm of a file, without its people.
    ///   - here: The realm as an export has it.
    init(_ file: JSONObject, of realm: Realm, here: JSONObject) {
        var json = JSONObject()
        var said = file
        said["realm"] = .string(realm.name)
        for (name, value) in BuiltInRealm(realm.name).completing(said) where file[name] != nil {
            json[name] = value
        }
        self.json = json
        leaveOutDefaultGroups()
        leaveOutDefaultRoles()
        leaveOutClients()
        leaveOutScopes(here, of: realm.name)
        leaveOutKeys(here)
    }

    /// Those that the file does not have.
    private mutating func leaveOutDefaultGroups() {
        guard let paths = json.strings("defaultGroups"), let groups = json.array("groups") else {
            return
        }
        var known: Set<ExactText> = []
        var rest = groups.map { (parent: "", group: $0) }
        while let (parent, group) = rest.popLast() {
            guard let name = group.object?.string("name") else { continue }
            let path = "\(parent)/\(name)"
            known.insert(ExactText(path))
            rest += (group.object?.array("subGroups") ?? []).map { (parent: path, group: $0) }
        }
        let whole = paths.map { $0.hasPrefix("/") ? $0 : "/" + $0 }
        json["defaultGroups"] = .texts(whole.filter { known.contains(ExactText($0)) })
    }

    private mutating func leaveOutDefaultRoles() {
        guard let roles = json.object("roles")?.array("realm") else { return }
        let known = Set(roles.compactMap { $0.object?.string("name").map(ExactText.init) })
        if let name = json.object("defaultRole")?.string("name"), !known.contains(ExactText(name)) {
            json["defaultRole"] = nil
        }
        if let names = json.strings("defaultRoles") {
            json["defaultRoles"] = .texts(names.filter { known.contains(ExactText($0)) })
        }
    }

    /// Names of scopes that neither the file nor the realm describes. Keycloak's own clients keep them as data.
    private mutating func leaveOutScopes(_ here: JSONObject, of realm: String) {
        let scopes = json.array("clientScopes") ?? here.array("clientScopes") ?? []
        let known = Set(scopes.compactMap { $0.object?.string("name").map(ExactText.init) })
        func leaveOut(_ members: [String], of object: inout JSONObject) {
            var taken: Set<ExactText> = []
            for member in members {
                guard let names = object.strings(member) else { continue }
                object[member] = .texts(
                    names.filter {
                        let name = ExactText($0)
                        return known.contains(name) && taken.insert(name).inserted
                    }
                )
            }
        }
        leaveOut(["defaultDefaultClientScopes", "defaultOptionalClientScopes"], of: &json)
        guard let clients = json.array("clients") else { return }
        json["clients"] = .array(
            clients.map { client in
                guard var object = client.object,
                    !Client.isBuiltIn(object.string("clientId") ?? "", in: realm)
                else { return client }
                for member in ["defaultClientScopes", "optionalClientScopes"] {
                    leaveOut([member], of: &object)
                }
                return .object(object)
            }
        )
    }

    /// Those of SAML, and their roles.
    private mutating func leaveOutClients() {
        guard let clients = json.array("clients") else { return }
        let others = Set(
            clients.compactMap(\.object).filter {
                $0.string("protocol") ?? "openid-connect" != "openid-connect"
                    && !Client.builtIn.contains($0.string("clientId") ?? "")
            }.compactMap { $0.string("clientId").map(ExactText.init) }
        )
        guard !others.isEmpty else { return }
        json["clients"] = .array(
            clients.filter { client in
                client.object?.string("clientId").map { !others.contains(ExactText($0)) } ?? true
            }
        )
        guard var roles = json.object("roles"), var byClient = roles.object("client") else {
            return
        }
        for clientID in others { byClient[clientID.text] = nil }
        roles["client"] = .object(byClient)
        json["roles"] = .object(roles)
    }

    /// Key providers of a kind that nothing here uses, and those without their key, unless it is here.
    private mutating func leaveOutKeys(_ here: JSONObject) {
        guard var components = json.object(PartImport.components),
            let keys = components.array(PartImport.keyComponents)
        else { return }
        let kept = Set(
            (here.object(PartImport.components)?.array(PartImport.keyComponents) ?? [])
                .compactMap { $0.object?.string("name").map(ExactText.init) }
        )
        components[PartImport.keyComponents] = .array(
            keys.filter { key in
                // `try?`: what cannot be read is compared as it is.
                guard let component = try? KeyComponent(Representation(key, path: "")),
                    let material = try? component.material()
                else { return true }
                switch material {
                case .pair, .secret: return true
                case .lost, .other: return kept.contains(ExactText(component.name))
                }
            }
        )
        if components.array(PartImport.keyComponents)?.isEmpty == true {
            components[PartImport.keyComponents] = .none
        }
        json[PartImport.components] = components.isEmpty ? .none : .some(.object(components))
    }
}
