/// Representations that are read and written by hand, or kept as they are. In the order in which
/// Keycloak 26 writes them.
extension RepresentationMembers {
    static let realm = RealmMembers.table.representation
    static let client = ClientMembers.table.representation
    static let person = PersonMembers.table.representation

    static let credential = RepresentationMembers(
        "CredentialRepresentation",
        [
            Member("id", .text), Member("type", .text), Member("userLabel", .text),
            Member("createdDate", .integer, difference: .countsWhereSaid),
            Member("secretData", .text),
            Member("credentialData", .text), Member("priority", .integer),
            Member("value", .text), Member("temporary", .bool), Member("device"),
            Member("hashedSaltedValue"), Member("salt"), Member("hashIterations", .integer),
            Member("counter"), Member("algorithm"), Member("digits"), Member("period"),
            Member("config", .map), Member("federationLink", .text),
        ]
    )

    static let identity = RepresentationMembers(
        "FederatedIdentityRepresentation",
        [
            Member("identityProvider", .text), Member("userId", .text),
            Member("userName", .text),
        ]
    )

    static let role = RepresentationMembers(
        "RoleRepresentation",
        [
            Member("id", .text), Member("name", .text), Member("description", .text),
            Member("scopeParamRequired", .bool), Member("composite", .bool, difference: .none),
            Member("composites", .parts), Member("clientRole", .bool, difference: .none),
            Member("containerId", .text, difference: .none), Member("attributes", .map),
        ]
    )

    static let group = RepresentationMembers(
        "GroupRepresentation",
        [
            Member("id", .text), Member("name", .text), Member("description", .text),
            Member("path", .text, difference: .none), Member("parentId", .text, difference: .none),
            Member("subGroupCount", difference: .none),
            Member("subGroups", .parts), Member("attributes", .map),
            Member("realmRoles", .texts), Member("clientRoles", .map), Member("access"),
        ]
    )

    static let scope = RepresentationMembers(
        "ClientScopeRepresentation",
        [
            Member("id", .text), Member("name", .text), Member("description", .text),
            Member("protocol", .text), Member("attributes", .map),
            Member("protocolMappers", .parts),
        ]
    )

    static let mapper = RepresentationMembers(
        "ProtocolMapperRepresentation",
        [
            Member("id", .text), Member("name", .text), Member("protocol", .text),
            Member("protocolMapper", .text), Member("consentRequired", .bool),
            Member("consentText", .text), Member("config", .map),
        ]
    )

    static let identityProvider = RepresentationMembers(
        "IdentityProviderRepresentation",
        [
            Member("alias", .text), Member("displayName", .text), Member("internalId", .text),
            Member("providerId", .text), Member("enabled", .bool),
            Member("updateProfileFirstLoginMode"), Member("trustEmail", .bool),
            Member("storeToken", .bool), Member("addReadTokenRoleOnCreate", .bool),
            Member("authenticateByDefault", .bool), Member("linkOnly", .bool),
            Member("hideOnLogin", .bool), Member("firstBrokerLoginFlowAlias", .text),
            Member("postBrokerLoginFlowAlias", .text), Member("organizationId"),
            Member("config", .map), Member("types"), Member("updateProfileFirstLogin"),
        ]
    )

    static let identityProviderMapper = RepresentationMembers(
        "IdentityProviderMapperRepresentation",
        [
            Member("id", .text), Member("name", .text), Member("identityProviderAlias", .text),
            Member("identityProviderMapper", .text), Member("config", .map),
        ]
    )

    static let component = RepresentationMembers(
        "ComponentRepresentation",
        [
            Member("id", .text), Member("name", .text), Member("providerId", .text),
            Member("providerType"), Member("parentId", .text), Member("subType", .text),
            Member("config", .map), Member("subComponents", .byName),
        ]
    )

    static let flow = RepresentationMembers(
        "AuthenticationFlowRepresentation",
        [
            Member("id", .text), Member("alias", .text), Member("description", .text),
            Member("providerId", .text), Member("topLevel", .bool), Member("builtIn", .bool),
            Member("authenticationExecutions", .parts),
        ]
    )

    static let requiredAction = RepresentationMembers(
        "RequiredActionProviderRepresentation",
        [
            Member("alias", .text), Member("name", .text), Member("providerId", .text),
            Member("enabled", .bool), Member("defaultAction", .bool),
            Member("priority", .integer), Member("config", .map),
        ]
    )

    static let eventsConfig = RepresentationMembers(
        "RealmEventsConfigRepresentation",
        [
            Member("eventsEnabled", .bool), Member("eventsExpiration", .integer),
            Member("eventsListeners", .texts), Member("enabledEventTypes", .texts),
            Member("adminEventsEnabled", .bool), Member("adminEventsDetailsEnabled", .bool),
        ]
    )

    static let partialImport = RepresentationMembers(
        "PartialImportRepresentation",
        [
            Member("ifResourceExists"), Member("policy"), Member("users", .parts),
            Member("clients", .parts), Member("groups", .parts),
            Member("identityProviders", .parts), Member("roles", .parts),
        ]
    )

    static let consent = RepresentationMembers(
        "UserConsentRepresentation",
        [
            Member("clientId", .text), Member("grantedClientScopes", .texts),
            Member("createdDate", .integer),
            Member("lastUpdatedDate", .integer, difference: .countsWhereSaid),
        ]
    )

    static let scopeMapping = RepresentationMembers(
        "ScopeMappingRepresentation",
        [
            Member("self"), Member("client", .text), Member("clientScope", .text),
            Member("roles", .parts),
        ]
    )

    /// A step of a flow.
    static let execution = RepresentationMembers(
        "AuthenticationExecutionExportRepresentation",
        [
            Member("authenticatorConfig", .parts), Member("authenticator", .text),
            Member("authenticatorFlow", .bool), Member("autheticatorFlow", .bool),
            Member("requirement", .text), Member("priority", .integer),
            Member("flowAlias", .text), Member("userSetupAllowed", .bool),
        ]
    )

    /// The roles of a realm, and of its clients.
    static let roles = RepresentationMembers(
        "RolesRepresentation",
        [Member("realm", .parts), Member("client", .byName)]
    )

    /// All that a file is made of.
    static let all = [
        realm, client, person, credential, identity, consent, role, roles, group, scope, mapper,
        scopeMapping, identityProvider, identityProviderMapper, component, flow, execution,
        requiredAction, partialImport,
    ]

    /// The names of the members of all of them that differ in that way.
    static func names(_ difference: Member.Difference) -> Set<String> {
        Set(all.flatMap(\.members).filter { $0.difference == difference }.map(\.name))
    }
}
