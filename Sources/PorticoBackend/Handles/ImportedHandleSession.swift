import PorticoATProtocol
import PorticoBytes
import PorticoProtocol

/// A session by handle as another system kept it: one line of JSON (docs/decisions/0066).
///
/// | Here | In the library that apps move here from | |
/// |---|---|---|
/// | `did` | `did` | |
/// | `host` | `pdsUrl` | an origin |
/// | `issuer` | – | an origin; missing: the host is asked |
/// | `client_id` | – | missing: our own |
/// | `scope` | – | missing: what we ask for |
/// | `access_token` | `accessToken` | may be missing |
/// | `refresh_token` | `refreshToken` | |
/// | `dpop_key` | `dpopPrivateKeyJWK` | a JWK, ES256 |
/// | `expires_at` | `tokenExpiresAt` | of the access token: in seconds, there in milliseconds |
/// | `created_at` | – | in seconds |
struct ImportedHandleSession: Sendable {
    let did: DID
    let host: ServerOrigin
    let issuer: ServerOrigin?
    let clientID: String?
    let scope: Scope?
    let tokens: HandleTokenVault.Tokens
    let accessExpiresAt: Int64?
    let createdAt: Int64?
    /// The same for the same DID: its seals name no session, so those of an ended session would open
    /// another one.
    let mark: Hash256

    /// In bytes.
    static let longest = 64 * 1024
    private static let longestToken = JWS.standardLimit

    init(parsing line: [UInt8], _ rules: IdentityRules) throws(HandleSessionImport.Refusal) {
        guard line.count <= Self.longest else { throw .tooLong }
        let json: JSONObject
        do {
            json = try JSONObject(parsing: line, limits: .foreign(size: Self.longest, depth: 16))
        } catch {
            throw .notJSON
        }
        let names = json["pdsUrl"] == nil ? Names.ours : Names.theirs
        do {
            did = try DID(json.string("did") ?? "", rules)
        } catch {
            throw .did
        }
        host = try Self.origin(json.string(names.host) ?? "", rules, .host)
        issuer = try json[names.issuer].map { value throws(HandleSessionImport.Refusal) in
            try Self.origin(value.string ?? "", rules, .issuer)
        }
        guard json[names.clientKey] == nil else { throw .clientKey }
        clientID = try json[names.clientID].map { value throws(HandleSessionImport.Refusal) in
            guard let text = value.string else { throw .client }
            return text
        }
        scope = try json[names.scope].map { value throws(HandleSessionImport.Refusal) in
            // `try?`: one that is malformed is refused.
            guard let scope = try? Scope(value.string ?? ""), scope.contains("atproto") else {
                throw .scope
            }
            return scope
        }
        guard let refresh = try Self.token(json[names.refresh], .refreshToken) else {
            throw .refreshToken
        }
        tokens = HandleTokenVault.Tokens(
            access: try Self.token(json[names.access], .accessToken),
            refresh: refresh,
            key: try Self.key(json.object(names.key))
        )
        accessExpiresAt = try Self.time(json[names.expiresAt]).map { $0 / names.unitsOfExpiry }
        createdAt = try Self.time(json[names.createdAt])
        mark = Hash256(of: "imported session \(did.text)")
    }

    private struct Names {
        var (host, issuer, clientID, clientKey) = ("host", "issuer", "client_id", "client_key")
        var (scope, createdAt, expiresAt) = ("scope", "created_at", "expires_at")
        var (access, refresh, key) = ("access_token", "refresh_token", "dpop_key")
        /// In a second.
        var unitsOfExpiry: Int64 = 1

        static let ours = Names()
        static let theirs = {
            var names = Names()
            names.host = "pdsUrl"
            (names.access, names.refresh) = ("accessToken", "refreshToken")
            (names.key, names.expiresAt) = ("dpopPrivateKeyJWK", "tokenExpiresAt")
            names.unitsOfExpiry = 1000
            return names
        }()
    }

    /// A slash at the end is nothing more.
    private static func origin(
        _ text: String,
        _ rules: IdentityRules,
        _ refusal: HandleSessionImport.Refusal
    ) throws(HandleSessionImport.Refusal) -> ServerOrigin {
        let isSlash = text.utf8.last == UInt8(ascii: "/")
        do {
            return try ServerOrigin(isSlash ? String(text.dropLast()) : text, rules)
        } catch {
            throw refusal
        }
    }

    /// Visible ASCII. An empty text, or `null`, is none.
    private static func token(_ value: JSONValue?, _ refusal: HandleSessionImport.Refusal)
        throws(HandleSessionImport.Refusal) -> SecretText?
    {
        guard let value, value != .null else { return nil }
        guard let text = value.string, text.utf8.count <= longestToken,
            text.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { throw refusal }
        return text.isEmpty ? nil : SecretText(text)
    }

    /// The private key. If its public half is present, it must match.
    private static func key(_ jwk: JSONObject?) throws(HandleSessionImport.Refusal) -> DPoPKey {
        guard let jwk, sameBytes(jwk.string("kty") ?? "", "EC"),
            sameBytes(jwk.string("crv") ?? "", "P-256"),
            let scalar = Base64URL.decode(jwk.string("d") ?? ""), scalar.count == 32
        else { throw .key }
        let key: DPoPKey
        do {
            key = try DPoPKey(stored: scalar)
        } catch {
            throw .key
        }
        let own = key.jwk.object
        for name in ["x", "y"] where jwk[name] != nil {
            guard jwk[name] == own[name] else { throw .key }
        }
        return key
    }

    private static func time(_ value: JSONValue?) throws(HandleSessionImport.Refusal) -> Int64? {
        guard let value, value != .null else { return nil }
        guard let time = value.int64, 0...(1 << 50) ~= time else { throw .time }
        return time
    }
}
