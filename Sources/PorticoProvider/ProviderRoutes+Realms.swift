import PorticoPages
import PorticoWeb

extension ProviderEndpoints {
    /// The addresses of a realm that are not OAuth's.
    var realmRoutes: [Route<RealmContext>] {
        let redirect: RoutePath = "/realms/{realm}/clients/{client}/redirect"
        return [
            .get("/realms/{realm}", for: .people, scripts: .any, realmInfo.get),
            .get("/realms/{realm}/", for: .people, scripts: .any, realmInfo.get),
            .get(redirect, for: .people, realmInfo.client),

            .get(RealmPath.account.route, for: .people, scripts: .knownClients, account),
            .get("/realms/{realm}/account/", for: .people, account),

            .get(RealmPath.actionToken.route, for: .people, actionLink.get),
            .post(RealmPath.actionToken.route, for: .people, actionLink.post),

            .get(protocolPath("3p-cookies/step1.html"), for: .programs, loginStatus.cookies),
            .get(protocolPath("3p-cookies/step2.html"), for: .programs, loginStatus.cookies),
            .get(RealmPath.loginStatus.route, for: .programs, loginStatus.page),
            .get(
                protocolPath("login-status-iframe.html/init"),
                for: .programs,
                loginStatus.status
            ),
        ]
    }

    private func protocolPath(_ name: String) -> RoutePath {
        RoutePath("/realms/{realm}/protocol/openid-connect/" + name)
    }

    /// A program gets the person's profile; a person is led to the page.
    private func account(_ context: RealmContext) async throws -> Response {
        guard AcceptedMedia.isJSON(context.headers) else {
            return try flow.redirect(to: RealmURLs.path(realmName: context.realm.name, .apps))
        }
        do {
            return try await profile.get(context)
        } catch {
            throw ProgramRefusal(error: error)
        }
    }
}
