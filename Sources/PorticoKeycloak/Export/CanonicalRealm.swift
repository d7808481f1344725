import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

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
