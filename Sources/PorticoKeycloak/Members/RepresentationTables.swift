import PorticoStores

/// The representations by what Keycloak calls them. What has a table here is kept as it is, with its members
/// in the order in which Keycloak 26 writes them.
extension RepresentationMembers {
    static let realm = RealmRepresentation.members.representation
    static let client = ClientRepresentation.members.representation
    static let person = UserRepresentation.members.representation
    static let role = RoleRepresentation.members.representation
    static let group = GroupRepresentation.members.representation
    static let scope = ClientScopeRepresentation.members.representation
    static let mapper = ClaimMapper.members.representation
    static let credential = CredentialRepresentation.members.representation
    static let identity = NewPerson.Identity.members.representation

    static let identityProvider = RepresentationMembers(
        "IdentityProviderRepresentation",
        """
        alias:text displayName:text internalId:text providerId:text enabled:bool
        updateProfileFirstLoginMode trustEmail:bool storeToken:bool addReadTokenRoleOnCreate:bool
        authenticateByDefault:bool linkOnly:bool hideOnLogin:bool firstBrokerLoginFlowAlias:text
        postBrokerLoginFlowAlias:text organizationId config:map types updateProfileFirstLogin
        """
    )

    static let identityProviderMapper = RepresentationMembers(
        "IdentityProviderMapperRepresentation",
        "id:text name:text identityProviderAlias:text identityProviderMapper:text config:map"
    )

    static let component = RepresentationMembers(
        "ComponentRepresentation",
        """
        id:text name:text providerId:text providerType parentId:text subType:text config:map
        subComponents:byName
        """
    )

    static let flow = RepresentationMembers(
        "AuthenticationFlowRepresentation",
        """
        id:text alias:text description:text providerId:text topLevel:bool builtIn:bool
        authenticationExecutions:parts
        """
    )

    static let requiredAction = RepresentationMembers(
        "RequiredActionProviderRepresentation",
        """
        alias:text name:text providerId:text enabled:bool defaultAction:bool priority:integer
        config:map
        """
    )

    static let eventsConfig = RepresentationMembers(
        "RealmEventsConfigRepresentation",
        """
        eventsEnabled:bool eventsExpiration:integer eventsListeners:texts enabledEventTypes:texts
        adminEventsEnabled:bool adminEventsDetailsEnabled:bool
        """
    )

    static let partialImport = RepresentationMembers(
        "PartialImportRepresentation",
        """
        ifResourceExists policy users:parts clients:parts groups:parts identityProviders:parts
        roles:parts
        """
    )

    static let scopeMapping = RepresentationMembers(
        "ScopeMappingRepresentation",
        "self client:text clientScope:text roles:parts"
    )

    /// A step of a flow.
    static let execution = RepresentationMembers(
        "AuthenticationExecutionExportRepresentation",
        """
        authenticatorConfig:parts authenticator:text authenticatorFlow:bool autheticatorFlow:bool
        requirement:text priority:integer flowAlias:text userSetupAllowed:bool
        """
    )

    /// The roles of a realm, and of its clients.
    static let roles = RepresentationMembers(
        "RolesRepresentation",
        "realm:parts client:byName"
    )

    /// All that a file is made of.
    static let all = [
        realm, client, person, credential, identity, ConsentRepresentation.members.representation,
        role, roles, group, scope, mapper, scopeMapping, identityProvider,
        identityProviderMapper, component, flow, execution, requiredAction, partialImport,
    ]

    /// The names of the members of all of them that differ in that way.
    static func names(_ difference: RepresentationMember.Difference) -> Set<String> {
        Set(all.flatMap(\.members).filter { $0.difference == difference }.map(\.name))
    }
}
