package import PorticoProtocol
package import PorticoStores

/// A person as Keycloak writes them (Keycloak `UserRepresentation`).
package struct UserRepresentation: Sendable {
    /// What people's members name by other names than the store does.
    package struct Names: Sendable {
        /// The path of each group, by its id.
        let groupPaths: [String: String]
        /// `client_id` by the client's id.
        let clientIDs: [String: String]

        package init(groups: [GroupWithRoles], clients: [Client]) {
            groupPaths = GroupRepresentation.paths(of: groups)
            clientIDs = Dictionary(clients.map { ($0.id, $0.clientID) }) { first, _ in first }
        }
    }

    let new: NewPerson
    let names: Names
    /// `nil`: it says nothing of them.
    let credentials: [CredentialRepresentation]?

    package init(
        _ new: NewPerson,
        _ names: Names,
        credentials: [CredentialRepresentation]? = nil
    ) {
        self.new = new
        self.names = names
        self.credentials = credentials
    }

    package var json: JSONObject {
        let person = new.person
        var json = PersonMembers.json(person)
        json["createdTimestamp"] = .integer(person.createdAt.multipliedCapped(by: 1000))
        json["totp"] = .bool(new.credentials.contains { $0.kind == .totp })
        if let client = person.serviceClientID {
            json["serviceAccountClientId"] = names.clientIDs[client].map(JSONValue.string)
        }
        json["credentials"] = credentials.map { .array($0.map { .object($0.json) }) }
        json["disableableCredentialTypes"] = []
        if !new.identities.isEmpty {
            json["federatedIdentities"] = .array(new.identities.map { .object(Self.json($0)) })
        }
        json["realmRoles"] = .texts(new.roles.ofRealm)
        let clientRoles = new.roles.byClient
        if !clientRoles.isEmpty { json["clientRoles"] = .object(clientRoles) }
        let consents = consents
        if !consents.isEmpty { json["clientConsents"] = .array(consents) }
        json["groups"] = .texts(new.groupIDs.compactMap { names.groupPaths[$0] }.sorted())
        return json.ordered(PersonMembers.table.representation.order)
    }

    private static func json(_ identity: FederatedIdentity) -> JSONObject {
        var json: JSONObject = [
            "identityProvider": .string(identity.provider), "userId": .string(identity.subject),
        ]
        json["userName"] = identity.username.map(JSONValue.string)
        return json
    }

    private var consents: [JSONValue] {
        new.consents.compactMap { consent in
            names.clientIDs[consent.clientID].map { clientID in
                [
                    "clientId": .string(clientID),
                    "grantedClientScopes": .texts(consent.scope.tokens),
                    "lastUpdatedDate": .integer(consent.at.multipliedCapped(by: 1000)),
                ]
            }
        }
    }
}

extension Int64 {
    /// The nearest number that there is.
    fileprivate func multipliedCapped(by factor: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: factor)
        return overflows ? (self < 0 ? .min : .max) : product
    }
}
