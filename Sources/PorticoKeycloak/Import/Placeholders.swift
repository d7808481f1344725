import PorticoAdministration
import PorticoBytes
import PorticoProtocol

/// Placeholders in the texts of a realm file, which stand for values of the environment: `${NAME}`,
/// `${env.NAME}` and `${NAME:default}` as Keycloak's import has them, `$(env:NAME)` and
/// `$(env:NAME:-default)` as keycloak-config-cli does (docs/decisions/0122).
///
/// Keycloak's own keys and templates have the same form and stay: `${client_account}` as a client's name,
/// `${authBaseUrl}`, `${client_id}` in a claim's name, `${vault.smtp}`. None is a password or the secret of
/// a client.
package struct Placeholders: Sendable {
    /// What placeholders stand for; `nil`: none is replaced, and a file that has one is refused.
    private let environment: [String: String]?

    private init(environment: [String: String]?) {
        self.environment = environment
    }

    /// The text of a placeholder must not become a password.
    package static let refused = Placeholders(environment: nil)

    /// Each is replaced; one that the environment does not have is refused, unless it has a default.
    package static func from(_ environment: [String: String]) -> Placeholders {
        Placeholders(environment: environment)
    }

    /// One that is not replaced.
    package struct Unfilled: Hashable, Sendable {
        /// Where it stands in the file.
        package let path: String
        /// As it stands there, safe to print: without its default, which may be the secret.
        package let text: String
        /// The name of the variable; `nil` where it stands for something else.
        package let name: String?
    }

    /// How many are named.
    fileprivate static let most = 10

    /// The object of a file with its placeholders replaced.
    ///
    /// - Throws: ``RealmImportError/placeholders(_:)``
    func filling(_ value: JSONValue, path: String) throws(RealmImportError) -> JSONValue {
        guard value.hasDollar else { return value }
        var filler = Filler(environment: environment)
        let filled = filler.filled(value, Place(path: path))
        guard filler.unfilled.isEmpty else {
            throw .placeholders(filler.unfilled)
        }
        return filled ?? value
    }
}

extension [Placeholders.Unfilled] {
    /// Notes more of them: who sets variables wants the names of all at once. Each is named once.
    mutating func note(_ more: [Placeholders.Unfilled]) {
        let known = map(\.text)
        for one in more where count < Placeholders.most {
            if !known.contains(where: { sameBytes($0, one.text) }) { append(one) }
        }
    }
}

extension JSONValue {
    /// Whether any text in it may hold a placeholder: most people of a file have none.
    fileprivate var hasDollar: Bool {
        switch self {
        case .string(let text): text.utf8.contains(UInt8(ascii: "$"))
        case .array(let values): values.contains { $0.hasDollar }
        case .object(let object):
            object.contains { $0.name.utf8.contains(UInt8(ascii: "$")) || $0.value.hasDollar }
        default: false
        }
    }
}

/// Where a text stands.
private struct Place {
    /// In the file: `clients[2].secret`.
    var path: String
    /// The member that it is the value of, and those around it.
    var members: [String] = []

    func member(_ name: String) -> Place {
        let shown = PlainText.shown(name)
        return Place(path: path.isEmpty ? shown : "\(path).\(shown)", members: members + [name])
    }

    func element(_ index: Int) -> Place {
        Place(path: "\(path)[\(index)]", members: members)
    }

    private var member: String { members.last ?? "" }
    private var holder: String { members.dropLast().last ?? "" }

    /// Whether it is a program or a document with placeholders of its own.
    var isOpaque: Bool {
        ["script", "scriptCode", "code"].contains(member)
            || members.first == "localizationTexts"
            || member == "template" && members.contains("identityProviderMappers")
            || member == "kc.user.profile.config" || member.hasPrefix("config-piece-")
    }

    /// Whether people read it, so that a key of a translation may stand there.
    var isShown: Bool {
        [
            "description", "displayName", "displayNameHtml", "consentText", "consent.screen.text",
        ].contains(member) || member == "name" && holder == "clients"
    }

    /// Whether it is the password of a person or the secret of a client.
    var isSecret: Bool {
        member == "value" && holder == "credentials" || member == "secret" && holder == "clients"
    }

    /// Whether it is the setting of a mapper.
    var isOfMapper: Bool { members.contains("protocolMappers") && holder == "config" }
}

/// Replaces placeholders in the texts of one value.
private struct Filler {
    let environment: [String: String]?
    var unfilled: [Placeholders.Unfilled] = []

    /// - Returns: `nil` where nothing is replaced.
    mutating func filled(_ value: JSONValue, _ place: Place) -> JSONValue? {
        switch value {
        case .string(let text): filled(text, place).map(JSONValue.string)
        case .array(let values): filled(values, place).map(JSONValue.array)
        case .object(let object): filled(object, place).map(JSONValue.object)
        default: nil
        }
    }

    private mutating func filled(_ values: [JSONValue], _ place: Place) -> [JSONValue]? {
        var changed: [JSONValue]?
        for (index, value) in values.enumerated() {
            guard let value = filled(value, place.element(index)) else { continue }
            if changed == nil { changed = values }
            changed?[index] = value
        }
        return changed
    }

    private mutating func filled(_ object: JSONObject, _ place: Place) -> JSONObject? {
        var changed: [(name: String, value: JSONValue)]?
        for (index, member) in object.enumerated() {
            let here = place.member(member.name)
            let name = filled(member.name, here)
            let value = filled(member.value, here)
            guard name != nil || value != nil else { continue }
            if changed == nil { changed = Array(object) }
            changed?[index] = (name ?? member.name, value ?? member.value)
        }
        // Two names that became one: the first counts.
        return changed.map { members in
            JSONObject(unique: members)
                ?? members.reduce(into: JSONObject()) { object, member in
                    if object[member.name] == nil { object[member.name] = member.value }
                }
        }
    }

    private mutating func filled(_ text: String, _ place: Place) -> String? {
        guard text.utf8.contains(UInt8(ascii: "$")), !place.isOpaque else { return nil }
        let bytes = filled(Array(text.utf8)[...], place, depth: 0)
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// How deep defaults may stand in one another.
    private static let deepest = 4

    private mutating func filled(_ text: ArraySlice<UInt8>, _ place: Place, depth: Int) -> [UInt8]?
    {
        var made: [UInt8] = []
        var isFilled = false
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "$")) {
            made += rest[..<start]
            guard let placeholder = Placeholder(rest[start...], takesAny: place.isSecret) else {
                made.append(rest[start])
                rest = rest[(start + 1)...]
                continue
            }
            let whole = rest[start..<placeholder.end]
            rest = rest[placeholder.end...]
            if let value = value(of: placeholder, whole, place, depth: depth) {
                made += value
                isFilled = true
            } else {
                made += whole
            }
        }
        return isFilled ? made + rest : nil
    }

    /// - Returns: `nil` where it stays as it stands.
    private mutating func value(
        of placeholder: Placeholder,
        _ whole: ArraySlice<UInt8>,
        _ place: Place,
        depth: Int
    ) -> [UInt8]? {
        let isKeycloaks = placeholder.isKeycloaks(inMapper: place.isOfMapper)
        if isKeycloaks, !place.isSecret { return nil }
        if let environment, placeholder.isVariable {
            for name in placeholder.names {
                if let value = environment[name] { return Array(value.utf8) }
            }
            if let fallback = placeholder.fallback {
                guard depth < Self.deepest else { return Array(fallback) }
                return filled(fallback, place, depth: depth + 1) ?? Array(fallback)
            }
        }
        let mayBeKey = place.isShown && placeholder.mayBeKey
        guard !mayBeKey, unfilled.count < Placeholders.most else { return nil }
        unfilled.append(
            Placeholders.Unfilled(
                path: place.path,
                text: placeholder.shown(whole),
                name: placeholder.isVariable && !isKeycloaks ? placeholder.names.first : nil
            )
        )
        return nil
    }
}
