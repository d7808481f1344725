import PorticoPages
import PorticoProtocol
import PorticoWeb

extension ProviderEndpoints {
    /// The Provider's routes: one for each method at an address.
    var routes: [Route<RealmContext>] {
        let oauth = oauthRoutes(\.route) + oauthRoutes(\.routeAtRoot)
        return realmRoutes + registrationRoutes + oauth + metadataRoutes + [
            .get(
                "/.well-known/oauth-protected-resource",
                for: .programs,
                scripts: .any,
                metadata.resource
            ),
            .get(at(.userInfo), for: .programs, scripts: .clients, userInfo.get),
            .post(at(.userInfo), for: .programs, scripts: .clients, userInfo.post),

            // These end something, so HEAD must not.
            .get(at(.restart), for: .popups, answersHead: false, authorization.restart).from(
                .shownOrSilent
            ),
            .get(at(.signedIn), for: .popups, answersHead: false, signedIn.get).from(.shown),
            .post(at(.authenticate), for: .popups, signIn.post),
            .post(at(.consent), for: .popups, consent.post),
            .post(at(.selectAccount), for: .popups, consent.selectAccount),
            .post(at(.continueAs), for: .popups, continueAs.post),
            .post(at(.verifyEmail), for: .popups, confirmEmail.post),
            .get(at(.resetCredentials), for: .popups, forgotPassword.get),
            .post(at(.resetCredentials), for: .popups, forgotPassword.post),
            .get(at(.newPassword), for: .popups, newPassword.get),
            .post(at(.newPassword), for: .popups, newPassword.post),
            .get(at(.endSession), for: .popups, answersHead: false, endSession.begin),
            .post(at(.endSession), for: .popups, scripts: .knownClients, endSession.begin),
            .post(at(.confirmSignOut), for: .popups, endSession.confirm),

            .get(at(.apps), for: .people, apps.show),
            .post(at(.apps), for: .people, apps.show),
            .get(at(.password), for: .people, password.show),
            .post(at(.password), for: .people, password.show),
            .get(ProviderService.changePassword, for: .people) {
                try ChangePasswordAddress(flow: flow).get($0)
            },
            .get(at(.secondFactors), for: .people, secondFactors.show),
            .post(at(.secondFactors), for: .people, secondFactors.show),
            .post(at(.accountSignIn), for: .people, signIn.postForAccount),
        ]
    }

    /// Below the issuer (OpenID Connect Discovery §4), and with the well-known part between host and
    /// path (RFC 8414 §3). Both names work in both forms, and at the root of a realm's own host, where
    /// both forms are the same.
    private var metadataRoutes: [Route<RealmContext>] {
        [\RealmPath.route, \.routeBeforeRealm, \.routeAtRoot].flatMap { place in
            [
                .get(
                    RealmPath.openIDConfiguration[keyPath: place],
                    for: .programs,
                    scripts: .any,
                    metadata.openID
                ),
                .get(
                    RealmPath.authorizationServerMetadata[keyPath: place],
                    for: .programs,
                    scripts: .any,
                    metadata.get
                ),
            ]
        }
    }

    /// The endpoints of OAuth: below the realm, and at the root of a host of the AT Protocol. No
    /// realm has both (``ProviderService/context(_:_:)``).
    private func oauthRoutes(_ at: (RealmPath) -> RoutePath) -> [Route<RealmContext>] {
        [
            .get(at(.keySet), for: .programs, scripts: .any, metadata.keys),
            .post(at(.token), for: .programs, scripts: .clients, token.post).from(.scripts),
            .post(at(.introspection), for: .programs, introspection.post).from(.none),
            // A page that closes sends it where no script reads the answer (Beacon).
            .post(at(.revocation), for: .programs, scripts: .clients, revocation.post).from(
                .visible { _ in true }
            ),
            .post(
                at(.pushedAuthorization),
                for: .programs,
                scripts: .clients,
                pushedAuthorization.post
            ).from(.scripts),
            // A code, a pushed request: it spends them, so HEAD must not.
            .get(at(.authorization), for: .popups, answersHead: false, authorization.begin)
                .from(.shownOrSilent),
            // Clients' pages post it, also unseen.
            .post(at(.authorization), for: .popups, authorization.begin).from(
                .visible { _ in true }
            ),
        ]
    }

    private func at(_ path: RealmPath) -> RoutePath { path.route }
}

extension OtherSites {
    /// Of an authorization request: another site's page may ask unseen whether a person is signed in
    /// (OpenID Connect Core §3.1.2.1, `prompt=none`). A pushed one, or what goes on with one, does not
    /// say in its address whether it does.
    static let shownOrSilent = OtherSites.visible { request in
        // `try?`: a malformed one begins nothing.
        guard let query = try? FormParameters(query: request.target) else { return false }
        return query.contains("request_uri") || query.contains("request")
            || query["prompt"]?.split(separator: " ").contains("none") == true
    }
}

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
            .get(protocolPath("login-status-iframe.html/init"), for: .programs, loginStatus.status),
        ]
    }

    private func protocolPath(_ name: String) -> RoutePath {
        RoutePath("/realms/{realm}/protocol/openid-connect/" + name)
    }

    /// A program gets the person's profile. A person comes here only by the address with a slash at its end:
    /// the page is the sign-in core's.
    private func account(_ context: RealmContext) async throws -> Response {
        guard AcceptedMedia.isJSON(context.headers) else {
            return try flow.redirect(to: AccountPlace.overview.path(flow, context))
        }
        do {
            return try await profile.get(context)
        } catch {
            throw ProgramRefusal(error: error)
        }
    }
}

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
