import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// Authenticates a client (RFC 6749 §2.3).
struct StandInClientAuthentication {
    let standIns: StandIns

    /// The longest life of Apple's client secrets, in seconds (PRV-A-10).
    private static let longestSecret = 15_777_000.0

    /// - Parameter withoutSecret: Whether the client's ID is enough, as when a code verifier
    ///   follows (PRV-F-8).
    func client(of call: StandInCall, withoutSecret: Bool = false) throws -> StandInClient {
        // RFC 6749 §2.3: one method, and never the secret in two places.
        guard call.basic == nil || call["client_secret"] == nil else {
            throw Self.refusal(call)
        }
        guard let client = named(by: call) else { throw Self.refusal(call) }
        switch client.authentication {
        case .secret(let secret):
            guard let given = call.basic?.secret ?? call["client_secret"] else {
                guard withoutSecret else { throw Self.refusal(call) }
                return client
            }
            guard call.basic == nil || call.kind == .google || call.kind == .openID,
                SecretText(given) == secret
            else { throw Self.refusal(call) }
        case .teamKey(let teamID, let key):
            guard let secret = call["client_secret"],
                isSigned(secret, by: key, issuer: teamID, client, call)
            else { throw Self.refusal(call) }
        }
        return client
    }

    /// The client named in a request: the parameter, or the username.
    private func named(by call: StandInCall) -> StandInClient? {
        standIns.client(call.basic?.clientID ?? call["client_id"], at: call.kind)
    }

    /// A JWT that authenticates a client (Sign in with Apple).
    private func isSigned(
        _ text: String,
        by key: VerificationKey,
        issuer: String,
        _ client: StandInClient,
        _ call: StandInCall
    ) -> Bool {
        // `try?`: whatever is wrong with it, it proves nothing.
        guard let token = try? JWT(parsing: text),
            // Apple finds the key by its ID, which is therefore required.
            token.header.keyID != nil,
            let jwt = try? token.verified(
                by: [key],
                allowing: [key.algorithm],
                types: [.jwt, .clientAuthentication]
            ),
            let expiresAt = jwt.claims["exp"].flatMap(NumericDate.date),
            sameBytes(jwt.claims.string("iss") ?? "", issuer),
            sameBytes(jwt.claims.string("sub") ?? "", client.clientID),
            audiences(of: call).contains(where: { sameBytes($0, Self.audience(jwt.claims)) }),
            let issuedAt = jwt.claims["iat"].flatMap(NumericDate.date), call.now < expiresAt
        else { return false }
        return issuedAt <= call.now + 60
            && expiresAt.timeIntervalSince(issuedAt) <= Self.longestSecret
    }

    /// A text, or an array of one.
    private static func audience(_ claims: JSONObject) -> String {
        if let text = claims.string("aud") { return text }
        guard let texts = claims.strings("aud"), texts.count == 1 else { return "" }
        return texts[0]
    }

    /// The stand-in itself, and the real provider, because secrets are made for it.
    private func audiences(of call: StandInCall) -> [String] {
        [standIns.issuer(of: call.kind), "https://appleid.apple.com"]
    }

    private static func refusal(_ call: StandInCall) -> StandInRefusal {
        switch call.kind {
        case .facebook: .graph(1, "Error validating client secret.")
        case .apple: .oauth(.badRequest, code: "invalid_client", "The client is not who it says.")
        case .google, .openID:
            .oauth(.unauthorized, code: "invalid_client", "The client is not who it says.")
        }
    }
}
