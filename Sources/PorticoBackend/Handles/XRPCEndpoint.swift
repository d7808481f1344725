import HTTPTypes
import NIOCore
import PorticoATProtocol
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// `/xrpc/{method}`: passes a request on to the person's own host, with their tokens (AT Protocol,
/// XRPC; WEB-BFF-4).
///
/// The host is that of the session's row, and no other can be named. Some fields of request and
/// answer pass; no cookie in either direction, and no token. Statuses, errors and bodies are the
/// host's own, as if the app had asked it directly.
struct XRPCEndpoint: Sendable {
    let sessions: HandleSessions
    let tokens: HandleTokens
    let calls: AccountCalls
    let headers: SecurityHeaders

    /// Of a body in memory. Longer ones come in a file.
    private static let longestBody = Uploads.held

    func respond(_ name: Substring, _ context: SignInContext) async throws -> Response {
        try checkHead(name, context)
        let sender = try sessions.directory.liveHandles().sender
        let checked = try await sessions(context)
        let session = checked.session.handle
        let account = checked.session.live.person.id
        guard let place = calls.begin(account) else { throw TooManyCalls() }
        let query = context.target.query.map { "?\(Substring($0))" } ?? ""
        guard let address = HTTPAddress("\(session.host)/xrpc/\(name)\(query)") else {
            throw ServiceError(.invalidRequest, "The query has a character that no query has.")
        }
        let body = try body(context)
        let reply: HTTPReply
        do {
            reply = try await HostCall(tokens: tokens, sender: sender, account: account).send(
                // The answer to HEAD has the length of the answer to GET (RFC 9110 §8.6).
                context.method == .head ? .get : context.method,
                to: address,
                fields: passedOn(context.headers),
                body: body,
                stored: stored(context),
                for: session
            )
        } catch let failure as HandleTokens.Failure {
            throw refusal(failure, session)
        } catch let error as HTTPTransportError {
            throw Self.noAnswer(error)
        }
        var response = self.response(reply, adding: checked.fields)
        response.held = [place] + (reply.held.map { [$0] } ?? [])
        return response
    }

    /// The account that a long body counts for (docs/decisions/0068).
    func account(_ context: SignInContext) async throws -> String {
        try checkHead(context.parameters["method"], context)
        return try await sessions(context).session.live.person.id
    }

    private func checkHead(_ name: Substring, _ context: SignInContext) throws(ServiceError) {
        guard RequestOrigin.permitsHostCall(context.headers) else {
            throw ServiceError(.forbidden, "Send the header X-Portico: 1.")
        }
        guard context.headers[.upgrade] == nil else {
            throw ServiceError(.invalidRequest, "Nothing is upgraded here.")
        }
        guard NSID.isValid(String(name)) else {
            throw ServiceError(.invalidRequest, "That is no name of a method.")
        }
    }

    private static let unreachable = ServiceError(
        .providerUnreachable,
        "The person's host does not answer.",
        retryAfter: 5
    )

    private static let tooLarge = ServiceError(.providerError, "The host's answer is too large.")

    private static func noAnswer(_ error: HTTPTransportError) -> ServiceError {
        switch error {
        case .busy, .noRoom: .busy
        case .tooLarge: tooLarge
        default: unreachable
        }
    }

    private func refusal(_ failure: HandleTokens.Failure, _ session: HandleSession) -> any Refusal {
        let name = sameBytes(session.handle, Handle.invalid) ? session.did : session.handle
        switch failure {
        case .ended: return HandleSessionCheck.Absence(cause: .expired, handle: name)
        case .signInAgain: return HandleSessionCheck.Absence(cause: .unusable, handle: name)
        case .unreachable: return Self.unreachable
        case .busy: return ServiceError.busy
        }
    }

    private func stored(_ context: SignInContext) -> SpooledBody? {
        guard case .stored(let body)? = context.request.received.upload else { return nil }
        return body
    }

    private func body(_ context: SignInContext) throws(ServiceError) -> [UInt8] {
        if case .unread(let reason)? = context.request.received.upload { throw Self.unread(reason) }
        let body = context.request.received.body
        guard body.readableBytes <= Self.longestBody else {
            throw ServiceError(.tooLarge, "The body is larger than this address takes.")
        }
        return context.method == .post ? Array(body.readableBytesView) : []
    }

    private static func unread(_ reason: Upload.Unread) -> ServiceError {
        switch reason {
        case .tooMany:
            ServiceError(
                .rateLimited,
                "The account sends as many long bodies at once as it may.",
                retryAfter: 5
            )
        case .full:
            ServiceError(.busy, "There is no room for a long body now.", retryAfter: 30)
        // It was admitted only now.
        case .notAdmitted: .busy
        }
    }

    private func passedOn(_ headers: HTTPFields) -> HTTPFields {
        var fields = HTTPFields()
        for name in Self.passedOn { fields[values: name] = headers[values: name] }
        return fields
    }

    /// A redirect is an answer like any other, without its address.
    private func response(_ reply: HTTPReply, adding extra: HTTPFields) -> Response {
        var fields = headers.plain
        // A stranger's server must not show a page under our address, however it is opened.
        fields[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        for name in Self.comingBack {
            if let value = reply.response.headerFields[name] { fields[name] = value }
        }
        fields.append(contentsOf: extra)
        return Response(status: reply.response.status, headers: fields, bytes: reply.body)
    }

    private static let passedOn: [HTTPField.Name] = [
        .accept, .acceptLanguage, .contentType, .contentEncoding, .ifNoneMatch, .range,
        .known("atproto-proxy"), .known("atproto-accept-labelers"),
    ]

    private static let comingBack: [HTTPField.Name] = [
        .contentType, .contentLanguage, .contentDisposition, .contentRange, .acceptRanges, .eTag,
        .lastModified, .retryAfter, .known("atproto-repo-rev"), .known("atproto-content-labelers"),
        .known("ratelimit-limit"), .known("ratelimit-remaining"), .known("ratelimit-reset"),
        .known("ratelimit-policy"),
    ]
}

/// A request to a person's host with their tokens, each time with a new proof (RFC 9449 §7).
///
/// It is sent again if the host asks for a nonce, and again with newer tokens if the host refuses
/// the access token: four times at most.
struct HostCall: Sendable {
    let tokens: HandleTokens
    let sender: DPoPSender
    /// The account that makes the call: people of one host share its places.
    let account: String

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
            let question = HTTPAddress("\(open.session.host)/xrpc/com.atproto.server.getSession")
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

/// How many calls each account has under way, until their answers are sent.
///
/// Anyone can run a host: one that never answers must not use up what all calls share. Nor may a
/// person with many sessions, at a host or at a team's own API.
final class AccountCalls: Sendable {
    /// Apps start many at once.
    static let most = 20

    private let counts = Locked<[String: Int]>([:])

    /// One call; it ends with the last reference.
    final class Place: Sendable {
        private let calls: AccountCalls
        private let account: String

        fileprivate init(_ calls: AccountCalls, _ account: String) {
            self.calls = calls
            self.account = account
        }

        deinit {
            calls.end(account)
        }
    }

    /// - Returns: `nil` if the account has reached its limit.
    func begin(_ account: String) -> Place? {
        let isFree = counts.withLock { counts in
            guard counts[account, default: 0] < Self.most else { return false }
            counts[account, default: 0] += 1
            return true
        }
        return isFree ? Place(self, account) : nil
    }

    private func end(_ account: String) {
        counts.withLock { counts in
            let left = counts[account, default: 1] - 1
            counts[account] = left > 0 ? left : nil
        }
    }
}

/// An account has reached its limit of calls. Apps of the AT Protocol know this error by this name
/// (XRPC, Error Responses).
struct TooManyCalls: Refusal {
    var name: String { "RateLimitExceeded" }
    var status: HTTPResponse.Status { .tooManyRequests }
    var retryAfter: Double? { 1 }
    var issue: ErrorPage.Issue { .tooManyTries(seconds: 1) }

    var json: JSONValue? {
        ["error": .string(name), "message": "This account has too many calls under way."]
    }
}
