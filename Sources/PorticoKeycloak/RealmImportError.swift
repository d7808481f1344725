package import PorticoProtocol
package import PorticoProvider

/// Why a realm file is not imported at all. What can be left out is left out instead, and reported
/// in the ``ImportReport``.
package enum RealmImportError: Error, Hashable, Sendable {
    case notJSON(JSONError)
    /// A member does not have Keycloak's type.
    case wrongType(path: String, expected: StaticText)
    case missing(path: String)
    /// A file describes one realm twice.
    case repeatedRealm(path: String)
    case realm(path: String, RealmCreation.Refusal)
    /// Something in it is longer than the store keeps.
    case tooLarge(path: String)
    /// A key that cannot be read, or whose halves do not fit.
    case key(path: String, ForeignKeyError)

    static func wrongType(path: String, expected: StaticString) -> RealmImportError {
        .wrongType(path: path, expected: StaticText(expected))
    }

    /// The position in the file: `clients[2].redirectUris[0]`; `nil` for the file as a whole.
    package var path: String? {
        switch self {
        case .notJSON: nil
        case .wrongType(let path, _), .missing(let path), .repeatedRealm(let path),
            .tooLarge(let path), .realm(let path, _), .key(let path, _):
            path
        }
    }
}

extension RealmImportError: CustomStringConvertible {
    /// One English sentence for the administrator.
    package var description: String {
        switch self {
        case .notJSON(let error): "The file cannot be read. \(error)"
        case .wrongType(let path, let expected): "\(path) must be \(expected.text)."
        case .missing(let path): "\(path) is missing."
        case .repeatedRealm(let path): "\(path): the file has this realm twice."
        case .realm(let path, let refusal): "\(path): \(refusal.rule)"
        case .tooLarge(let path): "\(path): something in it has more than 4 MiB."
        case .key(let path, let error): "\(path): \(error.words)"
        }
    }
}

/// A literal that can be compared.
package struct StaticText: Hashable, Sendable {
    package let text: String

    init(_ literal: StaticString) {
        text = "\(literal)"
    }
}
