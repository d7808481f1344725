import PorticoAdministration
import PorticoProtocol

/// The individual claims that a request gets in its tokens (OpenID Connect Core §5.5): the `claims`
/// parameter, however long, reduced to two selections of standard claims.
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

    /// The form stored in a grant: JSON of the form in §5.5; `nil` if empty.
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
