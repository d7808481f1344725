package import PorticoProtocol
package import PorticoStores

/// Why an operation is not carried out. Nothing has changed, unless the operation says otherwise.
///
/// ``ChangedMeanwhile``, ``MissingReference`` and what a database cannot do are thrown as they are.
package enum AdministrationRefusal: Error, Hashable, Sendable {
    /// The administrator has not the right for it, or someone would get rights that the administrator
    /// lacks.
    case forbidden
    case notFound(Kind)
    /// Something has that name, or that place, already.
    case taken(Taken)
    case client(ClientRegistration.Refusal)
    case person(PersonRegistration.Refusal, of: Person)
    case role(RoleRegistration.Refusal)
    case password(PasswordPolicy.Refusal)
    case invalid(Rule)

    package enum Kind: Hashable, Sendable {
        case realm
        case client
        case scope
        case role
        /// A role that is given or taken.
        case givenRole
        case group
        /// A group that is joined.
        case joinedGroup
        case person
        case credential
        case identity
        case session
        case consent
    }

    package enum Taken: Hashable, Sendable {
        case realm(String)
        case client(String)
        case scope(String)
        case role(String)
        case group(String, isTop: Bool)
        case username
        case email
        /// An account at another provider.
        case identity
        /// An id that the new thing came with.
        case id
    }

    /// A rule that what is to be written breaks.
    package enum Rule: Hashable, Sendable {
        case groupName
        case groupDescription
        case groupDepth
        case groupCycle
        case groupPath
        case scopeName(String)
        case tooManyMappers
        case accountName
        case accountPassword
        case noSecret
        /// Roles that a client gives new people, of which it does not have all.
        case defaultRoles
        /// A role that new people get.
        case defaultRole(String, isOfClient: Bool, isRenamed: Bool)
        case label
        /// An app of the backend, whose apps are clients of that realm.
        case appsElsewhere(String)
        /// A realm signs with a key that it has.
        case signingAlgorithm(SignatureAlgorithm)

        /// One sentence. What is foreign in it is bounded.
        package var sentence: String {
            switch self {
            case .groupName: "A group's name is one line of 1 to 255 bytes."
            case .groupDescription: "A group's description has at most 1000 bytes."
            case .groupDepth: "Groups are nested too deeply."
            case .groupCycle: "A group cannot lie in itself."
            case .groupPath: "Another group has the same path."
            case .scopeName(let name): "Unexpected name \"\(PlainText.shown(name))\""
            case .tooManyMappers: "Too many mappers."
            case .accountName: "The client_id cannot be part of its account's name."
            case .accountPassword: "No one signs in to the account of a client."
            case .noSecret: "The client does not authenticate by a secret."
            case .defaultRoles: "defaultRoles names a role that the client does not have."
            case .defaultRole(let name, _, isRenamed: true):
                "\(PlainText.shown(name)) is default role of the realm: it keeps its name."
            case .defaultRole(let name, isOfClient: false, _):
                "\(PlainText.shown(name)) is default role of the realm and cannot be removed. "
                    + "Take out of it what new people should not get."
            case .defaultRole(let name, isOfClient: true, _):
                "\(PlainText.shown(name)) is default role of the realm and cannot be removed. "
                    + "Take it out of the client's defaultRoles first."
            case .label: "A label is one line of at most 200 bytes."
            case .appsElsewhere(let realm):
                "The backend's apps are of realm \(PlainText.shown(realm))."
            case .signingAlgorithm(let algorithm):
                "The realm has no active key for \(algorithm.rawValue)."
            }
        }
    }
}
