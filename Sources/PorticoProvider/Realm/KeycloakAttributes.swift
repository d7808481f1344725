import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// The attributes of a Keycloak representation: texts under dotted names.
struct KeycloakAttributes: Sendable {
    private let object: JSONObject

    init(_ object: JSONObject?) {
        self.object = object ?? JSONObject()
    }

    /// - Returns: `nil` also for an empty text, which means the same there.
    subscript(name: String) -> String? {
        let text: String? =
            switch object[name] {
            case .string(let text)?: text
            case .bool(let bool)?: bool ? "true" : "false"
            case .integer(let integer)?: String(integer)
            default: nil
            }
        return text?.isEmpty == false ? text : nil
    }

    func isOn(_ name: String) -> Bool { self[name]?.isTrue ?? false }

    /// A number of seconds above 0.
    func seconds(_ name: String) -> Int64? {
        self[name].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// `nil` where there is none; an empty one is one.
    var acrLevels: [String: Int64]? {
        // `try?`: what cannot be read names no level.
        guard let text = self["acr.loa.map"],
            let map = try? JSONValue(parsing: Array(text.utf8)).object
        else { return nil }
        var levels: [String: Int64] = [:]
        for (name, value) in map {
            if let level = value.int64 ?? value.string.flatMap({ Int64($0) }) {
                levels[name] = level
            }
        }
        return levels
    }
}

extension String {
    /// Whether the text of an attribute or a setting is `true`, in any case: every other text is `false`
    /// (Java's `Boolean.parseBoolean`).
    package var isTrue: Bool {
        utf8.count == 4 && utf8.map(\.lowercased).elementsEqual("true".utf8)
    }
}

extension JSONObject {
    /// Those of OpenID Connect, in the order of the file.
    package var protocolMappers: [ProtocolMapperRecord] {
        (self["protocolMappers"]?.array ?? []).compactMap { value in
            guard let mapper = value.object, let name = mapper.string("name"),
                let kind = mapper.string("protocolMapper"),
                mapper.string("protocol") ?? "openid-connect" == "openid-connect"
            else { return nil }
            var config: [String: String] = [:]
            let settings = KeycloakAttributes(mapper.object("config"))
            for (key, _) in mapper.object("config") ?? JSONObject() { config[key] = settings[key] }
            return ProtocolMapperRecord(
                id: mapper.string("id") ?? name,
                name: name,
                kind: kind,
                config: config,
                consentRequired: mapper.bool("consentRequired") ?? false
            )
        }
    }
}
