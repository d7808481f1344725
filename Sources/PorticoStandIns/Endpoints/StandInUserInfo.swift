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
            token.grant.scopes.contains("openid"), !call.faults.refusesAccessTokens
        else {
            return answers.json(
                ["error": "invalid_token", "error_description": "Invalid Credentials"],
                .unauthorized,
                adding: [.wwwAuthenticate: "Bearer error=\"invalid_token\""]
            )
        }
        var claims = StandInClaims(
            grant: token.grant,
            base: answers.standIns.issuer(of: call.kind),
            writesBooleans: true
        ).profile
        for (name, value) in call.faults.profile { claims[name] = value }
        return answers.json(claims)
    }
}
