extension IdentityProvider {
    /// A realm of Keycloak's, or of ours: an OpenID provider like any other.
    static func keycloak(_ settings: ProviderSettings) throws(IdentityProviderRefusal)
        -> IdentityProvider
    {
        try oidc(settings)
    }
}
