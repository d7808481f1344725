import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// Whose account a request to the PDS is for, and what it may do there.
struct ATHostAccess: Sendable {
    let person: ATHostPerson
    let scope: Scope
}

/// Checks access tokens and the proofs that go with them, as any resource server would (RFC 9449 §7,
/// RFC 9068 §4). What it refuses looks as at a real PDS.
struct ATHostAccessCheck: Sendable {
    let host: ATHost
    let server: ATHostAuthorizationServer

    func callAsFunction(_ context: RequestContext, _ faults: ATHostFaults) async throws(XRPCError)
        -> ATHostAccess
    {
        let token = try Self.token(context.authorization)
        guard !faults.alwaysAsksForNonce.contains(.xrpc) else { throw .nonce }
        let proof = try proof(context, token)
        let claims = try await claims(of: token, context)
        guard !faults.refusesAccessTokens, host.memory.withLock({ $0.sessions.isGood(token) }),
            let expiry = claims.int64("exp"), expiry > context.now,
            sameBytes(claims.string("iss") ?? "", host.baseURL),
            (claims.strings("aud") ?? [claims.string("aud") ?? ""])
                .contains(where: { sameBytes($0, host.baseURL) }),
            let person = claims.string("sub").flatMap(host.person(did:))
        else { throw .token("Invalid token") }
        let key = claims.object("cnf")?.string("jkt")
        guard let key, sameBytes(key, proof.thumbprint.text) else {
            throw .token("Invalid DPoP key binding")
        }
        // `try?`: who has no scope that can be read has none.
        let scope = (try? Scope(claims.string("scope") ?? "")) ?? .none
        return ATHostAccess(person: person, scope: scope)
    }

    private static func token(_ fields: [String]) throws(XRPCError) -> String {
        guard let field = fields.first else { throw .missing }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard fields.count == 1, parts.count == 2 else { throw .missing }
        switch parts[0].lowercased() {
        case "dpop": return String(parts[1])
        case "bearer": throw .bearer
        default: throw .missing
        }
    }

    private func proof(_ context: RequestContext, _ token: String) throws(XRPCError) -> DPoPProof {
        let nonces = host.nonces
        let judge = DPoPJudge(nonce: { nonces.isGood($0, at: $1) })
        let request = DPoPJudge.Request(
            method: context.method,
            address: host.baseURL + context.target.path,
            token: token
        )
        let proof: DPoPProof?
        do throws(DPoPRefusal) {
            proof = try judge(context.headers[values: .dpop], for: request, at: context.now)
        } catch {
            throw error == .nonce ? .nonce : .proof(error.error.description)
        }
        guard let proof else { throw .proof("DPoP proof required") }
        guard host.proofs.isFirst(proof.replayKey) else { throw .proof("DPoP proof replayed") }
        return proof
    }

    /// Of a token that the authorization server has signed. Its keys are fetched again for one that is
    /// not known.
    private func claims(of token: String, _ context: RequestContext) async throws(XRPCError)
        -> JSONObject
    {
        let peer = context.received.peer
        do throws(JOSEError) {
            let token = try JWT(parsing: token)
            do throws(JOSEError) {
                return try Self.claims(of: token, await server.keys(isFresh: false, peer))
            } catch {
                guard error == .unknownKey else { throw error }
                return try Self.claims(of: token, await server.keys(isFresh: true, peer))
            }
        } catch {
            let isSigned = error == .invalidSignature || error == .unknownKey
            throw .token(isSigned ? "signature verification failed" : "Malformed token")
        }
    }

    private static func claims(of token: JWT, _ keys: [VerificationKey]) throws(JOSEError)
        -> JSONObject
    {
        try token.verified(
            by: keys,
            allowing: Set(SignatureAlgorithm.allCases),
            types: [.accessToken, .jwt]
        ).claims
    }
}
