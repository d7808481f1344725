import PorticoAdministration
import PorticoProtocol
import PorticoProvider
package import PorticoStores

/// The supported attributes of a client: texts under dotted names (Keycloak
/// `ClientRepresentation.attributes`).
struct ClientAttributes {
    private let values: [String: String]

    /// Whether an attribute of that name opens something.
    static func isSecret(_ name: String) -> Bool {
        name.hasSuffix("private.key") || name.hasPrefix("client.secret.rotated")
    }

    init(_ client: Representation) throws(RealmImportError) {
        guard let attributes = try client.child("attributes") else {
            values = [:]
            return
        }
        var values: [String: String] = [:]
        for name in Self.names {
            if let text = try attributes.text(name) { values[name] = text }
        }
        self.values = values
    }

    private static let pkce = "pkce.code.challenge.method"
    private static let postLogout = "post.logout.redirect.uris"
    private static let lifespan = "access.token.lifespan"
    private static let idTokenAlgorithm = "id.token.signed.response.alg"
    private static let accessTokenAlgorithm = "access.token.signed.response.alg"
    private static let isRFC9068 = "access.token.header.type.rfc9068"
    private static let refreshTokens = "use.refresh.tokens"
    private static let keys = "jwks.string"
    private static let takesKeysFromURL = "use.jwks.url"
    private static let backchannel = "backchannel.logout.url"
    private static let backchannelSession = "backchannel.logout.session.required"
    private static let pushed = "require.pushed.authorization.requests"
    private static let dpop = "dpop.bound.access.tokens"
    private static let certificates = "tls.client.certificate.bound.access.tokens"
    static let lightweight = "client.use.lightweight.access.token.enabled"
    static let userInfo = "user.info.response.signature.alg"
    private static let names =
        [
            pkce, postLogout, lifespan, idTokenAlgorithm, accessTokenAlgorithm, refreshTokens, keys,
            takesKeysFromURL, backchannel, backchannelSession, isRFC9068, pushed, dpop,
            certificates, lightweight, userInfo, ACRLevels.attribute,
        ] + Compatibility.attributes.map(\.name)

    private func isOn(_ name: String) -> Bool { values[name]?.isTrue ?? false }

    /// Whether it must push its requests (RFC 9126 §6).
    var requiresPushedRequests: Bool { isOn(Self.pushed) }

    /// Whether it gets no token without a proof of possession (RFC 9449 §5.2).
    var requiresProofs: Bool { isOn(Self.dpop) }

    /// Whether its tokens are bound to a certificate (RFC 8705).
    var bindsToCertificate: Bool { isOn(Self.certificates) }

    /// Whether its access tokens have only what they need.
    var isLightweight: Bool { isOn(Self.lightweight) }

    /// One that is not known here signs nothing.
    var userInfoAlgorithm: SignatureAlgorithm? {
        values[Self.userInfo].flatMap(SignatureAlgorithm.init(rawValue:))
    }

    var acrLevels: [String: Int64]? { ACRLevels.read(values[ACRLevels.attribute]) }

    /// What it says of what it relies on.
    var compatibility: Set<Compatibility> {
        Set(Compatibility.attributes.filter { isOn($0.name) }.map(\.rule))
    }

    /// With `##` between them; `nil` if not set.
    var postLogoutRedirectURIs: String? { values[Self.postLogout] }

    /// `typ` of its access tokens: `JWT` in Keycloak, unless it requests that of RFC 9068 §2.1.
    var accessTokenType: AccessTokenType { isOn(Self.isRFC9068) ? .atJWT : .jwt }

    var usesRefreshTokens: Bool { values[Self.refreshTokens]?.isTrue ?? true }

    /// The keys of a JWK set that are usable here; `nil` if there is none.
    var keySet: JSONValue? {
        // `try?`: a client without keys is disabled. Keys beside the address that it takes them from are
        // old.
        guard !isOn(Self.takesKeysFromURL), let text = values[Self.keys],
            let set = try? JSONValue(parsing: Array(text.utf8)),
            let keys = set.object?.array("keys")
        else { return nil }
        let usable = keys.filter { Self.isUsable([$0]) }
        guard Self.isUsable(usable) else { return nil }
        return .object(["keys": .array(usable)])
    }

    /// How many keys of its set are not usable here.
    var unusableKeys: Int {
        // `try?`: as for ``keySet``.
        guard let text = values[Self.keys], let set = try? JSONValue(parsing: Array(text.utf8)),
            let keys = set.object?.array("keys")
        else { return 0 }
        return keys.count - (keySet?.object?.array("keys")?.count ?? 0)
    }

    private static func isUsable(_ keys: [JSONValue]) -> Bool {
        // `try?`: only whether each is a key for signatures matters.
        guard let set = try? JWKSet(["keys": .array(keys)]) else { return false }
        return !set.keys.isEmpty && set.refusals.isEmpty
    }

    /// Every algorithm that the client names.
    var algorithmNames: [String] {
        [values[Self.idTokenAlgorithm], values[Self.accessTokenAlgorithm]].compactMap { $0 }
    }

    /// OpenID Connect Back-Channel Logout §2.2.
    func setBackchannelLogout(
        of client: inout Client,
        _ subject: String,
        report: inout ImportReport
    ) {
        guard let text = values[Self.backchannel], !text.isEmpty else { return }
        var candidate = client
        candidate.backchannelLogoutURI = HTTPAddress(text)
        guard candidate.hasAdmissibleBackchannelLogout else {
            report.add(
                .changed,
                subject,
                "its back-channel logout URL is not https: it is not told of logouts"
            )
            return
        }
        candidate.backchannelLogoutSessionRequired = isOn(Self.backchannelSession)
        client = candidate
    }

    /// What the realm did not require stays optional (docs/decisions/0032).
    func codeProtection(_ subject: String, report: inout ImportReport) -> CodeProtection {
        guard let method = values[Self.pkce] else { return .none }
        if method != "S256" {
            report.add(
                .changed,
                subject,
                "must use PKCE with S256; the file asks for another method"
            )
        }
        return .pkce
    }

    func idTokenAlgorithm(_ subject: String, report: inout ImportReport) -> SignatureAlgorithm? {
        algorithm(values[Self.idTokenAlgorithm], subject, report: &report)
    }

    func accessTokenAlgorithm(_ subject: String, report: inout ImportReport)
        -> SignatureAlgorithm?
    {
        algorithm(values[Self.accessTokenAlgorithm], subject, report: &report)
    }

    private func algorithm(_ name: String?, _ subject: String, report: inout ImportReport)
        -> SignatureAlgorithm?
    {
        guard let name else { return nil }
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            report.add(
                .changed,
                subject,
                "asks for an algorithm not known here; the realm's is used"
            )
            return nil
        }
        return algorithm
    }

    func lifetime(_ subject: String, report: inout ImportReport) -> Int64? {
        guard let text = values[Self.lifespan] else { return nil }
        guard let seconds = Int64(text), seconds > 0 else {
            report.add(
                .changed,
                subject,
                "its access token lifespan is no time; the realm's is used"
            )
            return nil
        }
        let bounds = Realm.Lifetimes.longestAccessToken
        let bounded = min(max(seconds, bounds.lowerBound), bounds.upperBound)
        if bounded != seconds {
            report.add(
                .changed,
                subject,
                "access tokens live \(bounded) seconds",
                "more or less is out of bounds here"
            )
        }
        return bounded
    }
}

extension Compatibility {
    /// What every client of Keycloak's may rely on.
    package static let imported: Set<Compatibility> = [
        .needlessSecret, .repeatedSecret, .unknownPrompts, .strictScope, .fragments,
        .credentials, .requestedActions, .signOutRedirect, .refreshTokenClaims, .longNames,
    ]

    /// The others, with the attributes that say so.
    static let attributes: [(name: String, rule: Compatibility)] = [
        ("exclude.issuer.from.auth.response", .noIssuer),
        ("exclude.session.state.from.auth.response", .noSessionState),
        ("token.response.type.bearer.lower-case", .lowercaseBearer),
    ]
}

/// The signature algorithms that a file's clients request: the realm needs a key for each.
enum ClientAlgorithms {
    static func named(in realm: Representation) throws(RealmImportError) -> Set<SignatureAlgorithm>
    {
        var algorithms: Set<SignatureAlgorithm> = []
        for client in try realm.children("clients") {
            let names = try ClientAttributes(client).algorithmNames
            algorithms.formUnion(names.compactMap(SignatureAlgorithm.init))
        }
        return algorithms
    }
}
