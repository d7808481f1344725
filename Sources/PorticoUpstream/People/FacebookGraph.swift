import Crypto
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// Facebook's Graph API, as far as signing in needs it (PRV-F-1, PRV-F-3, PRV-F-4).
struct FacebookGraph: Sendable {
    /// Includes the version.
    let base: String
    let appID: String
    let appSecret: SecretText
    let http: ProviderHTTP

    private static let limits = HTTPLimits(bytes: 64 * 1024, seconds: 10)

    /// The profile, as claims. `email` may be missing (PRV-F-5).
    func profile(with token: SecretText) async throws(SignInError) -> JSONObject {
        let me = try await get(
            "/me",
            [("fields", "id,name,email,picture"), ("appsecret_proof", proof(of: token))],
            authorizedBy: token
        )
        guard let id = me.string("id"), (1...255).contains(id.utf8.count) else {
            throw SignInError(.rejected(.profile))
        }
        var claims: JSONObject = ["sub": .string(id)]
        for name in ["name", "email"] { claims[name] = me[name] }
        claims["picture"] = me.object("picture")?.object("data")?["url"]
        return claims
    }

    /// Checks that a token from a client was made for this app, and identifies its owner (PRV-F-4).
    ///
    /// - Returns: The user's id, and when the token expires, in seconds since 1970; `nil` if it
    ///   does not.
    func owner(of token: SecretText, at now: Date) async throws(SignInError)
        -> (id: String, until: Int64?)
    {
        let answer = try await get(
            "/debug_token",
            [
                ("input_token", token.reveal()),
                // The app's own token; Facebook documents it as a parameter.
                ("access_token", "\(appID)|\(appSecret.reveal())"),
            ],
            authorizedBy: nil
        )
        guard let token = answer.object("data"), token["is_valid"] == true,
            let owner = token.string("user_id"), !owner.isEmpty
        else { throw SignInError(.rejected(.accessToken)) }
        // Another app's token is not a sign-in with this app: token substitution.
        guard let app = token.string("app_id"), sameBytes(app, appID) else {
            throw SignInError(.rejected(.nativeToken))
        }
        // Zero: it does not expire.
        let named: JSONValue = token.present("expires_at") ?? 0
        guard let expiresAt = named.int64,
            expiresAt == 0 || expiresAt > NumericDate.seconds(now)
        else { throw SignInError(.rejected(.accessToken)) }
        return (owner, expiresAt == 0 ? nil : expiresAt)
    }

    /// Lower-case hexadecimal HMAC-SHA-256 of the token, keyed by the app secret (PRV-F-3).
    private func proof(of token: SecretText) -> String {
        let key = SymmetricKey(data: Array(appSecret.reveal().utf8))
        return Hexadecimal.text(
            HMAC<SHA256>.authenticationCode(for: Array(token.reveal().utf8), using: key)
        )
    }

    /// A person's token is sent in the header field, not in the URL.
    private func get(
        _ path: String,
        _ parameters: [(name: String, value: String)],
        authorizedBy token: SecretText?
    ) async throws(SignInError) -> JSONObject {
        let reply = try await http.get(
            FormEncoding.appending(parameters, to: base + path),
            fields: token.map { [.authorization: "Bearer \($0.reveal())"] } ?? [:],
            limits: Self.limits,
            check: .profile
        )
        guard reply.response.status == .ok else {
            switch GraphError.tokenError(reply) {
            case let error? where error.code == .invalidGrant:
                throw SignInError(.rejected(.accessToken))
            case let error?: throw SignInError(error)
            case nil: throw http.failure(of: reply)
            }
        }
        do {
            return try JSONObject(parsing: reply.body)
        } catch {
            throw SignInError(.rejected(.profile))
        }
    }
}

/// An error of the Graph API: `{"error": {"code": 190, …}}` (PRV-F-16). Its text is not read.
enum GraphError {
    static func tokenError(_ reply: HTTPReply) -> ErrorResponse? {
        // `try?`: a body that is not JSON is not such an error.
        guard (400...599).contains(reply.response.status.code),
            let json = try? JSONObject(parsing: reply.body),
            let code = json.object("error")?["code"]?.int64
        else { return nil }
        let meaning: OAuthError.Code =
            switch code {
            // An expired or used code, and a token that is no longer valid.
            case 100, 102, 190, 2500: .invalidGrant
            case 1, 101: .invalidClient
            case 4, 17, 32, 613: OAuthError.Code(rawValue: "slow_down")
            case 2: .temporarilyUnavailable
            default: .invalidRequest
            }
        return ErrorResponse(meaning)
    }
}
