package import HTTPTypes
package import PorticoBytes

/// Sends requests with proofs of possession, and once more if the server asks for a newer nonce
/// (RFC 9449 §8, §9).
package struct DPoPSender: Sendable {
    /// Who is asked: the two ask for a nonce in different ways.
    package enum Place: Sendable {
        /// By an error answer (§8), with 400 or, as some servers do, 401.
        case authorizationServer
        /// By a challenge (§9) or, as some servers do, by an error answer, with 401.
        case resource
    }

    package struct Answer: Sendable {
        package let reply: HTTPReply
        /// Whether it came with a nonce, as every answer of some servers must.
        package let gaveNonce: Bool
        /// How often the request was sent: once or twice.
        package let tries: Int
    }

    private let transport: any HTTPTransport
    private let nonces: DPoPNonceMemory
    private let clock: Clock

    /// - Parameter nonces: One for all requests of a program: the parts of a server share its nonces.
    package init(transport: any HTTPTransport, nonces: DPoPNonceMemory, clock: Clock) {
        self.transport = transport
        self.nonces = nonces
        self.clock = clock
    }

    /// Sends a request with a new proof each time.
    ///
    /// It is sent again, once, if the answer asks for a nonce and gives another than the one that was
    /// used. Every other answer is returned, whatever its status.
    ///
    /// - Parameters:
    ///   - token: Sent as `Authorization: DPoP …`, and named in the proof (§7.1).
    ///   - limits: Of each try.
    ///   - stored: Sent as the body, each time from its start, instead of the one that `prepare` gives.
    ///   - prepare: The other fields, and the body. Runs for each try: what may be sent only once, as
    ///     a client assertion, is made there.
    /// - Throws: ``HTTPTransportError``, a ``JOSEError`` if the key cannot sign, and what `prepare`
    ///   throws.
    package func send(
        _ method: HTTPRequest.Method,
        to address: HTTPAddress,
        with key: DPoPKey,
        token: SecretText? = nil,
        at place: Place,
        limits: HTTPLimits,
        stored: (any StoredBytes)? = nil,
        prepare: (Moment) throws -> (fields: HTTPFields, body: [UInt8])
    ) async throws -> Answer {
        var tries = 1
        var nonce = nonces.nonce(for: address, at: clock.moment().seconds)
        while true {
            let moment = clock.moment()
            let (fields, body) = try prepare(moment)
            var request = HTTPRequest(method, to: address)
            request.headerFields = fields
            if let token { request.headerFields[.authorization] = "DPoP \(token.reveal())" }
            request.headerFields[.dpop] = try key.proof(
                method,
                address,
                token: token,
                nonce: nonce,
                at: moment
            )
            let reply =
                if let stored {
                    try await send(request, stored, limits)
                } else {
                    try await transport.send(request, body: body, limits: limits)
                }
            let given = nonces.note(reply, from: address, at: clock.moment().seconds)
            guard tries == 1, place.asksForNonce(reply), let given, given != nonce else {
                return Answer(reply: reply, gaveNonce: given != nil, tries: tries)
            }
            nonce = given
            tries += 1
        }
    }

    private func send(_ request: HTTPRequest, _ stored: any StoredBytes, _ limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let transport = transport as? any StoredBodyTransport else { throw .refused }
        return try await transport.send(request, stored: stored, limits: limits)
    }

    /// Whether a nonce for a server is known, and not older than so many seconds.
    package func hasNonce(for address: HTTPAddress, notOlderThan seconds: Int64) -> Bool {
        let now = clock.moment().seconds
        return nonces.nonce(for: address, notOlderThan: seconds, at: now) != nil
    }
}

extension DPoPSender.Place {
    /// Whether the same request is right with another nonce.
    package func asksForNonce(_ reply: HTTPReply) -> Bool {
        let status = reply.response.status.code
        let isInBody = ErrorResponse(reply)?.code == .useDPoPNonce
        return switch self {
        case .authorizationServer: isInBody && (status == 400 || status == 401)
        case .resource:
            status == 401
                && (isInBody
                    || reply.challenges.contains {
                        $0.scheme == "dpop"
                            && $0.parameters["error"] == OAuthError.Code.useDPoPNonce.rawValue
                    })
        }
    }
}
