import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The members of a client (Keycloak `ClientRepresentation`).
enum ClientMembers {
    typealias Line = CodedMember<Client>

    static let table = MemberTable<Client>(
        "ClientRepresentation",
        [
            Line("id", .text, in: .apart),
            Line("clientId", .text, in: .apart),
            Line("name", .text, by: .name),
            Line("description", .text, .notShown),
            Line("type", .text, .unknown),
            Line("rootUrl", .text, in: .held, by: .text(\.rootURI).of(.addresses).ofAll),
            Line("adminUrl", .text, .notPosted),
            Line("baseUrl", .text, in: .held, by: .text(\.homeURI).ofAll),
            Line("surrogateAuthRequired", .bool, .adapters, usual: false),
            Line("enabled", .bool, usual: true, by: .enabled.always),
            Line("alwaysDisplayInConsole", .bool, .notShown, usual: false),
            Line(
                "clientAuthenticatorType",
                .text,
                usual: "client-secret",
                by: .authenticatorType.always
            ),
            Line("secret", .text, in: .secret, difference: .countsWhereSaid, by: .part(.proof)),
            Line("registrationAccessToken", .text, .registration, in: .secret),
            Line("defaultRoles", .texts),
            Line("redirectUris", .texts, in: .apart, by: .redirectURIs),
            Line("webOrigins", .texts, in: .apart, by: .webOrigins),
            Line(
                "notBefore",
                .integer,
                .before,
                in: .held,
                usual: 0,
                by: .number(\.notBefore).ofAll
            ),
            Line("bearerOnly", .bool, usual: false, by: .part(.grants)),
            Line("consentRequired", .bool, usual: false, by: .flag(\.requiresConsent).always.ofAll),
            Line("standardFlowEnabled", .bool, usual: true, by: .standardFlow.always),
            Line("implicitFlowEnabled", .bool, usual: false, by: .part(.grants)),
            Line("directAccessGrantsEnabled", .bool, usual: false, by: .part(.grants)),
            Line("serviceAccountsEnabled", .bool, usual: false, by: .serviceAccount.always),
            Line("authorizationServicesEnabled", .bool, .uma),
            Line("publicClient", .bool, usual: false, by: .isPublic.always),
            Line("frontchannelLogout", .bool, .frontchannel, usual: false),
            Line("protocol", .text, usual: "openid-connect"),
            Line("attributes", .map, usual: [:]),
            Line("authenticationFlowBindingOverrides", .map, .oneFlow, usual: [:]),
            Line("fullScopeAllowed", .bool, in: .apart, usual: true, by: .seesAllRoles.ofAll),
            Line("nodeReRegistrationTimeout", .integer, .adapters, usual: -1),
            Line("registeredNodes", nil, .adapters),
            Line("protocolMappers", .parts, in: .apart, by: .mappers.ofAll),
            Line("clientTemplate", nil, .unknown),
            Line("defaultClientScopes", .texts, difference: .countsWhereSaid, by: .part(.scopes)),
            Line("optionalClientScopes", .texts, difference: .countsWhereSaid, by: .part(.scopes)),
            Line("authorizationSettings", nil, .uma),
            Line("directGrantsOnly", .bool, .unknown),
            Line("useTemplateConfig", .bool, .unknown),
            Line("useTemplateScope", .bool, .unknown),
            Line("useTemplateMappers", .bool, .unknown),
            Line("access", difference: .none),
            Line("origin"),
        ]
    )

    /// Texts under dotted names (Keycloak `ClientRepresentation.attributes`).
    static let attributes = MemberTable<Client>(
        "attributes",
        [
            Line("pkce.code.challenge.method", by: .codeProtection),
            Line("post.logout.redirect.uris", in: .apart, by: .postLogoutRedirectURIs),
            Line("access.token.lifespan", by: .lifetime),
            Line("id.token.signed.response.alg", by: .algorithm(\.idTokenAlgorithm, realms)),
            Line(
                "access.token.signed.response.alg",
                by: .algorithm(\.accessTokenAlgorithm, realms)
            ),
            Line(
                "user.info.response.signature.alg",
                by: .algorithm(\.userInfoAlgorithm, plain).ofAll
            ),
            Line("access.token.header.type.rfc9068", by: .accessTokenType),
            Line("client.use.lightweight.access.token.enabled", by: .isLightweight.ofAll),
            Line("acr.loa.map", by: .acrLevels.ofAll),
            Line("exclude.issuer.from.auth.response", by: .relying(on: .noIssuer)),
            Line("exclude.session.state.from.auth.response", by: .relying(on: .noSessionState)),
            Line("token.response.type.bearer.lower-case", by: .relying(on: .lowercaseBearer)),
            Line(
                "require.pushed.authorization.requests",
                by: .setting(\.requiresPushedRequests).ofAll
            ),
            Line("dpop.bound.access.tokens", by: .setting(\.dpopBoundAccessTokens).ofAll),
            Line("tls.client.certificate.bound.access.tokens", by: .bindsToCertificate.ofAll),
            Line("use.refresh.tokens", by: .refreshes),
            Line("jwks.string", by: .keySet),
            Line("use.jwks.string", by: .usesKeySet),
            Line("use.jwks.url", nil, .fileOnly, by: .takesKeysFromURL),
            Line("backchannel.logout.url", by: .backchannelLogoutURI),
            Line("backchannel.logout.session.required", by: .backchannelLogoutSession),
            Line("include.in.token.scope"),
            Line("client.secret.creation.time"),
            Line("realm_client"),
            // Which clients people administer by, no file says.
            Line("portico.administers", in: .secret),
            Line("*private.key", nil, .needless, in: .secret),
            Line("client.secret.rotated*", nil, .needless, in: .secret),
            Line("minimum.acr.value", nil, .level),
            Line("default.acr.values", nil, .level),
            Line("client.session.*", nil, .clientSessions),
            Line("client.offline.session.*", nil, .clientSessions),
            Line("oauth2.device.*", nil, .noDevice),
            Line("ciba.*", nil, .noDevice),
            Line("backchannel.authentication.*", nil, .noDevice),
            Line("saml.*", nil, .saml),
            Line("saml_*", nil, .saml),
            Line("consent.screen.text", nil, .byName),
            Line("display.on.consent.screen", nil, .byName),
            Line("logoUri", nil, .byName),
            Line("policyUri", nil, .byName),
            Line("tosUri", nil, .byName),
            Line("jwks.url", nil, .fileOnly),
            Line("jwt.credential.*", nil, .fileOnly),
            Line("x509.*", nil, .fileOnly),
            Line("user.info.encrypted.*", nil, .notEncrypted),
            Line("id.token.encrypted.*", nil, .notEncrypted),
            Line("authorization.signed.response.alg", nil, .notEncrypted),
            Line("authorization.encrypted.*", nil, .notEncrypted),
        ],
        unknown: .ignored("kept: nothing here acts on the attribute")
    )

    private static let realms: StaticString =
        "asks for an algorithm not known here; the realm's is used"
    private static let plain: StaticString =
        "asks for an algorithm not known here; UserInfo answers are not signed"

    /// What has no place of its own, and how the others are written. What opens something is sealed
    /// elsewhere, or opens nothing here.
    ///
    /// - Parameter isOwn: Whether it is one of Keycloak's: nothing else of it acts here, so its addresses
    ///   have no other place.
    static func kept(_ said: Representation, isOwn: Bool) throws(RealmImportError)
        -> KeptRepresentation
    {
        var kept = table.representation.kept(of: said.object)
        kept[MapperList.member] = try MapperList(said).others.map(JSONValue.array)
        let addresses: Set = ["redirectUris", "webOrigins", "post.logout.redirect.uris"]
        func addAddresses(of object: JSONObject, to kept: inout JSONObject) {
            for (name, value) in object where isOwn && addresses.contains(name) {
                kept[name] = value
            }
        }
        addAddresses(of: said.object, to: &kept)
        if let object = said.object.object("attributes") {
            var attributes = Self.attributes.representation.kept(of: object)
            addAddresses(of: object, to: &attributes)
            kept["attributes"] = .object(attributes)
        }
        return KeptRepresentation(kept)
    }

    /// Which members and attributes of a client are meant.
    struct Names {
        private(set) var members: Set<String> = []
        private(set) var attributes: Set<String> = []

        /// Those that are different.
        init(_ former: JSONObject, _ next: JSONObject) {
            members = Self.names(former, next)
            attributes = Self.names(
                former.object("attributes") ?? JSONObject(),
                next.object("attributes") ?? JSONObject()
            )
        }

        private static func names(_ former: JSONObject, _ next: JSONObject) -> Set<String> {
            Set((former.map(\.name) + next.map(\.name)).filter { former[$0] != next[$0] })
        }

        var parts: Set<MemberPart> {
            ClientMembers.table.parts(of: members)
                .union(ClientMembers.attributes.parts(of: attributes))
        }
    }

    /// The signature algorithms that a file's clients ask for: the realm needs a key for each.
    static func algorithms(of realm: Representation) throws(RealmImportError)
        -> Set<SignatureAlgorithm>
    {
        var algorithms: Set<SignatureAlgorithm> = []
        for client in try realm.children("clients") {
            var read = Client(
                id: "",
                realmID: "",
                clientID: "",
                name: "",
                type: .public,
                authentication: .none
            )
            var report = ImportReport(realm: "")
            try attributes.read(
                try client.textAttributes,
                of: "",
                to: &read,
                where: { name, _ in name.hasSuffix("token.signed.response.alg") },
                report: &report
            )
            algorithms.formUnion(
                [read.idTokenAlgorithm, read.accessTokenAlgorithm].compactMap(\.self)
            )
        }
        return algorithms
    }
}

extension Member.Fate {
    fileprivate static let notShown = ignored("kept: no page here shows it")
    fileprivate static let notPosted = skipped(
        "kept: sign-outs and revocations are not posted there; a back-channel logout URL is",
        isKept: true
    )
    fileprivate static let adapters = ignored("kept: of old adapters, and nothing reads it")
    fileprivate static let uma = skipped("kept: there are no authorization services (UMA) here")
    fileprivate static let oneFlow = ignored("kept: sign-in has one flow here")
    fileprivate static let frontchannel = ignored(
        "kept: browsers are not sent to the client at a sign-out"
    )
    fileprivate static let before = skipped(
        "kept: here tokens are void before a time of the realm's or a person's only"
    )
    fileprivate static let registration = skipped("clients do not register themselves here")
    fileprivate static let needless = ignored("left out: a secret that nothing here uses")
    fileprivate static let level = weaker(
        "its people needed a level of authentication, which nothing here asks for"
    )
    fileprivate static let clientSessions = ignored(
        "kept: the realm's lifetimes of sessions hold for every client"
    )
    fileprivate static let noDevice = ignored("kept: there is no device grant and no CIBA")
    fileprivate static let saml = ignored("kept: of SAML")
    fileprivate static let byName = ignored("kept: people are asked by name only")
    fileprivate static let fileOnly = skipped("kept: keys are read from the file only")
    fileprivate static let notEncrypted = skipped(
        "kept: answers are not signed or encrypted here"
    )
}
