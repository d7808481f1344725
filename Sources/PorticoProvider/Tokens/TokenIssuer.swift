import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
package import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// Makes the answer of the token endpoint from a grant (RFC 6749 §5.1, OpenID Connect Core
/// §3.1.3.3), with the members that clients read besides.
struct TokenIssuer: Sendable {
    let ring: KeyRing

    /// Grants call it before they spend or write anything: what cannot be issued loses the client
    /// nothing.
    ///
    /// - Parameters:
    ///   - nonce: The request's; `nil` on refresh (OpenID Connect Core §12.2).
    ///   - generation: The refresh token to return; `nil` for none.
    func issue(_ subject: TokenSubject, nonce: String?, generation: UInt32?, at moment: Moment)
        async throws -> TokenAnswer
    {
        let realm = subject.realm
        guard let key = realm.accessTokenKey(for: subject.client, at: moment.seconds),
            let idTokenKey = realm.idTokenKey(for: subject.client, at: moment.seconds)
        else { throw OAuthError(.serverError, "The realm has no active key of this algorithm.") }
        let claims = try await TokenClaims(subject: subject, now: moment.seconds)
        let id = AccessTokenID(grantID: subject.grant.id, random: moment.random)
        let accessToken = try sign(
            .accessToken,
            claims.accessToken(id: id, nonce: nonce),
            by: key,
            type: subject.tokenType,
            of: claims.view
        )
        var idToken: String?
        var deviceSecret: String?
        if subject.scope.contains("openid"), subject.person != nil {
            deviceSecret = self.deviceSecret(of: subject, at: moment)
            let hash = idTokenKey.algorithm.leftHalfHash(of: accessToken)
            let requested = try requestedClaims(subject.grant)
            var content = claims.idToken(nonce: nonce, accessTokenHash: hash, requested: requested)
            content["ds_hash"] = deviceSecret.map { .string(DeviceSecret.hash(of: $0)) }
            idToken = try sign(.idToken, content, by: idTokenKey, type: .jwt, of: claims.view)
        }
        return TokenAnswer(
            accessToken: accessToken,
            expiresIn: subject.lifetime,
            refreshToken: generation.flatMap {
                RefreshToken(of: subject.grant, generation: $0, ring: ring)
            }.map { token in
                guard subject.client.compatibility.contains(.refreshTokenClaims) else {
                    return token.text
                }
                let nonce = claims.view.repeatsNonce ? nonce : nil
                return RefreshTokenClaims.text(token, of: subject.grant, nonce: nonce)
            },
            refreshExpiresIn: refreshExpiresIn(subject, at: moment.seconds),
            idToken: idToken,
            deviceSecret: deviceSecret,
            // Adapters of before take the highest that they have seen for every person's.
            notBefore: subject.client.tokenForm == .standard
                ? max(realm.realm.notBefore, subject.person?.person.notBefore ?? 0)
                : realm.realm.notBefore,
            sessionState: subject.grant.sessionID,
            scope: claims.scopeText,
            // RFC 9449 §5.
            tokenType: subject.dpopKey == nil
                ? claims.tokenType : TokenClaims.boundTokenKind,
            // AT Protocol, OAuth: who has signed in stands beside the token, which no client reads.
            more: subject.did.map { ["sub": .string($0)] }
                ?? claims.tokenResponse
        )
    }

    /// - Throws: ``TokenTooLong`` for what would not be taken back.
    private func sign(
        _ kind: TokenTooLong.Token,
        _ claims: JSONObject,
        by key: SigningKey,
        type: JWTType,
        of view: TokenView
    ) throws -> String {
        let token = try key.sign(claims: claims, type: type)
        guard Self.isTakenBack(token) else {
            throw TokenTooLong(kind, token.utf8.count, claims, writtenBy: view.mappers)
        }
        return token
    }

    /// Whether it, and its claims, are within the limits of all that read them. Nearly every token is too
    /// short for such a text, or for so many members, and is not read.
    private static func isTakenBack(_ token: String) -> Bool {
        // `try?`: why is for ``TokenTooLong`` to find out.
        token.utf8.count <= JSONLimits.longestClaim
            || (try? JWT(parsing: token).uncheckedClaims()) != nil
    }

    /// A new one with each ID Token (OpenID Connect Native SSO §3.4); the former ones stay good.
    private func deviceSecret(of subject: TokenSubject, at moment: Moment) -> String? {
        guard subject.scope.contains(StandardScopes.deviceSSO),
            let sessionID = subject.grant.sessionID
        else { return nil }
        return DeviceSecretSeal(ring: ring, realmID: subject.realm.id).seal(
            DeviceSecret(grantID: subject.grant.id, sessionID: sessionID),
            at: moment
        )
    }

    /// When an unused refresh token expires, in seconds from now.
    private func refreshExpiresIn(_ subject: TokenSubject, at now: Int64) -> Int64 {
        let idle = subject.grant.idleSeconds
        guard let end = subject.grant.expiresAt else { return idle }
        return max(0, min(idle, end - now))
    }

    private func requestedClaims(_ grant: Grant) throws -> ClaimsRequest? {
        try grant.claims.map { text in try ClaimsRequest(text) }
    }
}

/// The members of a token response, in the order they are sent.
package struct TokenAnswer: Sendable {
    let accessToken: String
    let expiresIn: Int64
    let refreshToken: String?
    let refreshExpiresIn: Int64
    let idToken: String?
    let deviceSecret: String?
    let notBefore: Int64
    let sessionState: String?
    let scope: String
    let tokenType: String
    /// What mappers add.
    let more: JSONObject

    package var json: JSONObject {
        var json: JSONObject = [
            "access_token": .string(accessToken),
            "expires_in": .integer(expiresIn),
            "refresh_expires_in": .integer(refreshToken == nil ? 0 : refreshExpiresIn),
        ]
        if let refreshToken { json["refresh_token"] = .string(refreshToken) }
        json["token_type"] = .string(tokenType)
        if let idToken { json["id_token"] = .string(idToken) }
        if let deviceSecret { json["device_secret"] = .string(deviceSecret) }
        json["not-before-policy"] = .integer(notBefore)
        if let sessionState { json["session_state"] = .string(sessionState) }
        json["scope"] = .string(scope)
        for (name, value) in more { json[name] = value }
        return json
    }
}

/// A token that would be longer than any that is taken back, or has a claim that would be, so that
/// it is not issued (docs/decisions/0102).
struct TokenTooLong: Refusal {
    enum Token: String, Sendable {
        case accessToken = "access_token"
        case idToken = "id_token"
    }

    let token: Token
    /// How long it would be, in bytes.
    let bytes: Int
    /// The claim that is too long by itself, or that most of it is.
    let claim: String
    /// The name of the mapper that writes that claim.
    let mapper: String?

    init(_ token: Token, _ bytes: Int, _ claims: JSONObject, writtenBy mappers: [ClaimMapper]) {
        self.token = token
        self.bytes = bytes
        let texts = claims.map { (name: $0.0, json: $0.1.serialized()) }
        let beyond = texts.first { text in
            // `try?`: only whether it can be read.
            (try? JSONValue(parsing: text.json, limits: .claims(size: text.json.count))) == nil
        }
        claim = (beyond ?? texts.max { $0.json.count < $1.json.count })?.name ?? ""
        let root = claim
        mapper =
            mappers.first { $0.claim.map { sameBytes($0.root, root) } ?? false }?.name
    }

    private var error: OAuthError {
        OAuthError(
            .serverError,
            "A token would be longer than 32 KiB, or have a text too long to be read; the server's log names the claim."
        )
    }

    var name: String { error.code.rawValue }
    var status: HTTPResponse.Status { error.status }
    var issue: ErrorPage.Issue { .serverError }
    var reason: String? { error.description }
    var json: JSONValue? { error.json }

    func fields(realm: String) -> HTTPFields { error.fields(realm: realm) }
}
