import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A request to a person's host with their tokens, each time with a new proof (RFC 9449 §7).
///
/// It is sent again if the host asks for a nonce, and again with newer tokens if the host refuses
/// the access token: four times at most.
struct HostCall: Sendable {
    let tokens: HandleTokens
    let sender: DPoPSender
    /// The account that makes the call: people of one host share its places.
    let account: UniqueID

    /// How old the nonce of a stored body may be, in seconds: hosts accept those of the last
    /// minutes.
    private static let freshness: Int64 = 60

    /// - Parameters:
    ///   - address: Of the session's host.
    ///   - stored: Sent instead of `body`.
    /// - Returns: The host's answer, whatever its status.
    /// - Throws: ``HandleTokens/Failure``, ``HTTPTransportError``, and a ``JOSEError`` if the key of
    ///   the session cannot sign.
    func send(
        _ method: HTTPRequest.Method,
        to address: HTTPAddress,
        fields: HTTPFields,
        body: [UInt8],
        stored: (any StoredBytes)? = nil,
        for session: HandleSession
    ) async throws -> HTTPReply {
        func reply(_ open: HandleTokens.Open) async throws -> HTTPReply {
            try await sender.send(
                method,
                to: address,
                with: open.key,
                token: open.access,
                at: .resource,
                limits: limits(HandleDirectory.longest),
                stored: stored
            ) { _ in (fields, body) }.reply
        }
        var open = try await tokens.tokens(for: session)
        if stored != nil, !sender.hasNonce(for: address, notOlderThan: Self.freshness) {
            open = try await tried(open)
        }
        let first = try await reply(open)
        guard first.refusesToken else { return first }
        let newer = try await tokens.tokens(for: open.session, refused: open.access)
        guard newer.access != open.access else { return first }
        return try await reply(newer)
    }

    /// Makes a small request, so that the host accepts a long body at the first try: it returns a
    /// nonce, and says whether it accepts the access token.
    ///
    /// - Returns: Tokens that the host accepts, as far as is known.
    private func tried(_ open: HandleTokens.Open) async throws -> HandleTokens.Open {
        guard
            let question = HTTPAddress(
                "\(open.session.host)/xrpc/com.atproto.server.getSession"
            )
        else { return open }
        let answer = try await sender.send(
            .get,
            to: question,
            with: open.key,
            token: open.access,
            at: .resource,
            limits: limits(HTTPLimits(bytes: 64 * 1024, seconds: 15))
        ) { _ in ([:], []) }
        guard answer.reply.refusesToken else { return open }
        return try await tokens.tokens(for: open.session, refused: open.access)
    }

    private func limits(_ limits: HTTPLimits) -> HTTPLimits {
        var limits = limits
        limits.person = account
        return limits
    }
}

extension HTTPReply {
    /// Whether newer tokens may help (RFC 6750 §3.1, RFC 9449 §7.1). An error without the challenge is
    /// the method's own, `InvalidToken` among them.
    fileprivate var refusesToken: Bool {
        challenges.contains {
            $0.scheme == "dpop"
                && $0.parameters["error"] == OAuthError.Code.invalidToken.rawValue
        }
    }
}
