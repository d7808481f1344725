import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The members of a client (Keycloak `ClientRepresentation`).
enum ClientMembers {
    typealias Line = MemberLine<Client>

    static let table = MemberTable<Client>(
        "ClientRepresentation",
        [
            Line("id:text clientId:text", in: .apart),
            Line("name:text", by: .name),
            Line("description:text", .notShown),
            Line("type:text", .unknown),
            Line("rootUrl:text", in: .held, by: .text(\.rootURI).of(.addresses).ofAll),
            Line(
                "adminUrl:text",
                .skipped(
                    "kept: sign-outs and revocations are not posted there; a back-channel logout URL is",
                    isKept: true
                )
            ),
            Line("baseUrl:text", in: .held, by: .text(\.homeURI).ofAll),
            Line("surrogateAuthRequired:bool", .adapters, usual: false),
            Line("enabled:bool", usual: true, by: .enabled),
            Line("alwaysDisplayInConsole:bool", .notShown, usual: false),
            Line(
                "clientAuthenticatorType:text",
                usual: "client-secret",
                by: .authenticatorType.always
            ),
            Line("secret:text?", in: .secret, by: .part(.proof)),
            Line(
                "registrationAccessToken:text",
                .skipped("clients do not register themselves here"),
                in: .secret
            ),
            Line("defaultRoles:texts"),
            Line("redirectUris:texts", in: .apart, by: .redirectURIs),
            Line("webOrigins:texts", in: .apart, by: .webOrigins),
            Line(
                "notBefore:integer",
                .skipped(
                    "kept: here tokens are void before a time of the realm's or a person's only"
                ),
                in: .held,
                usual: 0,
                by: .number(\.notBefore).ofAll
            ),
            Line("bearerOnly:bool", usual: false, by: .part(.grants)),
            Line("consentRequired:bool", usual: false, by: .flag(\.requiresConsent).always.ofAll),
            Line("standardFlowEnabled:bool", usual: true, by: .standardFlow),
            Line("implicitFlowEnabled:bool", usual: false, by: .part(.grants)),
            Line("directAccessGrantsEnabled:bool", usual: false, by: .part(.grants)),
            Line("serviceAccountsEnabled:bool", usual: false, by: .serviceAccount),
            Line("authorizationServicesEnabled:bool", .uma),
            Line("publicClient:bool", usual: false, by: .isPublic),
            Line(
                "frontchannelLogout:bool",
                .ignored("kept: browsers are not sent to the client at a sign-out"),
                usual: false
            ),
            Line("protocol:text", usual: "openid-connect"),
            Line("attributes:map", usual: [:]),
            Line(
                "authenticationFlowBindingOverrides:map",
                .ignored("kept: sign-in has one flow here"),
                usual: [:]
            ),
            Line("fullScopeAllowed:bool", in: .apart, usual: true, by: .seesAllRoles.ofAll),
            Line("nodeReRegistrationTimeout:integer", .adapters, usual: -1),
            Line("registeredNodes", .adapters),
            Line("protocolMappers:parts", in: .apart, by: .mappers.ofAll),
            Line("clientTemplate", .unknown),
            Line("defaultClientScopes:texts?", by: .part(.scopes)),
            Line("optionalClientScopes:texts?", by: .part(.scopes)),
            Line("authorizationSettings", .uma),
            Line(
                """
                directGrantsOnly:bool useTemplateConfig:bool useTemplateScope:bool
                useTemplateMappers:bool
                """,
                .unknown
            ),
            Line("access- origin"),
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
            Line("use.jwks.url", .fileOnly, by: .takesKeysFromURL),
            Line("backchannel.logout.url", by: .backchannelLogoutURI),
            Line("backchannel.logout.session.required", by: .backchannelLogoutSession),
            Line("include.in.token.scope client.secret.creation.time realm_client"),
            Line("portico.administers", in: .secret),
            Line(
                "*private.key client.secret.rotated*",
                .ignored("left out: a secret that nothing here uses"),
                in: .secret
            ),
            Line(
                "minimum.acr.value default.acr.values",
                .weaker("its people needed a level of authentication, which nothing here asks for")
            ),
            Line(
                "client.session.* client.offline.session.*",
                .ignored("kept: the realm's lifetimes of sessions hold for every client")
            ),
            Line(
                "oauth2.device.* ciba.* backchannel.authentication.*",
                .ignored("kept: there is no device grant and no CIBA")
            ),
            Line("saml.* saml_*", .ignored("kept: of SAML")),
            Line(
                "consent.screen.text display.on.consent.screen logoUri policyUri tosUri",
                .ignored("kept: people are asked by name only")
            ),
            Line("jwks.url jwt.credential.* x509.*", .fileOnly),
            Line(
                """
                user.info.encrypted.* id.token.encrypted.* authorization.signed.response.alg
                authorization.encrypted.*
                """,
                .skipped("kept: answers are not signed or encrypted here")
            ),
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
    /// - Parameters:
    ///   - mappers: Those of other protocols.
    ///   - isOwn: Whether it is one of Keycloak's: nothing else of it acts here, so its addresses have no
    ///     other place.
    static func kept(_ said: JSONObject, mappers: [JSONValue]?, isOwn: Bool) -> KeptRepresentation {
        let addresses: Set = ["redirectUris", "webOrigins", "post.logout.redirect.uris"]
        func kept(_ object: JSONObject, _ members: RepresentationMembers) -> JSONObject {
            var kept = members.kept(of: object)
            for (name, value) in object where isOwn && addresses.contains(name) {
                kept[name] = value
            }
            return kept
        }
        var object = kept(said, table.representation)
        object[MapperList.member] = mappers.map(JSONValue.array)
        if let said = said.object("attributes") {
            object["attributes"] = .object(kept(said, attributes.representation))
        }
        return KeptRepresentation(object)
    }

    /// Which members and attributes of a client are meant.
    struct Names {
        private(set) var members: Set<String> = []
        private(set) var attributes: Set<String> = []

        /// Those that say something: an empty attribute says nothing there.
        init(_ said: JSONObject) {
            members = Set(said.filter { $0.value != .null }.map(\.name))
            let attributes = said.object("attributes") ?? JSONObject()
            self.attributes = Set(
                attributes.filter { $0.value != .null && $0.value != "" }.map(\.name)
            )
        }

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
            let attributes = try client.textAttributes
            for name in ["id.token.signed.response.alg", "access.token.signed.response.alg"] {
                let algorithm = try attributes.text(name).flatMap(SignatureAlgorithm.init)
                if let algorithm { algorithms.insert(algorithm) }
            }
        }
        return algorithms
    }
}

extension Member.Fate {
    fileprivate static let adapters = ignored("kept: of old adapters, and nothing reads it")
    fileprivate static let fileOnly = skipped("kept: keys are read from the file only")
    fileprivate static let notShown = ignored("kept: no page here shows it")
    fileprivate static let uma = skipped("kept: there are no authorization services (UMA) here")
}
