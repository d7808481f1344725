import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Brings together what a file says, what is here, and what the file of before said
/// (docs/decisions/0054): what the file changed is taken, what was changed here stays, and so does
/// what both changed.
struct ThreeWay {
    /// How many objects deep each member is a field of its own: `keycloak`, `attributes`, and what is
    /// in there.
    static let depth = 3

    /// What the file of before said; `nil`: none did, so that whatever is here was made here.
    let former: ImportedFields?
    /// What both changed.
    private(set) var refused: [FieldPath] = []

    init(_ former: ImportedFields?) {
        self.former = former
    }

    /// Whether the file's value takes the place of what is here; `nil`: there is none.
    mutating func takes(_ file: JSONValue?, over here: JSONValue?, at path: FieldPath) -> Bool {
        guard file != here, file.map(ImportedFields.digest) != here.map(ImportedFields.digest)
        else { return false }
        guard former?.says(file, at: path) != true else { return false }
        guard former?.says(here, at: path) == true else {
            refused.append(path)
            return false
        }
        return true
    }

    mutating func merged(_ file: JSONObject, _ here: JSONObject) -> JSONObject {
        merged(file, here, at: FieldPath(), depth: Self.depth)
    }

    private mutating func merged(
        _ file: JSONObject,
        _ here: JSONObject,
        at path: FieldPath,
        depth: Int
    ) -> JSONObject {
        let said = Dictionary(file.map { (ExactText($0.name), $0.value) }) { first, _ in first }
        let kept = Set(here.map { ExactText($0.name) })
        let names: [(String, JSONValue?)] =
            here.map { ($0.name, Optional($0.value)) }
            + file.filter { !kept.contains(ExactText($0.name)) }.map { ($0.name, nil) }
        var members: [(name: String, value: JSONValue)] = []
        for (name, here) in names {
            let file = said[ExactText(name)]
            let value = merged(file, here, at: path + name, depth: depth - 1)
            if let value { members.append((name, value)) }
        }
        return JSONObject(unique: members) ?? here
    }

    private mutating func merged(
        _ file: JSONValue?,
        _ here: JSONValue?,
        at path: FieldPath,
        depth: Int
    ) -> JSONValue? {
        guard depth > 0, file?.object != nil || here?.object != nil,
            file == nil || file?.object != nil, here == nil || here?.object != nil
        else { return takes(file, over: here, at: path) ? file : here }
        let inner = merged(file?.object ?? [:], here?.object ?? [:], at: path, depth: depth)
        // An object that is gone is no empty one.
        guard inner.isEmpty, file == nil || here == nil else { return .object(inner) }
        return here?.object?.isEmpty == true ? here : nil
    }

    /// Sets, each element by itself.
    mutating func merged<Element: Hashable>(
        _ file: Set<Element>,
        _ here: Set<Element>,
        at path: (Element) -> FieldPath
    ) -> Set<Element> {
        var merged = here
        for element in file.symmetricDifference(here) {
            let isInFile = file.contains(element)
            let takes = takes(
                isInFile ? true : nil,
                over: isInFile ? nil : true,
                at: path(element)
            )
            guard takes else { continue }
            if isInFile { merged.insert(element) } else { merged.remove(element) }
        }
        return merged
    }
}

extension FieldPath {
    /// Of a role that something has.
    static func role(_ role: RoleName, in member: String) -> FieldPath {
        role.clientID.map { FieldPath(member, $0, role.name) } ?? FieldPath(member, role.name)
    }
}
