import PorticoBytes
package import PorticoProtocol

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
            return words.contains { lower.contains($0) }
        }
    }
}
