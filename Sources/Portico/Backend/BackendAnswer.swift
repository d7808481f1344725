import PorticoProtocol

/// A backend's answer to a hand-off code or a refresh token: the session's tokens and its user.
struct BackendAnswer: Sendable {
    /// The access token is the session token.
    let tokens: TokenResponse
    let user: BackendUser
    let isNewUser: Bool

    /// - Throws: malformed if a member is missing or has the wrong type; unknownTokenType.
    init(parsing body: [UInt8]) throws(TokenResponse.Refusal) {
        let json: JSONObject
        do {
            json = try JSONObject(parsing: body)
        } catch {
            throw .malformed
        }
        tokens = try TokenResponse(json, token: "session_token")
        guard tokens.refreshToken != nil,
            let user = json.object("user").flatMap(BackendUser.init)
        else { throw .malformed }
        self.user = user
        isNewUser = json.bool("is_new_user") ?? false
    }
}
