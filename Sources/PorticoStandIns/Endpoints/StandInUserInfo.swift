import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// UserInfo (OpenID Connect Core §5.3) of Google and the OpenID provider.
struct StandInUserInfo {
    let answers: StandInAnswers

    func answer(to call: StandInCall) throws -> Response {
        let token = answers.standIns.memory.withLock { $0.token(call.bearer, at: call.kind) }
        guard let token, !token.isRefreshToken, token.isGood(at: call.now),
            token.grant.scopes.contains("openid")
        else {
            return answers.json(
                ["error": "invalid_token", "error_description": "Invalid Credentials"],
                .unauthorized,
                adding: [.wwwAuthenticate: "Bearer error=\"invalid_token\""]
            )
        }
        let base = answers.standIns.issuer(of: call.kind)
        return answers.json(StandInClaims(grant: token.grant, base: base).profile)
    }
}
