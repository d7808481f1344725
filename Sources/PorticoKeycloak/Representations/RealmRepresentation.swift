import PorticoAdministration
import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// A realm's settings as Keycloak writes them: `RealmRepresentation` without what has a place of
/// its own, such as clients, roles and people.
///
/// Of a realm from Keycloak, what its file said stands, as long as it still says what is kept here;
/// of other realms, what there is a member for.
package struct RealmRepresentation: Sendable {
    let realm: Realm
    private let graph: RoleGraph
    private let kept: JSONObject

    /// - Parameter graph: Its groups. Where it is empty, the representation names no default groups.
    package init(_ realm: Realm, graph: RoleGraph = .empty) {
        self.realm = realm
        self.graph = graph
        kept = realm.kept.object
    }

    /// The realm's id in representations: that of its file, which may be its name.
    package var id: String { kept.string("id") ?? realm.id }

    /// Whether a refresh token is good once.
    package var revokesRefreshTokens: Bool { kept.bool("revokeRefreshToken") ?? false }

    package var json: JSONObject {
        var json = kept
        json["id"] = .string(id)
        json["realm"] = .string(realm.name)
        RealmRepresentation.members.write(realm, over: kept, to: &json)
        let said = kept.object("attributes") ?? JSONObject()
        var attributes = said
        RealmRepresentation.attributes.write(realm, over: said, to: &attributes)
        if attributes != said { json["attributes"] = .object(attributes) }
        setDefaults(in: &json)
        return json.ordered(RepresentationMembers.realm.order)
    }

    /// What new people and clients get. Files from before version 13 have no default role: clients say the rest.
    private func setDefaults(in json: inout JSONObject) {
        let paths = realm.defaultGroupIDs.filter { graph.group($0) != nil }.map(graph.path)
        if !paths.isEmpty { json["defaultGroups"] = .texts(paths) }
        json["defaultDefaultClientScopes"] = .texts(realm.defaultClientScopes)
        json["defaultOptionalClientScopes"] = .texts(realm.optionalClientScopes)
        let (role, roles) = ("defaultRole", "defaultRoles")
        let now = realm.defaultRoles
        if let name = kept.object(role)?.string("name"),
            now == [RoleName(clientID: nil, name: name)]
        {
            return
        }
        if kept[role] != nil || kept[roles] == nil, now.count == 1, now[0].clientID == nil {
            json[role] = ["name": .string(now[0].name)]
        } else {
            json[role] = nil
            if kept.strings(roles) ?? [] != now.ofRealm { json[roles] = .texts(now.ofRealm) }
        }
    }
}

/// The members of a realm (Keycloak `RealmRepresentation`).
extension RealmRepresentation {
    typealias Line = MemberLine<Realm>

    static let members = MemberTable<Realm>("RealmRepresentation", written + old)

    private static let written: [Line] = [
        Line("id:text realm:text"),
        Line("displayName:text", by: .displayName),
        Line("displayNameHtml:text", .look),
        Line("notBefore:integer", by: .number(\.notBefore).always),
        Line("defaultSignatureAlgorithm:text", by: .signingAlgorithm.always),
        Line(
            "revokeRefreshToken:bool refreshTokenMaxReuse:integer",
            .ignored("a refresh token is replaced whenever it is used")
        ),
        Line("accessTokenLifespan:integer", by: .lifetime(\.lifetimes.accessToken)),
        Line("accessTokenLifespanForImplicitFlow:integer", .ignored("there is no implicit flow")),
        Line("ssoSessionIdleTimeout:integer", by: .lifetime(\.lifetimes.sessionIdle)),
        Line("ssoSessionMaxLifespan:integer", by: .lifetime(\.lifetimes.sessionMaximum)),
        Line("ssoSessionIdleTimeoutRememberMe:integer", .remembered),
        Line(
            "ssoSessionMaxLifespanRememberMe:integer",
            .remembered,
            by: .number(\.lifetimes.formerSessionMaximum)
        ),
        Line("offlineSessionIdleTimeout:integer", by: .lifetime(\.lifetimes.offlineIdle)),
        Line("offlineSessionMaxLifespanEnabled:bool", by: .offlineMaximum.always),
        Line("offlineSessionMaxLifespan:integer", by: .offlineMaximumTime),
        Line(
            """
            clientSessionIdleTimeout:integer clientSessionMaxLifespan:integer
            clientOfflineSessionIdleTimeout:integer clientOfflineSessionMaxLifespan:integer
            """,
            .clientSessions
        ),
        Line("accessCodeLifespan:integer", by: .lifetime(\.lifetimes.code)),
        Line(
            """
            accessCodeLifespanUserAction:integer accessCodeLifespanLogin:integer
            actionTokenGeneratedByAdminLifespan:integer
            actionTokenGeneratedByUserLifespan:integer
            """,
            .ignored("links in mails and the pages of a sign-in have this server's lifetimes")
        ),
        Line(
            "oauth2DeviceCodeLifespan:integer oauth2DevicePollingInterval:integer",
            .ignored("there is no device grant")
        ),
        Line("enabled:bool", by: .enabled.always),
        Line("sslRequired:text", .ignored("https is needed everywhere but on this machine")),
        Line("registrationAllowed:bool", by: .registration.always),
        Line("registrationEmailAsUsername:bool", by: .registrationByEmail),
        Line("rememberMe:bool", .remembered),
        Line("verifyEmail:bool", by: .flag(\.confirmsEmail, noting: confirming).always),
        Line("loginWithEmailAllowed:bool", by: .flag(\.signsInWithEmail, usual: true).always),
        Line("duplicateEmailsAllowed:bool", .skipped("an address belongs to one person here")),
        Line(
            "resetPasswordAllowed:bool",
            by: .flag(\.allowsPasswordReset, noting: resetting).always
        ),
        Line("editUsernameAllowed:bool", .ignored("people do not change their user names")),
        Line(
            """
            bruteForceProtected:bool permanentLockout:bool maxTemporaryLockouts:integer
            bruteForceStrategy maxFailureWaitSeconds:integer
            minimumQuickLoginWaitSeconds:integer waitIncrementSeconds:integer
            quickLoginCheckMilliSeconds:integer maxDeltaTimeSeconds:integer
            failureFactor:integer maxSecondaryAuthFailures:integer
            """,
            .ignored("wrong passwords are limited by this server's own rules")
        ),
        Line("roles:parts groups:parts", in: .apart),
        Line("defaultRole:parts"),
        Line("defaultGroups:texts", in: .apart),
        Line("requiredCredentials:texts", .ignored("people sign in with a password")),
        Line("passwordPolicy:text"),
        Line(
            """
            otpPolicyType:text otpPolicyAlgorithm:text otpPolicyInitialCounter:integer
            otpPolicyDigits:integer
            """,
            .codes
        ),
        Line("otpPolicyLookAheadWindow:integer", by: .number(\.codeDrift)),
        Line("otpPolicyPeriod:integer otpPolicyCodeReusable:bool otpSupportedApplications", .codes),
        Line("localizationTexts", .languages),
        Line(
            """
            webAuthnPolicyRpEntityName webAuthnPolicySignatureAlgorithms webAuthnPolicyRpId
            webAuthnPolicyAttestationConveyancePreference
            webAuthnPolicyAuthenticatorAttachment webAuthnPolicyRequireResidentKey
            webAuthnPolicyResidentKey webAuthnPolicyUserVerificationRequirement
            webAuthnPolicyCreateTimeout:integer
            webAuthnPolicyAvoidSameAuthenticatorRegister:bool webAuthnPolicyAcceptableAaguids
            webAuthnPolicyExtraOrigins webAuthnPolicyPasswordlessRpEntityName
            webAuthnPolicyPasswordlessSignatureAlgorithms webAuthnPolicyPasswordlessRpId
            webAuthnPolicyPasswordlessAttestationConveyancePreference
            webAuthnPolicyPasswordlessAuthenticatorAttachment
            webAuthnPolicyPasswordlessRequireResidentKey webAuthnPolicyPasswordlessResidentKey
            webAuthnPolicyPasswordlessUserVerificationRequirement
            webAuthnPolicyPasswordlessCreateTimeout:integer
            webAuthnPolicyPasswordlessAvoidSameAuthenticatorRegister:bool
            webAuthnPolicyPasswordlessAcceptableAaguids webAuthnPolicyPasswordlessExtraOrigins
            webAuthnPolicyPasswordlessPasskeysEnabled:bool webAuthnPolicyPasswordlessMediation
            """,
            .ignored("passkeys are not asked for here")
        ),
        Line(
            """
            users:parts scopeMappings:parts clientScopeMappings:byName clients:parts
            clientScopes:parts
            """,
            in: .apart
        ),
        Line("defaultDefaultClientScopes:texts? defaultOptionalClientScopes:texts?", in: .apart),
        Line("browserSecurityHeaders:map", .look),
        Line("smtpServer:map", .skipped("the server's own settings apply: mail.smtp"), in: .apart),
        Line("loginTheme:text accountTheme:text adminTheme:text emailTheme:text", .look),
        Line("eventsEnabled:bool", by: .flag(\.events.keepsSignIns)),
        Line("eventsExpiration:integer", by: .eventLifetime),
        Line("eventsListeners:texts", .ignored("kept: events are told to no listener")),
        Line("enabledEventTypes:texts", by: .eventKinds),
        Line("adminEventsEnabled:bool", by: .flag(\.events.keepsAdministration)),
        Line(
            "adminEventsDetailsEnabled:bool",
            .ignored("kept: events of the administration have no representations")
        ),
        Line("identityProviders:parts", in: .apart),
        Line(
            "identityProviderMappers:parts",
            .skipped("kept: nothing acts on them"),
            in: .apart
        ),
        Line("components:byName", in: .apart),
        Line("internationalizationEnabled:bool", by: .severalLanguages),
        Line("supportedLocales:texts", .languages),
        Line("defaultLocale:text", by: .language),
        Line(
            "authenticationFlows:parts authenticatorConfig:parts requiredActions:parts",
            .flows,
            in: .apart
        ),
        Line(
            """
            browserFlow:text registrationFlow:text directGrantFlow:text
            resetCredentialsFlow:text clientAuthenticationFlow:text
            dockerAuthenticationFlow:text firstBrokerLoginFlow:text
            """,
            .flows
        ),
        Line("attributes:map keycloakVersion:text?"),
        Line("userManagedAccessAllowed:bool", .noInterface),
        Line("organizationsEnabled:bool", .organizations),
        Line(
            "verifiableCredentialsEnabled:bool adminPermissionsEnabled:bool scimApiEnabled:bool",
            .noInterface
        ),
        Line("clientProfiles", .ignored("kept: nothing here applies them"), in: .apart),
        Line("clientPolicies", in: .apart),
    ]

    /// Of versions before 26, or of requests only.
    private static let old: [Line] = [
        Line("defaultRoles:texts"),
        Line("federatedUsers", in: .apart),
        Line(
            """
            applicationScopeMappings certificate clientTemplates protocolMappers:parts
            publicKey userFederationMappers
            """,
            .old
        ),
        Line(
            """
            adminPermissionsClient applications codeSecret oauthClients privateKey
            socialProviders userFederationProviders
            """,
            .old,
            in: .secret
        ),
        Line("organizations", .organizations),
        Line(
            """
            applicationRoles identityFederationEnabled oAuth2DeviceCodeLifespan
            oAuth2DevicePollingInterval parRequestUriLifespan
            passwordCredentialGrantAllowed:bool realmCacheEnabled requestUriLifespan social
            updateProfileOnInitialSocialLogin userCacheEnabled userProfileEnabled:bool
            workflows
            """,
            .unknown
        ),
    ]

    static let attributes = MemberTable<Realm>(
        "attributes",
        [
            Line("acr.loa.map", by: .acrLevels),
            Line(
                "frontendUrl",
                .skipped("an address of its own is not kept: the issuer comes from the public URL")
            ),
            Line("clientSession* clientOfflineSession*", .clientSessions),
            Line(
                "oauth2Device* ciba* shortVerificationUri",
                .ignored("there is no device grant and no CIBA")
            ),
            Line("parRequestUriLifespan", .ignored("pushed requests have this server's lifetime")),
            Line("realmReusableOtpCode", .ignored("a code is good once")),
        ],
        unknown: .ignored("kept: nothing here knows the attribute")
    )

    private static let resetting: StaticString = "offered where the server sends mail"
    private static let confirming: StaticString =
        "asked before an app gets anything; the server must send mail"
}

extension RepresentationMember.Fate {
    fileprivate static let clientSessions = ignored(
        "the realm's lifetimes of sessions hold for every client"
    )
    fileprivate static let codes = ignored(
        "apps that are added here have six digits, SHA-1 and 30 seconds; those of before stay"
    )
    fileprivate static let flows = ignored("kept: sign-in has one flow here")
    fileprivate static let languages = ignored("pages are in the languages that this server has")
    fileprivate static let look = ignored(
        "pages have one look, and headers of their own: docs/pages.md"
    )
    fileprivate static let noInterface = ignored("there is no such interface here")
    fileprivate static let old = skipped("a field of old versions that is not read")
    fileprivate static let organizations = skipped("organizations are not imported")
    fileprivate static let remembered = ignored(
        "a session has one lifetime, whether it is remembered or not"
    )
}
