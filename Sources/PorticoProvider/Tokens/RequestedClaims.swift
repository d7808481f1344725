import PorticoProtocol

/// The single claims that a request gets in its tokens (OpenID Connect Core §5.5): of the `claims`
/// parameter, however long, two selections of standard claims.
struct RequestedClaims: Hashable, Sendable {
    var idToken: StandardClaims.Selection
    var userInfo: StandardClaims.Selection

    /// - Parameter mayHave: Whether the client may have a claim.
    init(_ request: ClaimsRequest?, where mayHave: (String) -> Bool) {
        idToken = .init((request?.idToken ?? []).map(\.name).filter(mayHave))
        userInfo = .init((request?.userInfo ?? []).map(\.name).filter(mayHave))
    }

    init(idToken: StandardClaims.Selection, userInfo: StandardClaims.Selection) {
        self.idToken = idToken
        self.userInfo = userInfo
    }

    /// As a grant keeps it: JSON of the shape of §5.5; `nil` where there is none.
    var json: String? {
        var object = JSONObject()
        for (place, selection) in [("id_token", idToken), ("userinfo", userInfo)] {
            guard !selection.isEmpty else { continue }
            var members = JSONObject()
            for name in selection.names { members[name] = .null }
            object[place] = .object(members)
        }
        return object.isEmpty ? nil : String(decoding: object.serialized(), as: UTF8.self)
    }
}
