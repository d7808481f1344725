import PorticoBytes
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

extension JSONObject {
    /// The members in that order; those it does not name come last, in the order they have.
    func ordered(_ names: [String]) -> JSONObject {
        let places = Dictionary(
            names.enumerated().map { (ExactText($1), $0) }
        ) { first, _ in first }
        let members = enumerated().sorted {
            let one = places[ExactText($0.element.name)] ?? names.count
            let other = places[ExactText($1.element.name)] ?? names.count
            return (one, $0.offset) < (other, $1.offset)
        }
        return JSONObject(unique: members.map(\.element)) ?? self
    }
}

extension JSONValue {
    static func texts(_ texts: some Sequence<String>) -> JSONValue {
        .array(texts.map(JSONValue.string))
    }

    /// A map of lists (Keycloak `attributes` of people, roles and groups), in the order of its keys.
    static func lists(_ lists: [String: [String]]) -> JSONValue {
        let members = lists.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.texts($0.value)) }
        return .object(JSONObject(unique: members) ?? JSONObject())
    }
}

extension Sequence {
    /// The elements by something that tells them apart; of those that have the same, the first.
    func keyed<Key: Hashable>(by key: (Element) -> Key) -> [Key: Element] {
        Dictionary(map { (key($0), $0) }) { first, _ in first }
    }
}

extension Sequence<RoleName> {
    /// The names of the realm's own roles.
    var ofRealm: [String] { compactMap { $0.clientID == nil ? $0.name : nil } }

    /// The names of the roles of each client, in the order of these.
    var byClient: JSONObject {
        let names = Dictionary(grouping: filter { $0.clientID != nil }) { $0.clientID ?? "" }
        return JSONObject(
            unique: names.sorted { $0.key < $1.key }.map { ($0.key, .texts($0.value.map(\.name))) }
        ) ?? JSONObject()
    }
}
