import PorticoAdministration
import PorticoBytes
import PorticoProtocol
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

    /// A realm as an export has it: lists by name, sets in order, without what follows from something else.
    static func realm(_ realm: JSONObject) -> JSONObject {
        var json = JSONObject()
        for (name, value) in realm {
            json[name] =
                switch name {
                case "scopeMappings": mappings(value)
                case "clientScopeMappings": .object(eachMapping(value))
                default: Self.value(value, of: name)
                }
        }
        return json
    }

    /// Who sees which roles: by the owner.
    private static func mappings(_ value: JSONValue) -> JSONValue {
        var roles: [String: [String]] = [:]
        for mapping in (value.array ?? []).compactMap(\.object) {
            let client = mapping.string("client").map { "client \($0)" }
            let scope = mapping.string("clientScope").map { "clientScope \($0)" }
            roles[client ?? scope ?? "", default: []] += mapping.strings("roles") ?? []
        }
        return .lists(roles.mapValues { $0.sorted() })
    }

    private static func eachMapping(_ value: JSONValue) -> JSONObject {
        var each = JSONObject()
        for (client, value) in value.object ?? JSONObject() { each[client] = mappings(value) }
        return each
    }
}

extension JSONValue {
    /// The objects of a list, each changed.
    func mapped(_ change: (JSONObject) -> JSONObject) -> JSONValue {
        .array((array ?? []).map { $0.object.map { .object(change($0)) } ?? $0 })
    }
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
