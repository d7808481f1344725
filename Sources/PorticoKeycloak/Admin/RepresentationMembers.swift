import PorticoProtocol

/// The members that a representation of Keycloak 26 may have: any other one is refused.
struct RepresentationMembers: Sendable {
    /// Keycloak's name of the representation.
    let kind: String
    let names: Set<String>

    init(_ kind: String, _ names: String) {
        self.kind = kind
        self.names = Set(names.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// - Throws: a refusal of the first member that it does not have.
    func check(_ representation: Representation) throws(AdminRefusal) {
        for (name, _) in representation.object
        where name.utf8.count > 100 || !names.contains(name) {
            throw refusal(name)
        }
    }

    private func refusal(_ name: String) -> AdminRefusal {
        kind == Self.realm.kind ? .unreadable : .unknownMember(name, of: kind)
    }

    static let person = RepresentationMembers(
        "UserRepresentation",
        """
        id self origin username firstName lastName email emailVerified enabled createdTimestamp
        totp attributes userProfileMetadata federationLink serviceAccountClientId credentials
        disableableCredentialTypes requiredActions federatedIdentities realmRoles clientRoles
        clientConsents notBefore groups access applicationRoles socialLinks
        verifiableCredentials issuedVerifiableCredentials
        """
    )

    static let credential = RepresentationMembers(
        "CredentialRepresentation",
        """
        id type userLabel createdDate secretData credentialData priority value temporary
        device hashedSaltedValue salt hashIterations counter algorithm digits period config
        federationLink
        """
    )

    static let role = RepresentationMembers(
        "RoleRepresentation",
        """
        id name description scopeParamRequired composite composites clientRole containerId
        attributes
        """
    )

    static let group = RepresentationMembers(
        "GroupRepresentation",
        """
        id name description path parentId subGroupCount subGroups attributes realmRoles
        clientRoles access
        """
    )

    static let client = RepresentationMembers(
        "ClientRepresentation",
        """
        id clientId name description type rootUrl adminUrl baseUrl surrogateAuthRequired enabled
        alwaysDisplayInConsole clientAuthenticatorType secret registrationAccessToken defaultRoles
        redirectUris webOrigins notBefore bearerOnly consentRequired standardFlowEnabled
        implicitFlowEnabled directAccessGrantsEnabled serviceAccountsEnabled
        authorizationServicesEnabled directGrantsOnly publicClient frontchannelLogout protocol
        attributes authenticationFlowBindingOverrides fullScopeAllowed nodeReRegistrationTimeout
        registeredNodes protocolMappers clientTemplate useTemplateConfig useTemplateScope
        useTemplateMappers defaultClientScopes optionalClientScopes authorizationSettings access
        origin
        """
    )

    static let scope = RepresentationMembers(
        "ClientScopeRepresentation",
        "id name description protocol attributes protocolMappers"
    )

    static let mapper = RepresentationMembers(
        "ProtocolMapperRepresentation",
        "id name protocol protocolMapper consentRequired consentText config"
    )

    static let partialImport = RepresentationMembers(
        "PartialImportRepresentation",
        "ifResourceExists policy users clients groups identityProviders roles"
    )

    static let identity = RepresentationMembers(
        "FederatedIdentityRepresentation",
        "identityProvider userId userName"
    )
}
