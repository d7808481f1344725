import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb

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
