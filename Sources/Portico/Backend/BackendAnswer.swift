import PorticoProtocol

/// What a backend answers to a hand-off code or a refresh token: the tokens of a session, and whose
/// it is.
struct BackendAnswer: Sendable {
    /// With the session token in the place of the access token.
    let tokens: TokenResponse
    let user: BackendUser
    let isNewUser: Bool

    /// - Throws: malformed where a member is missing, or has a wrong type; unknownTokenType.
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
