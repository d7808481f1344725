import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// Proofs of possession (RFC 9449).
extension FakeProvider {
    /// The key that a request proves; `nil` if it has no proof.
    func provenKey(of request: HTTPRequest) throws(DPoPRefusal) -> JWKThumbprint? {
        guard bindsTokens else { return nil }
        let judge = DPoPJudge(nonce: { nonce, now in
            [now, now - 60, now - 120].contains { sameBytes(nonce, Self.nonce(at: $0)) }
        })
        return try judge(
            request.headerFields[values: .dpop],
            for: DPoPJudge.Request(
                method: request.method,
                address: request.address?.text ?? "",
                token: request.token(after: "DPoP ")
            ),
            at: NumericDate.seconds(clock.now)
        )?.thumbprint
    }

    func withNonce(_ reply: HTTPReply) -> HTTPReply {
        guard bindsTokens else { return reply }
        var reply = reply
        reply.response.headerFields[.dpopNonce] = Self.nonce(at: NumericDate.seconds(clock.now))
        return reply
    }

    /// One for each minute.
    private static func nonce(at now: Int64) -> String { "nonce-\(now / 60)" }

    /// Whose access token a request carries, if it is live and bound to the proven key, or to none
    /// (RFC 9449 §7.1, §7.2).
    func person(of request: HTTPRequest, _ key: JWKThumbprint?) -> FakePerson? {
        let now = clock.now
        return state.withLock { state in
            let scheme = key == nil ? "Bearer " : "DPoP "
            guard let token = request.token(after: scheme) else { return nil }
            return state.families.first { $0.isLive(token, at: now) && $0.key == key }
                .flatMap { state.person($0.subject) }
        }
    }
}

extension HTTPReply {
    /// An error answer (RFC 9449 §5), or a challenge (§7.1).
    static func refusedProof(_ refusal: DPoPRefusal, isResource: Bool) -> HTTPReply {
        let code = refusal.error.code.rawValue
        guard isResource else { return .error(code, refusal.error.description) }
        var reply = HTTPReply.status(401)
        reply.response.headerFields[.wwwAuthenticate] = "DPoP error=\"\(code)\", algs=\"ES256\""
        return reply
    }
}
