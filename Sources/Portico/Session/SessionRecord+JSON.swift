import PorticoBytes
import PorticoProtocol
import PorticoSystem

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
        [
            "idempotency_key": .string(idempotencyKey),
            "token_hash": .string(tokenHash),
        ]
    }

    init?(_ json: JSONObject) {
        guard let key = json.string("idempotency_key"), let hash = json.string("token_hash") else {
            return nil
        }
        self.init(idempotencyKey: key, tokenHash: hash)
    }
}
