import PorticoBytes
import PorticoProtocol

/// Compares two values in their canonical forms, and remembers a bounded number of differences.
struct RealmComparison {
    private(set) var differences: [RealmDifference] = []
    /// How many there are of each section, those that are not remembered too.
    private(set) var counts: [String: Int] = [:]

    /// Of each section.
    static let most = 100

    private static let quiet = RepresentationMembers.names(.countsWhereSaid)

    private static let ids: Set<String> = ["id", "internalId"]

    /// What a file that masks its secrets says.
    static func isMasked(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): RealmSecrets.isMask(text)
        case .array(let values): values.contains(where: isMasked)
        default: false
        }
    }

    /// - Parameters:
    ///   - here: What is kept; `nil`: nothing.
    ///   - there: What the file says.
    mutating func compare(_ here: JSONValue?, _ there: JSONValue?, at path: JSONPath) {
        let (kept, said) = (here.filled, there.filled)
        guard kept != said else { return }
        if case .object(let kept)? = kept, case .object(let said)? = said {
            compare(kept, said, at: path)
            return
        }
        guard !isSilent(said, at: path, whereKept: kept != nil) else { return }
        // `false` against `true` is a change, not something that is new.
        add(RealmDifference(path, here: kept ?? here.value, there: said ?? there.value))
    }

    /// Whether the file says nothing there, so that importing it would change nothing.
    private func isSilent(_ said: JSONValue?, at path: JSONPath, whereKept: Bool) -> Bool {
        guard case .name(let name)? = path.steps.last else { return false }
        // A password in the clear is masked, too, and counts where the person has none yet.
        if let said { return Self.isMasked(said) && (whereKept || name != "password") }
        // A key provider without its key has little else, and a key that was made here stays.
        guard path.steps.contains(.name(PartImport.keyComponents)) else {
            return Self.quiet.contains(name)
        }
        return path.steps.count == 2 || path.steps.count > 4
            || name.hasPrefix(KeyComponentRepresentation.ofOurs)
    }

    private mutating func compare(_ here: JSONObject, _ there: JSONObject, at path: JSONPath) {
        let kept = Dictionary(
            here.map { (ExactText($0.name), $0.value) }
        ) { first, _ in first }
        let said = Dictionary(
            there.map { (ExactText($0.name), $0.value) }
        ) { first, _ in first }
        // The file's id is another one where a thing was found by its name: that of here stays.
        for (name, value) in there where !Self.ids.contains(name) {
            compare(kept[ExactText(name)], value, at: path + .name(name))
        }
        for (name, value) in here where said[ExactText(name)] == nil && !Self.ids.contains(name) {
            compare(value, nil, at: path + .name(name))
        }
    }

    mutating func add(_ difference: RealmDifference) {
        counts[difference.section, default: 0] += 1
        if counts[difference.section, default: 0] <= Self.most { differences.append(difference) }
    }
}

extension JSONValue? {
    /// `nil` also for what means the same as nothing.
    fileprivate var filled: JSONValue? {
        switch self {
        case nil, .null?, .bool(false)?, .integer(0)?: nil
        case .string(let text)?: text.isEmpty ? nil : self
        case .array(let values)?: values.isEmpty ? nil : self
        case .object(let object)?: object.contains { Optional($0.value).filled != nil } ? self : nil
        case .number?, .integer?, .bool?: self
        }
    }

    /// `nil` also for `null` and for what has no one value.
    fileprivate var value: JSONValue? {
        switch self {
        case .bool?, .integer?: self
        default: nil
        }
    }
}
