import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// Ends a grant (RFC 7009) and a session (OpenID Connect RP-Initiated Logout).
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

    /// RP-Initiated Logout §2, §3: redirects only to an address of the client that the hint was
    /// for.
    func endSession(_ call: StandInCall) throws -> Response {
        guard let uri = call["post_logout_redirect_uri"], let clientID = audience(of: call),
            let client = standIns.memory.withLock({ $0.client(clientID, at: call.kind) }),
            client.redirectURIs.contains(where: { sameBytes($0, uri) })
        else { return answers.page(.signedOut, call.kind) }
        let state = call["state"].map { [(name: "state", value: $0)] } ?? []
        return try answers.redirect(to: FormEncoding.appending(state, to: uri))
    }

    private func audience(of call: StandInCall) -> String? {
        guard let hint = call["id_token_hint"],
            let keys = try? standIns.keys(of: call.kind),  // `try?`: no key, no hint
            // `try?`: a hint that is not ours names no client.
            let jwt = try? JWT(parsing: hint).verified(
                by: keys.map(\.verificationKey),
                allowing: [.rs256],
                types: [.jwt]
            )
        else { return nil }
        return jwt.claims.string("aud")
    }
}
