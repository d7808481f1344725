import PorticoWeb

extension ProviderEndpoints {
    /// The addresses that lead an app's authorization request to one certain page, and what
    /// such a page posts.
    var registrationRoutes: [Route<RealmContext>] {
        [
            .get(
                RealmPath.registrations.route,
                for: .popups,
                answersHead: false,
                authorization.register
            ).from(.shown),
            .get(
                RealmPath.forgotCredentials.route,
                for: .popups,
                answersHead: false,
                authorization.forgotCredentials
            ).from(.shown),
            .post(RealmPath.requiredAction.route, for: .popups, requiredAction.post),
        ]
    }
}
