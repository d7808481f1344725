import PorticoBytes
package import PorticoProtocol

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

    /// Whether the file says nothing there, so that importing it would change nothing. Of people, it is the
    /// file itself that is compared: what it leaves out is made, or stays.
    private func isSilent(_ said: JSONValue?, at path: JSONPath, whereKept: Bool) -> Bool {
        guard case .name(let name)? = path.steps.last else { return false }
        // A password in the clear is masked, too, and counts where the person has none yet.
        if let said { return Self.isMasked(said) && (whereKept || name != "password") }
        return path.steps.first == .name("users") && Self.quiet.contains(name)
    }

    private mutating func compare(_ here: JSONObject, _ there: JSONObject, at path: JSONPath) {
        let kept = here.keyed { ExactText($0.name) }
        let said = there.keyed { ExactText($0.name) }
        // The file's id is another one where a thing was found by its name: that of here stays.
        for (name, value) in there where !Self.ids.contains(name) {
            compare(kept[ExactText(name)]?.value, value, at: path + .name(name))
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

/// Something that a realm and a file say differently.
package struct RealmDifference: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The file has it, and the realm does not.
        case added
        /// The realm has it, and the file does not.
        case removed
        case changed
    }

    package let kind: Kind
    /// `clients.shop.redirectUris`: things are named, not counted.
    package let path: JSONPath
    /// What is kept here, and what the file says, shortened; `nil` where there is nothing to show:
    /// a secret, or something that is not one value.
    package let here: String?
    package let there: String?

    /// `clients`, `users`; `settings` for a single value of the realm.
    package var section: String {
        guard path.steps.count > 1, case .name(let name)? = path.steps.first else {
            return "settings"
        }
        return name
    }

    /// - Parameters:
    ///   - here: `nil` where the realm says nothing.
    ///   - there: Likewise of the file.
    init(_ path: JSONPath, here: JSONValue?, there: JSONValue?) {
        self.path = path
        kind = here == nil ? .added : there == nil ? .removed : .changed
        let isSecret = SecretMembers.contain(path)
        self.here = isSecret ? nil : here.flatMap(Self.shown)
        self.there = isSecret ? nil : there.flatMap(Self.shown)
    }

    /// In bytes.
    private static let longest = 80

    private static func shown(_ value: JSONValue) -> String? {
        switch value {
        case .bool, .integer, .number: return String(decoding: value.serialized(), as: UTF8.self)
        case .string(let text): return short(text)
        case .array(let values):
            guard let texts = value.strings, values.count <= 20 else { return nil }
            return short(texts.joined(separator: " "))
        case .null, .object: return nil
        }
    }

    private static func short(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        var short = ""
        for scalar in text.unicodeScalars {
            guard short.utf8.count + 4 <= longest else { break }
            short.unicodeScalars.append(scalar)
        }
        return short + "…"
    }
}

/// The members whose values are never shown.
enum SecretMembers {
    /// Parts of names, in lower case.
    private static let words = [
        "secret", "password", "credential", "private", "salt", "registrationaccesstoken",
    ]
    /// Settings of components of which only Keycloak knows whether they are secret.
    private static let closed = ["config", "configuration"]
    private static let open = ["protocolMappers"]

    static func contain(_ path: JSONPath) -> Bool {
        let names = path.steps.compactMap { step -> String? in
            if case .name(let name) = step { name } else { nil }
        }
        // Of mappers, what is secret is said by its name.
        let isOpen = names.contains { open.contains($0) }
        if !isOpen, names.dropFirst().contains(where: { closed.contains($0) }) { return true }
        return names.contains { name in
            let lower = String(decoding: name.utf8.map(\.lowercased), as: UTF8.self)
            return words.contains { lower.contains($0) } || RealmPartSeal.secrets.contains(name)
        }
    }
}
