import HTTPTypes
package import PorticoBytes
package import PorticoProtocol

/// A token, in the way that requests carry it.
package enum SentToken: Sendable {
    /// In the `Authorization` field (RFC 6750 §2.1).
    case bearer(SecretText)
    /// The same, with a proof of the key that it is bound to (RFC 9449 §7.1).
    case bound(SecretText, to: DPoPKey)
    /// In the `Cookie` field (RFC 6265 §4.2.1).
    case cookie(SecretText, name: String)

    /// - Parameter key: What the token is bound to, if anything.
    package init(_ token: SecretText, boundTo key: DPoPKey?) {
        self = key.map { .bound(token, to: $0) } ?? .bearer(token)
    }

    var text: SecretText {
        switch self {
        case .bearer(let text), .bound(let text, to: _), .cookie(let text, name: _): text
        }
    }
}

extension ProviderHTTP {
    func get(
        _ address: String,
        with token: SentToken,
        limits: HTTPLimits,
        check: SignInError.Check
    ) async throws(SignInError) -> HTTPReply {
        let request = try request(.get, address)
        return try await send(request, body: [], with: token, limits: limits, check: check)
    }

    /// Sends a request with a token. One with a proof is sent again, once, if the server asks for a
    /// nonce.
    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        with token: SentToken,
        limits: HTTPLimits,
        check: SignInError.Check
    ) async throws(SignInError) -> HTTPReply {
        if case .bound(let text, to: let key) = token {
            return try await send(
                request,
                proving: key,
                token: text,
                at: .resource,
                limits: limits,
                check: check
            ) { () throws(SignInError) in (request, body) }
        }
        var request = request
        try authorize(&request, with: token)
        return try await send(request, body: body, limits: limits, check: check)
    }

    /// Sets the fields that carry a token, in place of those that the request has.
    ///
    /// - Throws: misconfigured(.proofRefused) if no proof can be made.
    func authorize(_ request: inout HTTPRequest, with token: SentToken) throws(SignInError) {
        switch token {
        case .bearer(let text): request.headerFields[.authorization] = "Bearer \(text.reveal())"
        case .bound(let text, to: let key):
            request.headerFields[.authorization] = "DPoP \(text.reveal())"
            request.headerFields[.dpop] = try proof(of: key, for: request, text)
        case .cookie(let text, let name):
            request.headerFields[.authorization] = nil
            request.headerFields[.cookie] = "\(name)=\(text.reveal())"
            // A page of another site cannot send it: the request is the app's own.
            request.headerFields[.portico] = "1"
        }
    }

    private func proof(of key: DPoPKey, for request: HTTPRequest, _ token: SecretText)
        throws(SignInError) -> String
    {
        let moment = moment
        guard let address = request.address else {
            throw SignInError(.misconfigured(.originNotAllowed))
        }
        do {
            return try key.proof(
                request.method,
                address,
                token: token,
                nonce: nonces.nonce(for: address, at: moment.seconds),
                at: moment
            )
        } catch {
            throw SignInError(.misconfigured(.proofRefused))
        }
    }
}

extension HTTPReply {
    /// Whether the server refused the access token as invalid (RFC 6750 §3.1, RFC 9449 §7.1).
    var hasRefusedToken: Bool {
        challenges.contains {
            ["bearer", "dpop"].contains($0.scheme) && $0.parameters["error"] == "invalid_token"
        }
    }

    /// Whether the server refused the proof that came with the token (RFC 9449 §7.1).
    var hasRefusedProof: Bool {
        challenges.contains {
            $0.scheme == "dpop" && $0.parameters["error"] == "invalid_dpop_proof"
        }
    }
}
