import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

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
