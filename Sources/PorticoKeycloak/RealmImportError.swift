package import PorticoAdministration
package import PorticoProtocol

/// Why a realm file is not imported at all. What can be left out is left out instead, and reported
/// in the ``ImportReport``.
package enum RealmImportError: Error, Hashable, Sendable {
    case notJSON(JSONReadError)
    /// A member does not have Keycloak's type.
    case wrongType(path: String, expected: StaticText)
    case missing(path: String)
    /// A file describes one realm twice.
    case repeatedRealm(path: String)
    case realm(path: String, RealmCreation.Refusal)
    /// A file that is written over a realm has a person, or the account of a client, twice.
    case repeatedPerson(path: String)
    /// Something in it is longer than the store keeps.
    case tooLarge(path: String)
    /// Something wrote to the file while it was read.
    case changed
    /// People of a realm that is in none of the files.
    case peopleAlone(path: String)
    /// Another realm has something of that id.
    case idTaken(path: String)
    /// Texts that stand for values of the environment, and are not replaced.
    case placeholders([Placeholders.Unfilled])
    /// A key that cannot be read, or whose halves do not fit.
    case key(path: String, ForeignKeyError)

    static func wrongType(path: String, expected: StaticString) -> RealmImportError {
        .wrongType(path: path, expected: StaticText(expected))
    }

    /// - Parameter path: Of the value that was read, where that is not the whole file.
    static func json(_ error: JSONReadError, in path: String) -> RealmImportError {
        guard error.reason == .json(.tooLarge) else { return .notJSON(error) }
        let inner = "\(error.path)"
        let dot = path.isEmpty || inner.isEmpty || inner.hasPrefix("[") ? "" : "."
        return .tooLarge(path: path + dot + inner)
    }

    /// The position in the file: `clients[2].redirectUris[0]`; `nil` for the file as a whole.
    package var path: String? {
        switch self {
        case .notJSON, .changed: nil
        case .wrongType(let path, _), .missing(let path), .repeatedRealm(let path),
            .repeatedPerson(let path), .tooLarge(let path), .peopleAlone(let path),
            .idTaken(let path), .realm(let path, _),
            .key(let path, _):
            path
        case .placeholders(let unfilled): unfilled.first?.path
        }
    }
}

extension RealmImportError: CustomStringConvertible {
    /// One English sentence for the administrator.
    package var description: String {
        switch self {
        case .notJSON(let error): "\(error)"
        case .wrongType("", let expected): "The file must be \(expected.text)."
        case .wrongType(let path, let expected): "\(path) must be \(expected.text)."
        case .missing(let path): "\(path) is missing."
        case .repeatedRealm(let path): "\(Self.place(path))This realm is there twice."
        case .realm(let path, let refusal): "\(path): \(refusal.rule)"
        case .repeatedPerson(let path):
            "\(path): the file has this username, ID or service account twice."
        case .tooLarge(let path): "\(Self.place(path))Something in it is too long."
        case .changed: "It was changed while it was read."
        case .peopleAlone(let path):
            "\(Self.place(path))These are people without their realm. Name its file too, or the folder."
        case .idTaken(let path):
            "\(path): another realm here has that id, or had. A realm cannot be here under two names."
        case .placeholders(let unfilled):
            "It has placeholders that are not replaced: "
                + unfilled.map { "\($0.text) at \($0.path)" }.joined(separator: ", ") + "."
        case .key(let path, let error): "\(path): \(error.words)"
        }
    }
}

extension RealmImportError {
    private static func place(_ path: String) -> String { path.isEmpty ? "" : "\(path): " }
}

/// A literal that can be compared.
package struct StaticText: Hashable, Sendable {
    package let text: String

    init(_ literal: StaticString) {
        text = "\(literal)"
    }
}
