import PorticoWeb

extension ProviderEndpoints {
    /// Keycloak's addresses that lead an app's authorization request to one certain page.
    var registrationRoutes: [Route<RealmContext>] {
        [
            .get(
                RealmPath.registrations.route,
                for: .popups,
                answersHead: false,
                authorization.register
            )
        ]
    }
}
