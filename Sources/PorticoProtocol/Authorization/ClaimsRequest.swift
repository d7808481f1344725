/// The `claims` parameter: single claims asked for in the ID Token or at UserInfo
/// (OpenID Connect Core §5.5).
package struct ClaimsRequest: Hashable, Sendable {
    package let idToken: [Claim]
    package let userInfo: [Claim]

    package struct Claim: Hashable, Sendable {
        package let name: String
        package let isEssential: Bool
        /// The values that would do; empty: any.
        package let values: [JSONValue]
    }

    /// The longest `claims` parameter that is read, in bytes.
    package static let longest = 4096

    /// - Throws: `invalid_request` where the text is not a JSON object of the shape of §5.5, or longer
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

    /// The subjects asked for by value: a positive answer is given for one of them only (§3.1.2.2).
    /// `nil`: whoever it is. Values that nobody's `sub` can be are nobody.
    package var subjects: [String]? {
        for claim in idToken where claim.name == "sub" && !claim.values.isEmpty {
            return claim.values.compactMap(\.string)
        }
        return nil
    }

    /// The authentication context classes of which one must be reached (§5.5.1.1).
    package var essentialACR: [String]? {
        for claim in idToken where claim.name == "acr" && claim.isEssential {
            let values = claim.values.compactMap(\.string)
            return values.isEmpty ? nil : values
        }
        return nil
    }

    /// The same request in few bytes: what the request itself is judged by (`sub` by value, an essential
    /// `acr`), and of claims that are served the name. Whether one of these is essential, or which value
    /// is hoped for, changes nothing (§5.5.1).
    ///
    /// - Returns: JSON of the shape of §5.5; `nil` where nothing is left.
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

    /// Values that are all no text are still values: nobody's.
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
