import HTTPTypes
import PorticoAdministration
import PorticoProtocol
import PorticoStores

/// What operations refuse, in Keycloak's words and numbers.
extension AdminRefusal {
    init(_ refusal: AdministrationRefusal) {
        self =
            switch refusal {
            case .forbidden: .forbidden
            case .notFound(let kind): .notFound(kind.words)
            case .taken(let taken): .conflict(taken.words)
            case .client(let refusal): .invalid("\(refusal.rule)")
            case .role(let refusal): .invalid("\(refusal.rule)")
            case .person(let refusal, let person): Self.person(refusal, person.email)
            case .password(let refusal): .described(refusal.code, refusal.words)
            case .invalid(.defaultRole(let name, let isOfClient, let isRenamed)):
                .error(
                    .badRequest,
                    AdministrationRefusal.Rule.defaultRole(
                        name,
                        isOfClient: isOfClient,
                        isRenamed: isRenamed
                    ).sentence
                )
            case .invalid(let rule): .invalid(rule.sentence)
            }
    }

    private static func person(_ refusal: PersonRegistration.Refusal, _ email: String?)
        -> AdminRefusal
    {
        switch refusal {
        case .username: .field("username", "error-username-invalid-character")
        case .email:
            .field("email", "error-invalid-email", [.string(PlainText.shown(email ?? ""))])
        case .givenName: .field("firstName", "error-person-name-invalid-character")
        case .familyName: .field("lastName", "error-person-name-invalid-character")
        case .id, .attributes: .invalid("\(refusal.rule)")
        }
    }
}

extension AdministrationRefusal.Kind {
    fileprivate var words: String {
        switch self {
        case .realm: "Realm not found."
        case .client: "Could not find client"
        case .scope: "Could not find client scope"
        case .role: "Could not find role"
        case .givenRole: "Role not found"
        case .group: "Could not find group by id"
        case .joinedGroup: "Group not found"
        case .person: "User not found"
        case .credential: "Credential not found"
        case .identity: "Link not found"
        // Keycloak's spelling.
        case .session: "Sesssion not found"
        case .consent: "Consent nor offline token not found"
        }
    }
}

extension AdministrationRefusal.Taken {
    fileprivate var words: String {
        switch self {
        case .realm(let name): "Realm \(PlainText.shown(name)) already exists"
        case .client(let clientID): "Client \(clientID) already exists"
        case .scope(let name): "Client Scope \(name) already exists"
        case .role(let name): "Role with name \(name) already exists"
        case .group(let name, isTop: true): "Top level group named '\(name)' already exists."
        case .group(let name, isTop: false): "Sibling group named '\(name)' already exists."
        case .username: "User exists with same username"
        case .email: "User exists with same email"
        case .identity: "User is already linked with provider"
        case .id: "An id of it is taken."
        }
    }
}

extension PasswordPolicy.Refusal {
    fileprivate var code: String {
        switch self {
        case .tooShort: "invalidPasswordMinLengthMessage"
        case .tooLong: "invalidPasswordMaxLengthMessage"
        case .common: "invalidPasswordBlacklistedMessage"
        case .containsName: "invalidPasswordNotUsernameMessage"
        }
    }

    fileprivate var words: String {
        self == .tooShort
            ? "Invalid password: minimum length \(PasswordPolicy.minimumLength)."
            : "\(description)"
    }
}
