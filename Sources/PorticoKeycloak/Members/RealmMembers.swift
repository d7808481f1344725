import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The members of a realm (Keycloak `RealmRepresentation`).
enum RealmMembers {
    typealias Line = CodedMember<Realm>

    static let table = MemberTable<Realm>("RealmRepresentation", written + old)

    private static let written: [Line] = [
        Line("id", .text),
        Line("realm", .text),
        Line("displayName", .text, by: .displayName),
        Line("displayNameHtml", .text, .look),
        Line("notBefore", .integer, by: .number(\.notBefore).always),
        Line("defaultSignatureAlgorithm", .text, by: .signingAlgorithm.always),
        Line("revokeRefreshToken", .bool, .rotation),
        Line("refreshTokenMaxReuse", .integer, .rotation),
        Line("accessTokenLifespan", .integer, by: .lifetime(\.lifetimes.accessToken)),
        Line("accessTokenLifespanForImplicitFlow", .integer, .noImplicit),
        Line("ssoSessionIdleTimeout", .integer, by: .lifetime(\.lifetimes.sessionIdle)),
        Line("ssoSessionMaxLifespan", .integer, by: .lifetime(\.lifetimes.sessionMaximum)),
        Line("ssoSessionIdleTimeoutRememberMe", .integer, .remembered),
        Line(
            "ssoSessionMaxLifespanRememberMe",
            .integer,
            .remembered,
            by: .number(\.lifetimes.formerSessionMaximum)
        ),
        Line("offlineSessionIdleTimeout", .integer, by: .lifetime(\.lifetimes.offlineIdle)),
        Line("offlineSessionMaxLifespanEnabled", .bool, by: .offlineMaximum.always),
        Line("offlineSessionMaxLifespan", .integer, by: .offlineMaximumTime),
        Line("clientSessionIdleTimeout", .integer, .clientSessions),
        Line("clientSessionMaxLifespan", .integer, .clientSessions),
        Line("clientOfflineSessionIdleTimeout", .integer, .clientSessions),
        Line("clientOfflineSessionMaxLifespan", .integer, .clientSessions),
        Line("accessCodeLifespan", .integer, by: .lifetime(\.lifetimes.code)),
        Line("accessCodeLifespanUserAction", .integer, .links),
        Line("accessCodeLifespanLogin", .integer, .links),
        Line("actionTokenGeneratedByAdminLifespan", .integer, .links),
        Line("actionTokenGeneratedByUserLifespan", .integer, .links),
        Line("oauth2DeviceCodeLifespan", .integer, .noDevice),
        Line("oauth2DevicePollingInterval", .integer, .noDevice),
        Line("enabled", .bool, by: .enabled.always),
        Line("sslRequired", .text, .https),
        Line("registrationAllowed", .bool, by: .registration.always),
        Line("registrationEmailAsUsername", .bool, by: .registrationByEmail),
        Line("rememberMe", .bool, .remembered),
        Line("verifyEmail", .bool, by: .flag(\.confirmsEmail, noting: confirming).always),
        Line("loginWithEmailAllowed", .bool, by: .flag(\.signsInWithEmail, usual: true).always),
        Line("duplicateEmailsAllowed", .bool, .oneAddress),
        Line(
            "resetPasswordAllowed",
            .bool,
            by: .flag(\.allowsPasswordReset, noting: resetting).always
        ),
        Line("editUsernameAllowed", .bool, .userNames),
        Line("bruteForceProtected", .bool, .wrongPasswords),
        Line("permanentLockout", .bool, .wrongPasswords),
        Line("maxTemporaryLockouts", .integer, .wrongPasswords),
        Line("bruteForceStrategy", nil, .wrongPasswords),
        Line("maxFailureWaitSeconds", .integer, .wrongPasswords),
        Line("minimumQuickLoginWaitSeconds", .integer, .wrongPasswords),
        Line("waitIncrementSeconds", .integer, .wrongPasswords),
        Line("quickLoginCheckMilliSeconds", .integer, .wrongPasswords),
        Line("maxDeltaTimeSeconds", .integer, .wrongPasswords),
        Line("failureFactor", .integer, .wrongPasswords),
        Line("maxSecondaryAuthFailures", .integer, .wrongPasswords),
        Line("roles", .parts, in: .apart),
        Line("groups", .parts, in: .apart),
        Line("defaultRole", .parts),
        Line("defaultGroups", .texts, in: .apart),
        Line("requiredCredentials", .texts, .password),
        Line("passwordPolicy", .text),
        Line("otpPolicyType", .text, .codes),
        Line("otpPolicyAlgorithm", .text, .codes),
        Line("otpPolicyInitialCounter", .integer, .codes),
        Line("otpPolicyDigits", .integer, .codes),
        Line("otpPolicyLookAheadWindow", .integer, by: .number(\.codeDrift)),
        Line("otpPolicyPeriod", .integer, .codes),
        Line("otpPolicyCodeReusable", .bool, .codes),
        Line("otpSupportedApplications", nil, .codes),
        Line("localizationTexts", nil, .languages),
        Line("webAuthnPolicyRpEntityName", nil, .passkeys),
        Line("webAuthnPolicySignatureAlgorithms", nil, .passkeys),
        Line("webAuthnPolicyRpId", nil, .passkeys),
        Line("webAuthnPolicyAttestationConveyancePreference", nil, .passkeys),
        Line("webAuthnPolicyAuthenticatorAttachment", nil, .passkeys),
        Line("webAuthnPolicyRequireResidentKey", nil, .passkeys),
        Line("webAuthnPolicyResidentKey", nil, .passkeys),
        Line("webAuthnPolicyUserVerificationRequirement", nil, .passkeys),
        Line("webAuthnPolicyCreateTimeout", .integer, .passkeys),
        Line("webAuthnPolicyAvoidSameAuthenticatorRegister", .bool, .passkeys),
        Line("webAuthnPolicyAcceptableAaguids", nil, .passkeys),
        Line("webAuthnPolicyExtraOrigins", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessRpEntityName", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessSignatureAlgorithms", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessRpId", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessAttestationConveyancePreference", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessAuthenticatorAttachment", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessRequireResidentKey", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessResidentKey", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessUserVerificationRequirement", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessCreateTimeout", .integer, .passkeys),
        Line("webAuthnPolicyPasswordlessAvoidSameAuthenticatorRegister", .bool, .passkeys),
        Line("webAuthnPolicyPasswordlessAcceptableAaguids", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessExtraOrigins", nil, .passkeys),
        Line("users", .parts, in: .apart),
        Line("scopeMappings", .parts, in: .apart),
        Line("clientScopeMappings", .byName, in: .apart),
        Line("clients", .parts, in: .apart),
        Line("clientScopes", .parts, in: .apart),
        Line("defaultDefaultClientScopes", .texts),
        Line("defaultOptionalClientScopes", .texts),
        Line("browserSecurityHeaders", .map, .look),
        Line("smtpServer", .map, .mail, in: .apart),
        Line("eventsEnabled", .bool, by: .flag(\.events.keepsSignIns)),
        Line("eventsExpiration", .integer, by: .eventLifetime),
        Line("eventsListeners", .texts, .listeners),
        Line("enabledEventTypes", .texts, by: .eventKinds),
        Line("adminEventsEnabled", .bool, by: .flag(\.events.keepsAdministration)),
        Line("adminEventsDetailsEnabled", .bool, .details),
        Line("identityProviders", .parts, .providers, in: .apart),
        Line("identityProviderMappers", .parts, .providers, in: .apart),
        Line("components", .byName, in: .apart),
        Line("internationalizationEnabled", .bool, by: .severalLanguages),
        Line("supportedLocales", .texts, .languages),
        Line("defaultLocale", .text, by: .language),
        Line("authenticationFlows", .parts, .flows, in: .apart),
        Line("authenticatorConfig", .parts, .flows, in: .apart),
        Line("requiredActions", .parts, .flows, in: .apart),
        Line("browserFlow", .text, .flows),
        Line("registrationFlow", .text, .flows),
        Line("directGrantFlow", .text, .flows),
        Line("resetCredentialsFlow", .text, .flows),
        Line("clientAuthenticationFlow", .text, .flows),
        Line("dockerAuthenticationFlow", .text, .flows),
        Line("firstBrokerLoginFlow", .text, .flows),
        Line("attributes", .map),
        Line("keycloakVersion", .text, difference: .countsWhereSaid),
        Line("userManagedAccessAllowed", .bool, .noInterface),
        Line("organizationsEnabled", .bool, .organizations),
        Line("verifiableCredentialsEnabled", .bool, .noInterface),
        Line("adminPermissionsEnabled", .bool, .noInterface),
        Line("scimApiEnabled", .bool, .noInterface),
        Line("clientProfiles", nil, .notApplied, in: .apart),
        Line("clientPolicies", in: .apart),
    ]

    /// Of versions before 26, or of requests only.
    private static let old: [Line] = [
        Line("accountTheme", .text, .look),
        Line("adminPermissionsClient", nil, .old, in: .secret),
        Line("adminTheme", .text, .look),
        Line("applicationRoles", nil, .unknown),
        Line("applicationScopeMappings", nil, .old),
        Line("applications", nil, .old, in: .secret),
        Line("certificate", nil, .old),
        Line("clientTemplates", nil, .old),
        Line("codeSecret", nil, .old, in: .secret),
        Line("defaultRoles", .texts),
        Line("emailTheme", .text, .look),
        Line("federatedUsers", in: .apart),
        Line("identityFederationEnabled", nil, .unknown),
        Line("loginTheme", .text, .look),
        Line("oAuth2DeviceCodeLifespan", nil, .unknown),
        Line("oAuth2DevicePollingInterval", nil, .unknown),
        Line("oauthClients", nil, .old, in: .secret),
        Line("organizations", nil, .organizations),
        Line("parRequestUriLifespan", nil, .unknown),
        Line("passwordCredentialGrantAllowed", .bool, .unknown),
        Line("privateKey", nil, .old, in: .secret),
        Line("protocolMappers", .parts, .old),
        Line("publicKey", nil, .old),
        Line("realmCacheEnabled", nil, .unknown),
        Line("requestUriLifespan", nil, .unknown),
        Line("social", nil, .unknown),
        Line("socialProviders", nil, .old, in: .secret),
        Line("updateProfileOnInitialSocialLogin", nil, .unknown),
        Line("userCacheEnabled", nil, .unknown),
        Line("userFederationMappers", nil, .old),
        Line("userFederationProviders", nil, .old, in: .secret),
        Line("userProfileEnabled", .bool, .unknown),
        Line("webAuthnPolicyPasswordlessMediation", nil, .passkeys),
        Line("webAuthnPolicyPasswordlessPasskeysEnabled", .bool, .passkeys),
        Line("workflows", nil, .unknown),
    ]

    static let attributes = MemberTable<Realm>(
        "attributes",
        [
            Line("acr.loa.map", by: .acrLevels),
            Line("frontendUrl", nil, .ownAddress),
            Line("clientSession*", nil, .clientSessions),
            Line("clientOfflineSession*", nil, .clientSessions),
            Line("oauth2Device*", nil, .noCIBA),
            Line("ciba*", nil, .noCIBA),
            Line("shortVerificationUri", nil, .noCIBA),
            Line("parRequestUriLifespan", nil, .pushed),
            Line("realmReusableOtpCode", nil, .once),
        ],
        unknown: .ignored("kept: nothing here knows the attribute")
    )

    private static let resetting: StaticString = "offered where the server sends mail"
    private static let confirming: StaticString =
        "asked before an app gets anything; the server must send mail"
}

extension Member.Fate {
    fileprivate static let providers = skipped(
        "kept: no one signs in by way of other providers yet"
    )
    fileprivate static let mail = skipped("the server's own settings apply: mail.smtp")
    fileprivate static let organizations = skipped("organizations are not imported")
    fileprivate static let oneAddress = skipped("an address belongs to one person here")
    fileprivate static let old = skipped("a field of old versions that is not read")
    fileprivate static let wrongPasswords = ignored(
        "wrong passwords are limited by this server's own rules"
    )
    fileprivate static let codes = ignored(
        "apps that are added here have six digits, SHA-1 and 30 seconds; those of before stay"
    )
    fileprivate static let passkeys = ignored("passkeys are not asked for here")
    fileprivate static let rotation = ignored("a refresh token is replaced whenever it is used")
    fileprivate static let clientSessions = ignored(
        "the realm's lifetimes of sessions hold for every client"
    )
    fileprivate static let remembered = ignored(
        "a session has one lifetime, whether it is remembered or not"
    )
    fileprivate static let links = ignored(
        "links in mails and the pages of a sign-in have this server's lifetimes"
    )
    fileprivate static let noImplicit = ignored("there is no implicit flow")
    fileprivate static let noDevice = ignored("there is no device grant")
    fileprivate static let https = ignored("https is needed everywhere but on this machine")
    fileprivate static let password = ignored("people sign in with a password")
    fileprivate static let userNames = ignored("people do not change their user names")
    fileprivate static let flows = ignored("kept: sign-in has one flow here")
    fileprivate static let notApplied = ignored("kept: nothing here applies them")
    fileprivate static let look = ignored(
        "pages have one look, and headers of their own: docs/pages.md"
    )
    fileprivate static let languages = ignored("pages are in the languages that this server has")
    fileprivate static let noInterface = ignored("there is no such interface here")
    fileprivate static let listeners = ignored("kept: events are told to no listener")
    fileprivate static let details = ignored(
        "kept: events of the administration have no representations"
    )
    fileprivate static let ownAddress = skipped(
        "an address of its own is not kept: the issuer comes from the public URL"
    )
    fileprivate static let noCIBA = ignored("there is no device grant and no CIBA")
    fileprivate static let pushed = ignored("pushed requests have this server's lifetime")
    fileprivate static let once = ignored("a code is good once")
}
