extension IdentityProvider {
    /// A realm of Keycloak or Portico: an ordinary OpenID provider.
    static func keycloak(_ settings: ProviderSettings) throws(IdentityProviderRefusal)
        -> IdentityProvider
    {
        try oidc(settings)
    }
}
