import PorticoBytes
import PorticoProtocol
import PorticoStores

/// By which ids parts of a realm are kept. A file may spell their UUIDs otherwise, or say none: then a
/// part is known by its name.
struct PartNames {
    /// Those that are here, by kind and ``name(_:_:)``.
    private let here: [[String]: [RealmPart]]
    /// Those that have one, by kind and the id in their representation.
    private let ids: [[String]: RealmPart]
    /// Those without, which the file has given one.
    private var given: Set<RealmPart> = []
    /// How many of a name the file has had without ids.
    private var count: [[String]: Int] = [:]

    /// - Parameter parts: What is here.
    init(_ parts: [RealmPart]) {
        let sorted = parts.sorted { $0.id < $1.id }
        ids = Dictionary(
            sorted.compactMap { part in
                part.document.string("id").map { ([part.kind, ImportedIDs.key($0)], part) }
            }
        ) { first, _ in first }
        here = Dictionary(grouping: sorted) { [$0.kind, Self.name($0.document, $0.kind) ?? ""] }
    }

    /// What tells parts from one another that have no id.
    private static let members = [
        "identityProviderMappers": ["identityProviderAlias", "name"],
        "authenticationFlows": ["alias"], "authenticatorConfig": ["alias"],
        PartImport.components: ["providerType", "name", "subType"],
    ]

    /// - Returns: `nil` where its kind has ids of another sort, or nothing of it is said.
    static func name(_ part: JSONObject, _ kind: String) -> String? {
        guard let members = members[kind] else { return nil }
        let texts = members.compactMap { part.string($0) }
        return texts.isEmpty ? nil : texts.joined(separator: "/")
    }

    /// - Parameters:
    ///   - part: As a file has it.
    ///   - place: Where it stands in its list.
    /// - Returns: The id by which it is kept, and the part with the id that it has in its
    ///   representation here.
    mutating func known(_ part: JSONObject, _ kind: String, place: String)
        -> (id: String, object: JSONObject)
    {
        var part = part
        let name = Self.name(part, kind)
        let others = name.flatMap { here[[kind, $0]] } ?? []
        let found: RealmPart?
        let id: String
        if let said = part.string("id").map(ImportedIDs.key) {
            let own = ids[[kind, said]]
            // What had none has one now.
            let without = others.first { $0.document["id"] == nil && !given.contains($0) }
            if own == nil, let without { given.insert(without) }
            (found, id) = (own ?? without, said)
        } else {
            let number = count[[kind, name ?? ""], default: 0]
            count[[kind, name ?? ""]] = number + 1
            found = number < others.count ? others[number] : nil
            id = name.map { number == 0 ? $0 : "\($0) \(number + 1)" } ?? place
        }
        if let own = found?.document["id"] { part["id"] = own }
        return (found?.id ?? id, part)
    }

    /// A realm, as an export or a file has it, whose parts have the ids by which they are kept.
    func withKeptIDs(_ realm: JSONObject) -> JSONObject {
        var (realm, names) = (realm, self)
        func kept(_ list: JSONValue, _ kind: String, type: String? = nil) -> JSONValue {
            guard let elements = list.array else { return list }
            return .array(
                elements.enumerated().map { place, element in
                    guard var object = element.object else { return element }
                    if let type { object["providerType"] = .string(type) }
                    let id = names.known(object, kind, place: String(place)).id
                    if type != nil { object["providerType"] = .none }
                    object["id"] = .string(id)
                    return .object(object)
                }
            )
        }
        for (kind, key) in PartImport.lists where key == "id" {
            realm[kind] = realm[kind].map { kept($0, kind) }
        }
        guard let components = realm.object(PartImport.components) else { return realm }
        var members = components
        for (type, list) in components where type != PartImport.keyComponents {
            members[type] = kept(list, PartImport.components, type: type)
        }
        realm[PartImport.components] = .object(members)
        return realm
    }
}
