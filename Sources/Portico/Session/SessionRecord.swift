import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// An ID Token that was verified, with its text.
struct VerifiedToken: Sendable {
    let text: SecretText
    let claims: IDTokenClaims
}

/// The stored state of a session: it survives restarts, and is shared by processes.
struct SessionRecord: KeptRecord {
    /// Identifies the sign-in, so that another sign-in is never mistaken for this one.
    let id: String
    let issuer: String
    let clientID: String
    var accessToken: SecretText
    /// What the tokens are bound to, if anything (RFC 9449 §5): one key for as long as the session
    /// lives.
    var dpopKey: DPoPKey?
    var receivedAt: Date
    /// `nil` means unknown, not for ever.
    var expiresAt: Date?
    var refreshToken: SecretText?
    var idToken: VerifiedToken
    /// The ID Token of the sign-in, which the refreshed ones must continue (OpenID Connect Core
    /// §12.2).
    let original: IDTokenClaims
    var scope: Scope
    /// What was known of the provider at the time (``KnownProvider``).
    var provider: JSONObject
    /// A refresh that has no stored answer yet.
    var pending: PendingRefresh?
    /// Whether the tokens are another session's, which this one must not end.
    var isShared = false
    /// For other apps on the device (OpenID Connect Native SSO §3.2), if the provider gave one.
    var deviceSecret: SecretText?

    /// The record of a sign-in.
    ///
    /// - Parameter provider: What may be kept of the provider.
    init(
        _ id: String,
        _ redemption: CodeFlow.Redemption,
        for client: SignInClient,
        _ provider: JSONObject
    ) {
        self.init(
            id,
            redemption.tokens,
            VerifiedToken(text: redemption.idTokenText, claims: redemption.idToken.claims),
            for: client,
            provider,
            receivedAt: redemption.receivedAt
        )
        dpopKey = redemption.key
    }

    init(
        _ id: String,
        _ answer: TokenResponse,
        _ idToken: VerifiedToken,
        for client: SignInClient,
        _ provider: JSONObject,
        receivedAt: Date
    ) {
        self.id = id
        issuer = client.issuer
        clientID = client.clientID
        accessToken = answer.accessToken
        refreshToken = answer.refreshToken
        deviceSecret = answer.deviceSecret
        self.idToken = idToken
        original = idToken.claims
        // Omitted if it equals the requested scope (RFC 6749 §5.1).
        scope = answer.scope ?? Scope(tokens: client.scopes.map(\.text))
        self.provider = provider
        self.receivedAt = receivedAt
        expiresAt = answer.expiresIn.map { receivedAt.addingTimeInterval(Double($0)) }
    }

    /// The access token, as requests carry it.
    var sentToken: SentToken { SentToken(accessToken, boundTo: dpopKey) }

    /// The record after a refresh: values missing from the answer are kept (RFC 6749 §6).
    func refreshed(
        with answer: TokenResponse,
        idToken: VerifiedToken?,
        provider: JSONObject,
        receivedAt: Date
    ) -> SessionRecord {
        var record = self
        record.provider = provider
        record.accessToken = answer.accessToken
        record.receivedAt = receivedAt
        record.expiresAt = answer.expiresIn.map { receivedAt.addingTimeInterval(Double($0)) }
        if let token = answer.refreshToken { record.refreshToken = token }
        if let idToken { record.idToken = idToken }
        if let scope = answer.scope { record.scope = scope }
        // It belongs to the ID Token beside it (OpenID Connect Native SSO §3.4.1).
        if idToken != nil { record.deviceSecret = answer.deviceSecret }
        record.pending = nil
        return record
    }

    init(
        id: String,
        issuer: String,
        clientID: String,
        accessToken: SecretText,
        receivedAt: Date,
        expiresAt: Date?,
        refreshToken: SecretText?,
        idToken: VerifiedToken,
        original: IDTokenClaims,
        scope: Scope,
        provider: JSONObject,
        pending: PendingRefresh?
    ) {
        self.provider = provider
        self.id = id
        self.issuer = issuer
        self.clientID = clientID
        self.accessToken = accessToken
        self.receivedAt = receivedAt
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.original = original
        self.scope = scope
        self.pending = pending
    }
}

/// The storage format of a record. `serialized` marks the calls where tokens leave their wrapper.
extension SessionRecord {
    /// Version 2 has a key: to an earlier library its tokens would be Bearer tokens.
    static let version: Int64 = 2

    func serialized() -> [UInt8] {
        var json: JSONObject = [
            "version": .integer(dpopKey == nil ? 1 : Self.version),
            "id": .string(id),
            "issuer": .string(issuer),
            "client_id": .string(clientID),
            "access_token": .string(accessToken.reveal()),
            "received_at": NumericDate.value(receivedAt),
            "id_token": .string(idToken.text.reveal()),
            "original": .object(original.json),
            "scope": .string(scope.text),
        ]
        if let expiresAt { json["expires_at"] = NumericDate.value(expiresAt) }
        if let refreshToken { json["refresh_token"] = .string(refreshToken.reveal()) }
        if !provider.isEmpty { json["provider"] = .object(provider) }
        dpopKey?.keep(in: &json)
        if let deviceSecret { json["device_secret"] = .string(deviceSecret.reveal()) }
        if isShared { json["shared"] = true }
        if let pending {
            json["pending_refresh"] = .object(pending.json)
        }
        return json.serialized()
    }

    init?(_ bytes: [UInt8]) {
        // The claims of an ID Token stand one level deeper than in the token.
        let limits = JSONLimits(size: 1 << 20, depth: 40)
        // `try?`: every kind of damage has the same outcome. The storage sets the size limit.
        guard let json = try? JSONObject(parsing: bytes, limits: limits),
            let version = json.int64("version"), 1...Self.version ~= version,
            let id = json.string("id"), let issuer = json.string("issuer"),
            let clientID = json.string("client_id"),
            let accessToken = json.string("access_token"),
            let receivedAt = json["received_at"].flatMap(NumericDate.date),
            let idToken = json.string("id_token"),
            // Verified before it was stored, in a place that only this user can write to.
            let claims = try? JWT(parsing: idToken, limit: 1 << 20).uncheckedClaims(),
            let idTokenClaims = try? IDTokenClaims(claims),
            let original = try? json.object("original").map(IDTokenClaims.init),
            let scope = try? json.string("scope").map(Scope.init)
        else { return nil }
        self.init(
            id: id,
            issuer: issuer,
            clientID: clientID,
            accessToken: SecretText(accessToken),
            receivedAt: receivedAt,
            expiresAt: json["expires_at"].flatMap(NumericDate.date),
            refreshToken: json.string("refresh_token").map(SecretText.init),
            idToken: VerifiedToken(text: SecretText(idToken), claims: idTokenClaims),
            original: original,
            scope: scope,
            provider: json.object("provider") ?? [:],
            pending: json.object("pending_refresh").flatMap(PendingRefresh.init)
        )
        do {
            dpopKey = try DPoPKey(in: json)
        } catch {
            return nil
        }
        guard version == 1 || dpopKey != nil else { return nil }
        isShared = json.bool("shared") ?? false
        deviceSecret = json.string("device_secret").map(SecretText.init)
    }
}

extension DPoPKey {
    private static let member = "dpop_key"

    /// Puts the private key into a record.
    func keep(in json: inout JSONObject) {
        json[Self.member] = .string(Base64URL.encode(revealStored()))
    }

    /// The key in a record; `nil` if it has none.
    init?(in json: JSONObject) throws(JWKError) {
        guard let text = json.string(Self.member) else { return nil }
        try self.init(stored: Base64URL.decode(text) ?? [])
    }
}

extension PendingRefresh {
    var json: JSONObject {
        ["idempotency_key": .string(idempotencyKey), "token_hash": .string(tokenHash)]
    }

    init?(_ json: JSONObject) {
        guard let key = json.string("idempotency_key"), let hash = json.string("token_hash") else {
            return nil
        }
        self.init(idempotencyKey: key, tokenHash: hash)
    }
}
