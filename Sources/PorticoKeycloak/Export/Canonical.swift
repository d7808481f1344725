import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Values in the form in which two are compared.
enum Canonical {
    static let left = RepresentationMembers.names(.none)
    /// What tells the elements of a list from one another, where an import has no rule of its own.
    private static let keys = [
        "clientId", "username", "identityProvider", "alias", "name", "id",
    ]

    /// - Parameter name: The member that it is of.
    static func value(_ value: JSONValue, of name: String) -> JSONValue {
        switch value {
        case .object(let object):
            if name == "config" { return settings(value) }
            if name == "attributes" { return lists(value) }
            var json = JSONObject()
            for (name, value) in object where !left.contains(name) {
                json[name] =
                    name == "id"
                    ? value.string.map { .string(ImportedIDs.key($0)) } ?? value
                    : Self.value(value, of: name)
            }
            return .object(json)
        case .array(let values):
            if let texts = value.strings { return .texts(texts.sorted()) }
            guard values.contains(where: { $0.object != nil }) else { return value }
            return list(value, by: PartImport.lists[name])
        default: return value
        }
    }

    /// A list of objects, by what tells each from the others; as it is where nothing does.
    ///
    /// - Parameter member: What an import goes by; `nil`: names.
    static func list(_ value: JSONValue, by member: String? = nil) -> JSONValue {
        guard let values = value.array else { return value }
        let objects = values.compactMap(\.object)
        guard objects.count == values.count else { return value }
        let candidates = [member].compactMap(\.self) + keys
        let key = candidates.first { key in objects.allSatisfy { $0.string(key) != nil } }
        guard let key else { return .array(values.map { Self.value($0, of: "") }) }
        let times = Dictionary(grouping: objects) { ExactText($0.string(key) ?? "") }
        let json = objects.map { object -> (name: String, value: JSONValue) in
            let name = object.string(key) ?? ""
            // What is there twice is told apart by its id.
            let isAlone = times[ExactText(name)]?.count == 1
            return (
                isAlone ? name : "\(name) \(object.string("id") ?? "")",
                Self.value(.object(object), of: "")
            )
        }
        return JSONObject(unique: json).map(JSONValue.object) ?? value
    }

    /// A map of texts, in which Keycloak also reads numbers and Booleans as texts, or lists of one.
    static func settings(_ value: JSONValue) -> JSONValue {
        guard let object = value.object else { return value }
        var json = JSONObject()
        for (name, value) in object {
            json[name] =
                switch value {
                case .bool(let bool): .string("\(bool)")
                case .integer(let integer): .string("\(integer)")
                case .array: value.strings.map { $0.count == 1 ? .string($0[0]) : value } ?? value
                default: value
                }
        }
        return .object(json)
    }

    /// A map of lists, of which a single text is one, too. Their order means something.
    private static func lists(_ value: JSONValue) -> JSONValue {
        guard let object = value.object else { return value }
        var json = JSONObject()
        for (name, value) in object { json[name] = value.string.map { .texts([$0]) } ?? value }
        return .object(json)
    }
}

/// A realm, as an export or a file has it, in the form in which two are compared: lists by name,
/// sets in order, without what follows from something else.
struct CanonicalRealm {
    /// By the names of members: `clients` by `clientId`.
    let json: JSONObject

    init(_ realm: JSONObject) {
        var json = JSONObject()
        for (name, value) in realm {
            json[name] =
                switch name {
                case "scopeMappings": Self.mappings(value)
                case "clientScopeMappings": .object(Self.eachMapping(value))
                case "clients": Canonical.list(value.mapped(Self.client))
                // The rest of it stands among the roles.
                case "defaultRole": ["name": value.object?["name"] ?? .null]
                case "components": .object(Self.components(value))
                case "attributes", "smtpServer": Canonical.settings(value)
                default: Canonical.value(value, of: name)
                }
        }
        self.json = json
    }

    /// Who sees which roles: by the owner, whom a file may name several times.
    private static func mappings(_ value: JSONValue) -> JSONValue {
        var roles: [String: Set<String>] = [:]
        for mapping in value.array ?? [] {
            guard let mapping = mapping.object else { continue }
            let client = mapping.string("client").map { "client \($0)" }
            let scope = mapping.string("clientScope").map { "clientScope \($0)" }
            roles[client ?? scope ?? "", default: []].formUnion(mapping.strings("roles") ?? [])
        }
        return .lists(roles.mapValues { $0.sorted() })
    }

    private static func eachMapping(_ value: JSONValue) -> JSONObject {
        var each = JSONObject()
        for (client, value) in value.object ?? JSONObject() { each[client] = mappings(value) }
        return each
    }

    private static func client(_ client: JSONObject) -> JSONObject {
        var json = client
        json["name"] = client["name"] ?? client["clientId"]
        json["fullScopeAllowed"] = .bool(
            client.bool("fullScopeAllowed") ?? !(client.bool("consentRequired") ?? false)
        )
        for (name, value) in RepresentationMembers.client.usual where json[name] == nil {
            json[name] = value
        }
        for name in ["redirectUris", "webOrigins"] {
            guard let texts = client.strings(name) else { continue }
            json[name] = .texts(texts.filter { !$0.isEmpty })
        }
        json["attributes"] = client["attributes"].map(Canonical.settings)
        if !Self.isProvenBySecret(client) { json["secret"] = nil }
        json["access"] = nil
        return json
    }

    /// Whether its secret means anything: that of a public client proves nothing, those of Keycloak's own
    /// clients and beside keys or a certificate are not taken by an import.
    private static func isProvenBySecret(_ client: JSONObject) -> Bool {
        let type = client.string("clientAuthenticatorType") ?? "client-secret"
        return client.bool("publicClient") != true && type.hasPrefix("client-secret")
            && !Client.builtIn.contains(client.string("clientId") ?? "")
    }

    private static func components(_ value: JSONValue) -> JSONObject {
        var components = JSONObject()
        for (type, list) in value.object ?? JSONObject() {
            components[type] =
                type == PartImport.keyComponents
                ? Canonical.list(list.mapped(CanonicalKey.json))
                : Canonical.list(list, by: "id")
        }
        return components
    }
}

/// A key provider in the form in which two are compared: its key by its name, whatever the armour.
enum CanonicalKey {
    static func json(_ component: JSONObject) -> JSONObject {
        var json = component
        var config = component.object("config") ?? JSONObject()
        for name in ["privateKey", "ecdsaPrivateKey", "eddsaPrivateKey"] {
            guard let text = config.strings(name)?.first else { continue }
            // `try?`: what cannot be read is compared as it is.
            if let key = try? ForeignPrivateKey(text) {
                config[name] = .string(key.publicKey.keyID)
            }
        }
        if let secret = config.strings("secret")?.first, let bytes = Base64URL.decode(secret) {
            config["secret"] = .string(Hash256(of: bytes).text)
        }
        json["config"] = .object(config)
        return json
    }
}

extension JSONValue {
    /// The objects of a list, each changed.
    func mapped(_ change: (JSONObject) -> JSONObject) -> JSONValue {
        .array((array ?? []).map { $0.object.map { .object(change($0)) } ?? $0 })
    }
}

extension Hash256 {
    fileprivate var text: String { Base64URL.encode(bytes) }
}

/// A person, as an export or a file has them, in the form in which two are compared.
struct CanonicalPerson {
    let username: String
    let json: JSONObject

    /// - Returns: `nil` where they have no user name, or one that is longer than any.
    init?(_ person: JSONObject) {
        guard let name = person.string("username"), (1...1024).contains(name.utf8.count) else {
            return nil
        }
        username = LoginName.folded(name)
        var json = JSONObject()
        for (name, value) in person where !Canonical.left.contains(name) {
            json[name] =
                switch name {
                case "groups": .texts((value.strings ?? []).map(Self.path).sorted())
                default: Canonical.value(value, of: name)
                }
        }
        json["username"] = .string(username)
        if let id = person.string("id") { json["id"] = .string(ImportedIDs.key(id)) }
        // Seconds are kept.
        if let time = person.int64("createdTimestamp") {
            json["createdTimestamp"] = .integer(time / 1000)
        }
        json["notBefore"] = .integer(max(0, person.int64("notBefore") ?? 0))
        let credentials = (person.array("credentials") ?? []).compactMap(\.object)
        var actions = person.strings("requiredActions") ?? []
        if credentials.contains(where: { $0.bool("temporary") ?? false }) {
            actions.append(RequiredAction.updatePassword)
        }
        json["requiredActions"] = .texts(Set(actions).sorted())
        json["credentials"] = .object(Self.credentials(credentials))
        json["clientConsents"] = Canonical.list(
            (person["clientConsents"] ?? []).mapped(Self.consent)
        )
        self.json = json
    }

    /// Hand-written files call a group at the top by its bare name.
    private static func path(_ group: String) -> String {
        group.hasPrefix("/") ? group : "/" + group
    }

    /// Its times are kept in seconds, and not both.
    private static func consent(_ consent: JSONObject) -> JSONObject {
        var json = consent
        json["createdDate"] = nil
        json["lastUpdatedDate"] = (consent.int64("lastUpdatedDate") ?? consent.int64("createdDate"))
            .map { .integer($0 / 1000) }
        return json
    }

    /// By kind and name. A password is its hash.
    private static func credentials(_ credentials: [JSONObject]) -> JSONObject {
        var json = JSONObject()
        for credential in credentials {
            let type = credential.string("type") ?? "password"
            if type == "password" {
                if json[type] == nil { json[type] = password(credential) }
                continue
            }
            let name = "\(type) \(credential.string("id") ?? credential.string("userLabel") ?? "")"
            json[name] = [
                "userLabel": .string(credential.string("userLabel") ?? ""),
                "createdDate": .integer(credential.int64("createdDate") ?? 0),
                "secretData": parsed(credential.string("secretData")),
                "credentialData": parsed(credential.string("credentialData")),
            ]
        }
        return json
    }

    private static func password(_ credential: JSONObject) -> JSONValue {
        do {
            // A password itself cannot be compared with a hash.
            return try KeycloakHash.hash(of: credential).map { .string($0.encoded) }
                ?? .string(RealmSecrets.mask)
        } catch {
            return .string(error.description)
        }
    }

    private static func parsed(_ text: String?) -> JSONValue {
        // `try?`: what cannot be read is compared as it is.
        text.map { (try? JSONValue(parsing: Array($0.utf8))) ?? .string($0) } ?? .null
    }
}
