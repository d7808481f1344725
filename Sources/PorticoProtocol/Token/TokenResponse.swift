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

    /// Why an answer is none, with the member that is to blame, which `==` does not compare.
    package struct Refusal: Error, Hashable, Sendable {
        private let isOfType: Bool
        /// The name of the member, if it is one.
        package let member: StaticString?

        package static let malformed = Refusal(isOfType: false, member: nil)
        /// A token type that is not supported (RFC 6749 §7.1).
        package static let unknownTokenType = Refusal(isOfType: true, member: "token_type")

        package static func malformed(_ member: StaticString) -> Refusal {
            Refusal(isOfType: false, member: member)
        }

        package static func == (one: Refusal, other: Refusal) -> Bool {
            one.isOfType == other.isOfType
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(isOfType)
        }
    }

    /// The longest accepted life of an access token: ten years.
    private static let longestLife: Int64 = 10 * 366 * 86_400

    /// - Parameter type: The token type, in lower case.
    /// - Throws: malformed if there is an error, a token or its type is missing or has another type or
    ///   character, a name occurs twice, or the text is not UTF-8; unknownTokenType. Unknown members
    ///   are ignored, and so is what a member is that nothing needs.
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
            !hasError(json)
        else { return nil }
        return try? refreshToken(json)
    }

    /// - Parameters:
    ///   - name: The member with the token for calling servers.
    ///   - supported: The token type, in lower case.
    /// - Throws: As ``init(parsing:type:)``.
    package init(
        _ json: JSONObject,
        token name: StaticString,
        type supported: String = "bearer"
    ) throws(Refusal) {
        // An error with status 200 is not a success, whatever else it holds.
        guard !Self.hasError(json) else { throw .malformed("error") }
        guard let accessToken = try Self.token(name, json) else { throw .malformed(name) }
        guard let type = json.string("token_type") else { throw .malformed("token_type") }
        // Case-insensitive (RFC 6749 §5.1).
        guard type.lowercased() == supported else { throw .unknownTokenType }
        self.accessToken = accessToken
        refreshToken = try Self.refreshToken(json)
        idToken = try Self.token("id_token", json)
        deviceSecret = try Self.token("device_secret", json)
        expiresIn = Self.seconds(json["expires_in"])
        scope = Self.scope(json["scope"])
    }

    /// Some programs write the member also where there is no error.
    private static func hasError(_ json: JSONObject) -> Bool {
        guard let error = json.present("error") else { return false }
        return error != "" && error != false
    }

    /// What is no text, or an empty one, counts as missing.
    private static func text(_ name: StaticString, _ json: JSONObject) -> String? {
        json.string("\(name)").flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func token(_ name: StaticString, _ json: JSONObject) throws(Refusal)
        -> SecretText?
    {
        guard let text = text(name, json) else { return nil }
        // Visible ASCII: it is sent in a header field (RFC 6750 §2.1).
        guard text.utf8.allSatisfy({ $0.isVisible }) else { throw .malformed(name) }
        return SecretText(text)
    }

    /// A refresh token is sent in forms only, so it may have spaces (RFC 6749 appendix A.17).
    private static func refreshToken(_ json: JSONObject) throws(Refusal) -> SecretText? {
        guard let text = text("refresh_token", json) else { return nil }
        guard text.utf8.allSatisfy({ $0.isVisible || $0 == UInt8(ascii: " ") }) else {
            throw .malformed("refresh_token")
        }
        return SecretText(text)
    }

    /// A number, with or without a fraction, or numeric text, as lax servers send it. Anything else is
    /// an unknown life.
    private static func seconds(_ value: JSONValue?) -> Int64? {
        let seconds: Int64
        switch value {
        case .integer(let integer)?: seconds = integer
        case .number(let number)?:
            // Limited first: converting a value that does not fit would trap.
            seconds = Int64(min(max(number, -1), Double(longestLife)))
        case .string(let text)? where text.utf8.count <= 18:
            guard let integer = Int64(text) else { return nil }
            seconds = integer
        default: return nil
        }
        return seconds < 0 ? nil : min(seconds, longestLife)
    }

    /// An invalid scope counts as missing: it is information for the app, and no check depends on
    /// it.
    private static func scope(_ value: JSONValue?) -> Scope? {
        // `try?` for the same reason.
        value?.string.flatMap { try? Scope($0) }
    }
}
