package import PorticoStores

/// Registers a role in a realm, by rules shared by the command line and the import.
package enum RoleRegistration {
    /// - Parameter isImported: Whether it was registered elsewhere, where names may be longer
    ///   (docs/decisions/0121).
    /// - Throws: The first rule that the role breaks.
    package static func check(_ role: Role, isImported: Bool = false) throws(Refusal) {
        guard !role.name.isEmpty,
            PlainText.isLine(role.name, length: isImported ? 255 * 4 : 200),
            role.name.first?.isWhitespace == false, role.name.last?.isWhitespace == false
        else { throw .name }
        guard PlainText.isText(role.description, length: 1000) else { throw .description }
    }

    package enum Refusal: Error, CaseIterable, Hashable, Sendable {
        case name
        case description

        package var field: StaticString {
            switch self {
            case .name: "name"
            case .description: "description"
            }
        }

        package var rule: StaticString {
            switch self {
            case .name: "A role's name is one line of 1 to 200 bytes without spaces around it."
            case .description: "A role's description is text of at most 1000 bytes."
            }
        }
    }
}
