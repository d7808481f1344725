import PorticoBytes
import PorticoProtocol
import PorticoStores

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
