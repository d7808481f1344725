import PorticoProtocol
import PorticoStores

/// What is kept of a representation, read again.
extension KeptRepresentation {
    var object: JSONObject {
        // `try?`: it was serialized here.
        (try? JSONObject(parsing: Array(json.utf8), limits: RealmImport.limits)) ?? JSONObject()
    }
}

extension KeptRepresentation? {
    /// Empty where nothing is kept.
    var object: JSONObject { self?.object ?? JSONObject() }

    /// One member. Setting it writes all: for several, change the object. What was kept stays kept, even
    /// empty: a representation is written otherwise where nothing was.
    subscript(name: String) -> JSONValue? {
        get { object[name] }
        set {
            guard self != nil || newValue != nil else { return }
            var object = self.object
            object[name] = newValue
            self = KeptRepresentation(object)
        }
    }
}

/// The attributes of what is kept.
extension JSONObject {
    /// As it stands in a text.
    var text: String { String(decoding: serialized(), as: UTF8.self) }

    /// The text of an attribute; `nil` also for an empty one, which means the same there.
    func attribute(_ name: String) -> String? {
        let text: String? =
            switch object("attributes")?[name] {
            case .string(let text)?: text
            case .bool(let bool)?: "\(bool)"
            case .integer(let integer)?: "\(integer)"
            default: nil
            }
        return text?.isEmpty == false ? text : nil
    }

    mutating func setAttribute(_ name: String, to text: String?) {
        var attributes = object("attributes") ?? JSONObject()
        attributes[name] = text.map(JSONValue.string)
        self["attributes"] = .object(attributes)
    }
}

/// The names of levels of authentication (Keycloak `acr.loa.map`): a JSON object in a text.
enum ACRLevels {
    static let attribute = "acr.loa.map"

    /// `nil` where there is none; an empty one is one.
    static func read(_ text: String?) -> [String: Int64]? {
        // `try?`: what cannot be read names no level.
        guard let text, let map = try? JSONValue(parsing: Array(text.utf8)).object else {
            return nil
        }
        var levels: [String: Int64] = [:]
        for (name, value) in map {
            if let level = value.int64 ?? value.string.flatMap({ Int64($0) }) {
                levels[name] = level
            }
        }
        return levels
    }

    static func written(_ levels: [String: Int64]) -> String {
        let members = levels.sorted { $0.key < $1.key }.map {
            ($0.key, JSONValue.integer($0.value))
        }
        let object = JSONObject(unique: members) ?? JSONObject()
        return object.text
    }
}
