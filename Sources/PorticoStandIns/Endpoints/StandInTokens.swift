import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSystem
import PorticoWeb

/// The token endpoint (RFC 6749 §3.2) of each provider.
struct StandInTokens {
    let answers: StandInAnswers

    private var standIns: StandIns { answers.standIns }

    func answer(to call: StandInCall) throws -> Response {
        answers.json(try exchange(call))
    }

    private func exchange(_ call: StandInCall) throws -> JSONObject {
        let isProvenByVerifier = call.kind == .facebook && call["code_verifier"] != nil
        let client = try StandInClientAuthentication(standIns: standIns).client(
            of: call,
            withoutSecret: isProvenByVerifier
        )
        // Facebook's code flow has no grant type.
        switch call["grant_type"] ?? (call.kind == .facebook ? "authorization_code" : "") {
        case "authorization_code": return try redeem(call, client)
        case "refresh_token" where call.kind != .facebook: return try refresh(call, client)
        default:
            throw StandInRefusal.oauth(
                .badRequest,
                code: "unsupported_grant_type",
                "There is no such grant type here."
            )
        }
    }

    private func redeem(_ call: StandInCall, _ client: StandInClient) throws -> JSONObject {
        guard let text = call["code"] else {
            throw Self.refusal(call, 36009, "The code is missing.")
        }
        let code: StandInCode
        switch standIns.memory.withLock({ $0.redeem(text, at: call.now) }) {
        case .redeemed(let known) where known.grant.kind == call.kind: code = known
        case .redeemed, .unknown: throw Self.refusal(call, 36009, "The code is not one of ours.")
        case .expired: throw Self.refusal(call, 36007, "The code has expired.")
        case .spent: throw Self.refusal(call, 36009, "The code has been used.")
        }
        guard sameBytes(code.grant.client.clientID, client.clientID) else {
            throw Self.refusal(call, 36009, "The code was given to another client.")
        }
        guard let redirectURI = call["redirect_uri"], sameBytes(code.redirectURI, redirectURI)
        else {
            guard call.kind == .google else {
                throw Self.refusal(call, 36008, "The redirect URI is another one.")
            }
            throw StandInRefusal.oauth(
                .badRequest,
                code: "redirect_uri_mismatch",
                "The redirect URI is another one."
            )
        }
        try Self.check(call["code_verifier"], code, call)
        return try tokens(code.grant, call, refreshToken: code.isOffline)
    }

    /// RFC 7636 §4.6.
    private static func check(_ verifier: String?, _ code: StandInCode, _ call: StandInCall) throws
    {
        guard let challenge = code.challenge else {
            // RFC 9700 §2.1.1: a verifier without a challenge is for another code. Apple checks
            // neither.
            guard verifier == nil || call.kind == .apple else {
                throw refusal(call, 100, "There was no code challenge.")
            }
            return
        }
        guard let verifier else { throw refusal(call, 100, "Missing code verifier.") }
        guard let verifier = CodeVerifier(verifier), challenge.isMet(by: verifier) else {
            throw refusal(call, 100, "Invalid code verifier.")
        }
    }

    private func refresh(_ call: StandInCall, _ client: StandInClient) throws -> JSONObject {
        let token = standIns.memory.withLock { $0.token(call["refresh_token"], at: call.kind) }
        guard let token, token.isRefreshToken, token.isGood(at: call.now),
            sameBytes(token.grant.client.clientID, client.clientID)
        else { throw StandInRefusal.invalidGrant("Token has been expired or revoked.") }
        return try tokens(token.grant, call, refreshToken: false)
    }

    private func tokens(_ grant: StandInGrant, _ call: StandInCall, refreshToken: Bool) throws
        -> JSONObject
    {
        // Facebook's last sixty days.
        let life: Double = call.kind == .facebook ? 5_184_000 : 3600
        let accessToken = standIns.newToken(for: grant, life: life, call.moment)
        var answer: JSONObject = [
            "access_token": .string(accessToken),
            "token_type": call.kind == .facebook ? "bearer" : "Bearer",
            "expires_in": .integer(Int64(life)),
        ]
        if refreshToken {
            let text = standIns.newToken(
                for: grant,
                isRefreshToken: true,
                life: 180 * 86_400,
                call.moment
            )
            answer["refresh_token"] = .string(text)
        }
        if call.kind == .google || call.kind == .openID {
            answer["scope"] = .string(grant.scopes.joined(separator: " "))
        }
        guard call.kind == .apple || grant.scopes.contains("openid") else { return answer }
        let idToken = try standIns.idToken(for: grant, accessToken: accessToken, call.moment)
        answer["id_token"] = .string(idToken)
        return answer
    }

    private static func refusal(_ call: StandInCall, _ subcode: Int64, _ words: StaticString)
        -> StandInRefusal
    {
        call.kind == .facebook ? .graph(100, subcode: subcode, words) : .invalidGrant(words)
    }
}

/// Ends a grant (RFC 7009).
struct StandInRevocation {
    let answers: StandInAnswers

    private var standIns: StandIns { answers.standIns }

    /// Google does not authenticate the caller; the others do (RFC 7009 §2.1).
    func answer(to call: StandInCall) throws -> Response {
        let client =
            call.kind == .google
            ? nil : try StandInClientAuthentication(standIns: standIns).client(of: call)
        let token = standIns.memory.withLock { $0.token(call["token"], at: call.kind) }
        guard let token, client.map({ sameBytes($0.clientID, token.grant.client.clientID) }) ?? true
        else {
            // Google reports it; for the others an unknown token is as good as revoked (§2.2).
            guard call.kind == .google else { return answers.json([:]) }
            throw StandInRefusal.oauth(
                .badRequest,
                code: "invalid_token",
                "Token expired or revoked"
            )
        }
        standIns.memory.withLock { $0.withdraw(token.grant) }
        return answers.json([:])
    }
}

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
