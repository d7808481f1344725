/// The `claims` parameter: individual claims requested in the ID Token or at UserInfo (OpenID
/// Connect Core §5.5).
package struct ClaimsRequest: Hashable, Sendable {
    package let idToken: [Claim]
    package let userInfo: [Claim]

    package struct Claim: Hashable, Sendable {
        package let name: String
        package let isEssential: Bool
        /// The acceptable values; empty for any value.
        package let values: [JSONValue]
    }

    /// The longest `claims` parameter that is read, in bytes.
    package static let longest = 4096

    /// - Throws: `invalid_request` if the text is not a JSON object of the form in §5.5, or longer
    ///   than ``longest``.
    package init(_ text: String) throws(OAuthError) {
        guard text.utf8.count <= Self.longest else {
            throw OAuthError(.invalidRequest, "claims is too long.")
        }
        let object: JSONObject
        do {
            object = try JSONObject(parsing: text.utf8)
        } catch {
            throw OAuthError(.invalidRequest, "claims is not a JSON object.")
        }
        idToken = try Self.claims(object["id_token"])
        userInfo = try Self.claims(object["userinfo"])
    }

    /// The subjects requested by value: only one of them may be the answer (§3.1.2.2). `nil` for
    /// any subject. A value that cannot be a `sub` matches no one.
    package var subjects: [String]? {
        for claim in idToken where claim.name == "sub" && !claim.values.isEmpty {
            return claim.values.compactMap(\.string)
        }
        return nil
    }

    /// The authentication context classes, one of which must be reached (§5.5.1.1).
    package var essentialACR: [String]? {
        for claim in idToken where claim.name == "acr" && claim.isEssential {
            let values = claim.values.compactMap(\.string)
            return values.isEmpty ? nil : values
        }
        return nil
    }

    /// A short form of the request: it keeps what the request itself is checked against (`sub` by
    /// value, an essential `acr`), and only the names of the other supported claims. Whether such a
    /// claim is essential, or has a requested value, changes nothing (§5.5.1).
    ///
    /// - Returns: JSON of the form in §5.5; `nil` if nothing is left.
    package func compact(keeping isServed: (String) -> Bool) -> String? {
        var judged = JSONObject()
        if let subjects { judged["sub"] = .object(["values": Self.values(subjects)]) }
        if let essentialACR {
            judged["acr"] = .object(["essential": true, "values": Self.values(essentialACR)])
        }
        var object = JSONObject()
        for (place, claims, first) in [
            ("id_token", idToken, judged), ("userinfo", userInfo, JSONObject()),
        ] {
            var members = first
            for claim in claims where isServed(claim.name) { members[claim.name] = .null }
            if !members.isEmpty { object[place] = .object(members) }
        }
        return object.isEmpty ? nil : String(decoding: object.serialized(), as: UTF8.self)
    }

    /// Values that are not text still count as values, which match no one.
    private static func values(_ texts: [String]) -> JSONValue {
        .array(texts.isEmpty ? [.null] : texts.map(JSONValue.string))
    }

    private static func claims(_ value: JSONValue?) throws(OAuthError) -> [Claim] {
        switch value {
        case nil, .null: return []
        case .object(let members):
            var claims: [Claim] = []
            for (name, value) in members { claims.append(try claim(name, value)) }
            return claims
        default:
            throw OAuthError(.invalidRequest, "claims has a member that is not an object.")
        }
    }

    private static func claim(_ name: String, _ value: JSONValue) throws(OAuthError) -> Claim {
        switch value {
        case .null: return Claim(name: name, isEssential: false, values: [])
        case .object(let members):
            return Claim(
                name: name,
                isEssential: members.bool("essential") ?? false,
                values: members.array("values") ?? members["value"].map { [$0] } ?? []
            )
        default:
            throw OAuthError(.invalidRequest, "claims asks for a claim in an unknown way.")
        }
    }
}
