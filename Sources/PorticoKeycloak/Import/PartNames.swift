import PorticoBytes
import PorticoProtocol
import PorticoStores

/// By which ids parts of a realm are kept. A file may spell their UUIDs otherwise, or say none: then a
/// part is known by its name.
struct PartNames {
    /// Those that are here by their kinds, in the order in which files without ids have them.
    private let here: [String: [RealmPart]]

    /// - Parameter parts: What is here.
    init(_ parts: [RealmPart]) {
        here = Dictionary(grouping: parts.sorted { Self.order($0) < Self.order($1) }, by: \.kind)
    }

    /// Those without an id of their own first. Of one name the tenth is behind the second.
    private static func order(_ part: RealmPart) -> (Int, Int, String) {
        (id(part.document) == nil ? 0 : 1, part.id.utf8.count, part.id)
    }

    private static func id(_ part: JSONObject) -> String? {
        part.string("id").flatMap { $0.isEmpty ? nil : ImportedIDs.key($0) }
    }

    /// What tells parts from one another that have no id.
    private static let members = [
        "identityProviderMappers": ["identityProviderAlias", "name"],
        "authenticationFlows": ["alias"], "authenticatorConfig": ["alias"],
        PartImport.components: ["providerType", "name", "subType"],
    ]

    private static func name(_ part: JSONObject, _ kind: String) -> ExactText {
        let texts = (members[kind] ?? []).compactMap { part.string($0) }
        return ExactText(texts.filter { !$0.isEmpty }.joined(separator: "/"))
    }

    /// A part by the id that it is kept under, with the id that it has in its representation here.
    typealias Known = (id: String, object: JSONObject)

    /// - Parameters:
    ///   - parts: Of one kind, all that a file has, with where each stands.
    func known(_ parts: [(object: JSONObject, place: String)], _ kind: String) -> [Known] {
        let here = here[kind] ?? []
        let said = parts.map { Self.id($0.object) }
        let names = parts.map { Self.name($0.object, kind) }
        var byID: [String: RealmPart] = [:]
        for part in here.reversed() { Self.id(part.document).map { byID[$0] = part } }
        var found = said.map { id in id.flatMap { byID[$0] } }
        let taken = Set(found.compactMap { $0?.id })
        // The next one last.
        var rest = Dictionary(grouping: here.reversed().filter { !taken.contains($0.id) }) {
            Self.name($0.document, kind)
        }
        for index in parts.indices where said[index] == nil {
            found[index] = rest[names[index]]?.popLast()
        }
        rest = rest.mapValues { $0.filter { Self.id($0.document) == nil } }
        for index in parts.indices {
            guard let id = said[index], found[index] == nil else { continue }
            // What had none has one now. The file may have it twice.
            found[index] = byID[id] ?? rest[names[index]]?.popLast()
            byID[id] = found[index]
        }
        var made = MadeNames(taken: here.map(\.id) + said.compactMap(\.self))
        return parts.indices.map { index in
            var object = parts[index].object
            if let own = found[index]?.document["id"] { object["id"] = own }
            let id =
                found[index]?.id ?? said[index]
                ?? made.next(names[index].text.isEmpty ? parts[index].place : names[index].text)
            return (id, object)
        }
    }

    private static let type = "providerType"

    /// A component with the member that it stood in.
    static func typed(_ component: JSONObject, _ type: String) -> JSONObject {
        var component = component
        component[Self.type] = .string(type)
        return component
    }
}

/// Names for what has none of its own, each another.
private struct MadeNames {
    private var taken: Set<String>
    private var count: [String: Int] = [:]

    init(taken: [String]) {
        self.taken = Set(taken)
    }

    mutating func next(_ name: String) -> String {
        var text = name
        while !taken.insert(text).inserted {
            let number = count[name, default: 1] + 1
            count[name] = number
            text = "\(name) \(number)"
        }
        return text
    }
}
