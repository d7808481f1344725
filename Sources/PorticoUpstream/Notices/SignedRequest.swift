import Crypto
import Portico
import PorticoBytes
import PorticoProtocol

/// Facebook's notice that a person removed the app, or requests deletion of their data: a payload
/// with an HMAC by the app secret (PRV-F-14).
package struct SignedRequest: Hashable, Sendable {
    /// The app-scoped id: the subject of the identity.
    package let userID: String
    /// Seconds since 1970.
    package let issuedAt: Int64?

    package enum Refusal: Error, Hashable, Sendable {
        case malformed
        /// Not HMAC-SHA-256.
        case algorithm
        case signature
        /// No app secret is configured.
        case notConfigured
        /// It was issued to a person who signed in, and does not request deletion.
        case ofSignIn
    }

    init(_ text: String, appSecret: SecretText) throws(Refusal) {
        guard text.utf8.count <= 16 * 1024 else { throw .malformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let signature = Base64URL.decode(parts[0].utf8),
            let payload = Base64URL.decode(parts[1].utf8)
        else { throw .malformed }
        // Before anything of the payload is read; the signature covers its text.
        let key = SymmetricKey(data: Array(appSecret.reveal().utf8))
        let own = HMAC<SHA256>.authenticationCode(for: Array(parts[1].utf8), using: key)
        guard ConstantTime.equal(signature, Array(own)) else { throw .signature }
        let json: JSONObject
        do {
            json = try JSONObject(parsing: payload)
        } catch {
            throw .malformed
        }
        guard json.string("algorithm")?.uppercased() == "HMAC-SHA256" else { throw .algorithm }
        // A browser gets a request signed with the same secret at each sign-in.
        guard json["code"] == nil, json["oauth_token"] == nil else { throw .ofSignIn }
        guard let userID = json.string("user_id"), (1...255).contains(userID.utf8.count) else {
            throw .malformed
        }
        self.userID = userID
        issuedAt = json["issued_at"]?.int64
    }
}

extension UpstreamClient {
    /// Verifies a `signed_request` of a deauthorization or data deletion callback.
    package func verifySignedRequest(_ text: String) throws(SignedRequest.Refusal)
        -> SignedRequest
    {
        guard provider.graph != nil, case .text(let appSecret)? = secret else {
            throw .notConfigured
        }
        return try SignedRequest(text, appSecret: appSecret)
    }
}
