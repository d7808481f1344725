extension FieldReport {
    static let realm = Table(
        carried: """
            id realm displayName enabled loginWithEmailAllowed notBefore resetPasswordAllowed \
            verifyEmail defaultSignatureAlgorithm accessTokenLifespan accessCodeLifespan \
            ssoSessionIdleTimeout ssoSessionMaxLifespan offlineSessionIdleTimeout \
            offlineSessionMaxLifespan offlineSessionMaxLifespanEnabled clients clientScopes \
            defaultDefaultClientScopes defaultOptionalClientScopes roles users federatedUsers \
            keycloakVersion groups scopeMappings clientScopeMappings components attributes \
            otpPolicyLookAheadWindow passwordPolicy clientPolicies registrationAllowed \
            registrationEmailAsUsername defaultRole defaultRoles defaultGroups
            """,
        lost + rules + pages,
        unknown: "kept: nothing here knows the field"
    )

    /// What people or apps may miss.
    private static let lost = [
        Reason(
            .skipped,
            "kept: no one signs in by way of other providers yet",
            "identityProviders identityProviderMappers"
        ),
        Reason(.skipped, "the server's own settings apply: mail.smtp", "smtpServer"),
        Reason(.skipped, "organizations are not imported", "organizations organizationsEnabled"),
        Reason(.skipped, "an address belongs to one person here", "duplicateEmailsAllowed"),
        Reason(
            .skipped,
            "a field of old versions that is not read",
            """
            privateKey codeSecret publicKey certificate socialProviders applications oauthClients \
            userFederationProviders userFederationMappers adminPermissionsClient clientTemplates \
            applicationScopeMappings protocolMappers
            """
        ),
    ]

    private static let rules = [
        Reason(
            .ignored,
            "wrong passwords are limited by this server's own rules",
            """
            bruteForce* permanentLockout maxTemporaryLockouts maxFailureWaitSeconds failureFactor \
            minimumQuickLoginWaitSeconds waitIncrementSeconds quickLoginCheckMilliSeconds \
            maxDeltaTimeSeconds maxSecondaryAuthFailures
            """
        ),
        Reason(
            .ignored,
            "apps that are added here have six digits, SHA-1 and 30 seconds; those of before stay",
            "otpPolicy* otpSupportedApplications"
        ),
        Reason(.ignored, "passkeys are not asked for here", "webAuthnPolicy*"),
        Reason(
            .ignored,
            "a refresh token is replaced whenever it is used",
            "revokeRefreshToken refreshTokenMaxReuse"
        ),
        Reason(
            .ignored,
            "the realm's lifetimes of sessions hold for every client",
            "clientSession* clientOfflineSession*"
        ),
        Reason(
            .ignored,
            "a session has one lifetime, whether it is remembered or not",
            "rememberMe ssoSessionIdleTimeoutRememberMe ssoSessionMaxLifespanRememberMe"
        ),
        Reason(
            .ignored,
            "links in mails and the pages of a sign-in have this server's lifetimes",
            "accessCodeLifespanUserAction accessCodeLifespanLogin actionTokenGeneratedBy*"
        ),
        Reason(.ignored, "there is no implicit flow", "accessTokenLifespanForImplicitFlow"),
        Reason(.ignored, "there is no device grant", "oauth2Device*"),
        Reason(.ignored, "https is needed everywhere but on this machine", "sslRequired"),
        Reason(.ignored, "people sign in with a password", "requiredCredentials"),
        Reason(.ignored, "people do not change their user names", "editUsernameAllowed"),
        Reason(
            .ignored,
            "kept: sign-in has one flow here",
            """
            authenticationFlows authenticatorConfig requiredActions browserFlow registrationFlow \
            directGrantFlow resetCredentialsFlow clientAuthenticationFlow \
            dockerAuthenticationFlow firstBrokerLoginFlow
            """
        ),
        Reason(.ignored, "kept: nothing here applies them", "clientProfiles"),
    ]

    private static let pages = [
        Reason(
            .ignored,
            "pages have one look, and headers of their own: docs/pages.md",
            """
            displayNameHtml browserSecurityHeaders loginTheme accountTheme adminTheme emailTheme
            """
        ),
        Reason(
            .ignored,
            "pages are in the languages that this server has",
            "internationalizationEnabled supportedLocales defaultLocale localizationTexts"
        ),
        Reason(
            .ignored,
            "this server keeps its own events: portico events",
            "eventsEnabled eventsExpiration eventsListeners enabledEventTypes adminEvents*"
        ),
        Reason(
            .ignored,
            "there is no such interface here",
            """
            userManagedAccessAllowed verifiableCredentialsEnabled adminPermissionsEnabled \
            scimApiEnabled
            """
        ),
    ]

    static let realmAttributes = Table(
        carried: "acr.loa.map",
        [
            Reason(
                .skipped,
                "an address of its own is not kept: the issuer comes from the public URL",
                "frontendUrl"
            ),
            Reason(
                .ignored,
                "the realm's lifetimes of sessions hold for every client",
                "clientSession* clientOfflineSession*"
            ),
            Reason(
                .ignored,
                "there is no device grant and no CIBA",
                "oauth2Device* ciba* shortVerificationUri"
            ),
            Reason(
                .ignored,
                "pushed requests have this server's lifetime",
                "parRequestUriLifespan"
            ),
            Reason(.ignored, "a code is good once", "realmReusableOtpCode"),
        ],
        unknown: "kept: nothing here knows the attribute"
    )

    static let clientAttributes = Table(
        carried: """
            pkce.code.challenge.method post.logout.redirect.uris access.token.lifespan \
            id.token.signed.response.alg access.token.signed.response.alg use.refresh.tokens \
            jwks.string use.jwks.string backchannel.logout.url \
            backchannel.logout.session.required access.token.header.type.rfc9068 acr.loa.map \
            client.use.lightweight.access.token.enabled token.response.type.bearer.lower-case \
            include.in.token.scope client.secret.creation.time realm_client \
            require.pushed.authorization.requests dpop.bound.access.tokens \
            tls.client.certificate.bound.access.tokens portico.administers
            """,
        [
            Reason(
                .weaker,
                "its people needed a level of authentication, which nothing here asks for",
                "minimum.acr.value default.acr.values"
            ),
            Reason(
                .ignored,
                "kept: the realm's lifetimes of sessions hold for every client",
                "client.session.* client.offline.session.*"
            ),
            Reason(
                .ignored,
                "kept: there is no device grant and no CIBA",
                "oauth2.device.* ciba.* backchannel.authentication.*"
            ),
            Reason(.ignored, "kept: of SAML", "saml.* saml_*"),
            Reason(
                .ignored,
                "kept: people are asked by name only",
                "consent.screen.text display.on.consent.screen logoUri policyUri tosUri"
            ),
            Reason(
                .skipped,
                "kept: keys are read from the file only",
                "use.jwks.url jwks.url jwt.credential.* x509.*"
            ),
            Reason(
                .skipped,
                "kept: answers are not signed or encrypted here",
                """
                user.info.response.signature.alg user.info.encrypted.* id.token.encrypted.* \
                authorization.signed.response.alg authorization.encrypted.*
                """
            ),
        ],
        unknown: "kept: nothing here acts on the attribute"
    )
}
