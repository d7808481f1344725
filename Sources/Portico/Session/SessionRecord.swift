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
