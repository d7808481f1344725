extension RepresentationMembers {
    /// Of versions 19 to 26: an export of any of them can be posted.
    static let realm = RepresentationMembers(
        "RealmRepresentation",
        """
        accessCodeLifespan accessCodeLifespanLogin accessCodeLifespanUserAction
        accessTokenLifespan accessTokenLifespanForImplicitFlow accountTheme
        actionTokenGeneratedByAdminLifespan actionTokenGeneratedByUserLifespan
        adminEventsDetailsEnabled adminEventsEnabled adminPermissionsClient
        adminPermissionsEnabled adminTheme applicationRoles applicationScopeMappings applications
        attributes authenticationFlows authenticatorConfig browserFlow browserSecurityHeaders
        bruteForceProtected bruteForceStrategy certificate clientAuthenticationFlow
        clientOfflineSessionIdleTimeout clientOfflineSessionMaxLifespan clientPolicies
        clientProfiles clientScopeMappings clientScopes clientSessionIdleTimeout
        clientSessionMaxLifespan clientTemplates clients codeSecret components
        defaultDefaultClientScopes defaultGroups defaultLocale defaultOptionalClientScopes
        defaultRole defaultRoles defaultSignatureAlgorithm directGrantFlow displayName
        displayNameHtml dockerAuthenticationFlow duplicateEmailsAllowed editUsernameAllowed
        emailTheme enabled enabledEventTypes eventsEnabled eventsExpiration eventsListeners
        failureFactor federatedUsers firstBrokerLoginFlow groups id identityFederationEnabled
        identityProviderMappers identityProviders internationalizationEnabled keycloakVersion
        localizationTexts loginTheme loginWithEmailAllowed maxDeltaTimeSeconds
        maxFailureWaitSeconds maxSecondaryAuthFailures maxTemporaryLockouts
        minimumQuickLoginWaitSeconds notBefore oAuth2DeviceCodeLifespan
        oAuth2DevicePollingInterval oauth2DeviceCodeLifespan oauth2DevicePollingInterval
        oauthClients offlineSessionIdleTimeout offlineSessionMaxLifespan
        offlineSessionMaxLifespanEnabled organizations organizationsEnabled otpPolicyAlgorithm
        otpPolicyCodeReusable otpPolicyDigits otpPolicyInitialCounter otpPolicyLookAheadWindow
        otpPolicyPeriod otpPolicyType otpSupportedApplications parRequestUriLifespan
        passwordCredentialGrantAllowed passwordPolicy permanentLockout privateKey protocolMappers
        publicKey quickLoginCheckMilliSeconds realm realmCacheEnabled refreshTokenMaxReuse
        registrationAllowed registrationEmailAsUsername registrationFlow rememberMe
        requestUriLifespan requiredActions requiredCredentials resetCredentialsFlow
        resetPasswordAllowed revokeRefreshToken roles scimApiEnabled scopeMappings smtpServer
        social socialProviders sslRequired ssoSessionIdleTimeout ssoSessionIdleTimeoutRememberMe
        ssoSessionMaxLifespan ssoSessionMaxLifespanRememberMe supportedLocales
        updateProfileOnInitialSocialLogin userCacheEnabled userFederationMappers
        userFederationProviders userManagedAccessAllowed userProfileEnabled users
        verifiableCredentialsEnabled verifyEmail waitIncrementSeconds
        webAuthnPolicyAcceptableAaguids webAuthnPolicyAttestationConveyancePreference
        webAuthnPolicyAuthenticatorAttachment webAuthnPolicyAvoidSameAuthenticatorRegister
        webAuthnPolicyCreateTimeout webAuthnPolicyExtraOrigins
        webAuthnPolicyPasswordlessAcceptableAaguids
        webAuthnPolicyPasswordlessAttestationConveyancePreference
        webAuthnPolicyPasswordlessAuthenticatorAttachment
        webAuthnPolicyPasswordlessAvoidSameAuthenticatorRegister
        webAuthnPolicyPasswordlessCreateTimeout webAuthnPolicyPasswordlessExtraOrigins
        webAuthnPolicyPasswordlessMediation webAuthnPolicyPasswordlessPasskeysEnabled
        webAuthnPolicyPasswordlessRequireResidentKey webAuthnPolicyPasswordlessResidentKey
        webAuthnPolicyPasswordlessRpEntityName webAuthnPolicyPasswordlessRpId
        webAuthnPolicyPasswordlessSignatureAlgorithms
        webAuthnPolicyPasswordlessUserVerificationRequirement webAuthnPolicyRequireResidentKey
        webAuthnPolicyResidentKey webAuthnPolicyRpEntityName webAuthnPolicyRpId
        webAuthnPolicySignatureAlgorithms webAuthnPolicyUserVerificationRequirement workflows
        """
    )
}
