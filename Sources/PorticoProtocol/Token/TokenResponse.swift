import HTTPTypes
package import PorticoBytes

/// A successful answer of the token endpoint, as a client reads it (RFC 6749 §5.1).
package struct TokenResponse: Sendable {
    package let accessToken: SecretText
    package let refreshToken: SecretText?
    package let idToken: SecretText?
    /// `device_secret` (OpenID Connect Native SSO §3.4), if any.
    package let deviceSecret: SecretText?
    /// Seconds from the answer on; `nil` means unknown, not forever.
    package let expiresIn: Int64?
    /// `nil` if the scope is the requested one (RFC 6749 §5.1).
    package let scope: Scope?

    package enum Refusal: Error, Hashable, Sendable {
        case malformed
        /// A token type that is not supported (RFC 6749 §7.1).
        case unknownTokenType
    }

    /// The longest accepted life of an access token: ten years.
    private static let longestLife: Int64 = 10 * 366 * 86_400

    /// - Parameter type: The token type, in lower case.
    /// - Throws: malformed if a required member is missing, a member has a wrong type, a name
    ///   occurs twice, or the text is not UTF-8; unknownTokenType. Unknown members are ignored.
    package init(parsing body: [UInt8], type: String = "bearer") throws(Refusal) {
        let json: JSONObject
        do {
            json = try JSONObject(parsing: body, limits: .foreign(size: 256 * 1024))
        } catch {
            throw .malformed
        }
        try self.init(json, token: "access_token", type: type)
    }

    /// The refresh token of an answer that is wrong otherwise: the one before it may be spent.
    package static func refreshToken(in body: [UInt8]) -> SecretText? {
        // `try?`: what is no JSON, or no token, has none.
        guard
            let json = try? JSONObject(parsing: body, limits: .foreign(size: 256 * 1024)),
            json["error"] == nil
        else { return nil }
        return try? token("refresh_token", json)
    }

    /// - Parameters:
    ///   - name: The member with the token for calling servers.
    ///   - supported: The token type, in lower case.
    /// - Throws: As ``init(parsing:type:)``.
    package init(_ json: JSONObject, token name: String, type supported: String = "bearer")
        throws(Refusal)
    {
        // An error with status 200 is not a success, whatever else it holds.
        guard json["error"] == nil else { throw .malformed }
        guard let accessToken = try Self.token(name, json),
            let type = json.string("token_type")
        else { throw .malformed }
        // Case-insensitive (RFC 6749 §5.1).
        guard type.lowercased() == supported else { throw .unknownTokenType }
        self.accessToken = accessToken
        refreshToken = try Self.token("refresh_token", json)
        idToken = try Self.token("id_token", json)
        deviceSecret = try Self.token("device_secret", json)
        expiresIn = try Self.seconds(json["expires_in"])
        scope = Self.scope(json["scope"])
    }

    /// `null` counts as missing.
    private static func token(_ name: String, _ json: JSONObject) throws(Refusal) -> SecretText? {
        switch json[name] {
        case nil, .null?: return nil
        case .string(let text)?:
            // Visible ASCII (RFC 6749 appendix A.12): it is sent in a header field.
            guard !text.isEmpty, text.utf8.allSatisfy({ $0.isVisible }) else {
                throw .malformed
            }
            return SecretText(text)
        default: throw .malformed
        }
    }

    /// A number, with or without a fraction, or numeric text, as lax servers send it.
    private static func seconds(_ value: JSONValue?) throws(Refusal) -> Int64? {
        let seconds: Int64
        switch value {
        case nil, .null?: return nil
        case .integer(let integer)?: seconds = integer
        case .number(let number)?:
            // Limited first: converting a value that does not fit would trap.
            seconds = Int64(min(max(number, -1), Double(longestLife)))
        case .string(let text)?:
            guard text.utf8.count <= 18, let integer = Int64(text) else { throw .malformed }
            seconds = integer
        default: throw .malformed
        }
        guard seconds >= 0 else { throw .malformed }
        return min(seconds, longestLife)
    }

    /// An invalid scope counts as missing: it is information for the app, and no check depends on
    /// it.
    private static func scope(_ value: JSONValue?) -> Scope? {
        // `try?` for the same reason.
        value?.string.flatMap { try? Scope($0) }
    }
}
