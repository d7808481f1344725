package import HTTPTypes
package import PorticoBytes
package import PorticoProtocol
package import PorticoSystem

/// Sends requests to the provider, with failures as ``SignInError``.
package struct ProviderHTTP: Sendable {
    package let transport: any HTTPTransport
    package let now: @Sendable () -> Date
    let random: RandomSource
    private let localhost: LocalhostName
    private let log: ClientLog
    let serverClock = ServerClock()
    /// For proofs of possession, of each server that was asked.
    let nonces = DPoPNonceMemory()

    package init(
        transport: any HTTPTransport,
        localhost: LocalhostName = .system,
        log: ClientLog = .none,
        now: @escaping @Sendable () -> Date,
        random: RandomSource = .system
    ) {
        self.transport = transport
        self.localhost = localhost
        self.log = log
        self.now = now
        self.random = random
    }

    /// - Parameters:
    ///   - address: From checked metadata.
    ///   - check: The check that too large an answer fails.
    package func get(
        _ address: String,
        fields: HTTPFields = [:],
        limits: HTTPLimits,
        check: SignInError.Check
    ) async throws(SignInError) -> HTTPReply {
        var request = try request(.get, address)
        request.headerFields.append(contentsOf: fields)
        return try await send(request, body: [], limits: limits, check: check)
    }

    /// Posts a form, as the token endpoint and similar endpoints require (RFC 6749 §3.2, appendix
    /// B).
    package func post(
        _ address: String,
        form: [(name: String, value: String)],
        fields: HTTPFields = [:],
        limits: HTTPLimits,
        check: SignInError.Check
    ) async throws(SignInError) -> HTTPReply {
        var request = try request(.post, address)
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        request.headerFields.append(contentsOf: fields)
        return try await send(
            request,
            body: FormEncoding.encode(form),
            limits: limits,
            check: check
        )
    }

    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        limits: HTTPLimits,
        check: SignInError.Check
    ) async throws(SignInError) -> HTTPReply {
        do {
            return try await exchange(request, body, limits, check)
        } catch {
            throw Self.error(error, check)
        }
    }

    /// Sends a request once, and tells the log.
    func exchange(
        _ request: HTTPRequest,
        _ body: [UInt8],
        _ limits: HTTPLimits,
        _ check: SignInError.Check
    ) async throws(HTTPTransportError) -> HTTPReply {
        let start = ContinuousClock.now
        let result = await result(of: request, body, limits)
        if let tell = log.tell {
            tell(
                event(
                    request,
                    result.mapError { Self.error($0, check) },
                    ContinuousClock.now - start,
                    isOwn: check != .answerTooLarge
                )
            )
        }
        let reply = try result.get()
        if check != .answerTooLarge { serverClock.note(reply.date, at: now()) }
        return reply
    }

    private func result(of request: HTTPRequest, _ body: [UInt8], _ limits: HTTPLimits) async
        -> Result<HTTPReply, HTTPTransportError>
    {
        do {
            // Transports that conform to ``HTTPTransport`` fully have checked it; this is for the
            // others.
            try await localhost.check(request)
            let reply = try await transport.send(request, body: body, limits: limits)
            // Transports that conform to ``HTTPTransport`` fully have cut it off; this is for the
            // others.
            guard reply.body.count <= limits.bytes else { return .failure(.tooLarge) }
            return .success(reply)
        } catch {
            return .failure(error)
        }
    }

    private func event(
        _ request: HTTPRequest,
        _ result: Result<HTTPReply, SignInError>,
        _ time: Duration,
        isOwn: Bool
    ) -> ClientEvent {
        let address = request.address
        let method = request.method.rawValue
        let place = (address?.origin ?? "") + (isOwn ? address?.path ?? "" : "")
        return switch result {
        case .success(let reply):
            .answered(
                method: method,
                address: place,
                status: reply.response.status.code,
                after: time
            )
        case .failure(let error): .failed(method: method, address: place, error, after: time)
        }
    }

    /// The error for a reply that is neither a success nor a protocol error.
    package func failure(of reply: HTTPReply) -> SignInError {
        switch reply.response.status.code {
        case 300...399: SignInError(.rejected(.redirected))
        case 429: SignInError(.transient(.tooManyRequests, retryAfter: retryAfter(reply)))
        default: SignInError(.transient(.serverError, retryAfter: retryAfter(reply)))
        }
    }

    /// Seconds or a date (RFC 9110 §10.2.3), at most a day.
    func retryAfter(_ reply: HTTPReply) -> Duration? {
        guard let text = reply.field(.retryAfter), !text.isEmpty else { return nil }
        let seconds: Double
        if text.utf8.allSatisfy({ $0.isDigit }) {
            // A number too large for an integer is more than a day.
            seconds = Int64(text).map(Double.init) ?? 86_400
        } else if let date = HTTPDate.date(text) {
            seconds = date.timeIntervalSince(now())
        } else {
            return nil
        }
        return .seconds(Int64(min(max(seconds, 0), 86_400)))
    }

    func request(_ method: HTTPRequest.Method, _ address: String) throws(SignInError)
        -> HTTPRequest
    {
        guard let address = HTTPAddress(address) else {
            throw SignInError(.misconfigured(.metadataInvalid))
        }
        var request = HTTPRequest(method, to: address)
        request.headerFields[.accept] = "application/json"
        return request
    }

    static func error(_ error: HTTPTransportError, _ check: SignInError.Check)
        -> SignInError
    {
        switch error {
        case .cancelled: SignInError(.cancelled(.program))
        case .timedOut: SignInError(.transient(.timedOut, retryAfter: nil))
        case .tooLarge: SignInError(.rejected(check))
        case .untrusted: SignInError(.misconfigured(.certificateUntrusted))
        case .elsewhere: SignInError(.misconfigured(.localhostElsewhere))
        case .malformed: SignInError(.transient(.serverError, retryAfter: nil))
        default: SignInError(.transient(.unreachable, retryAfter: nil))
        }
    }
}

extension HTTPReply {
    /// The server's time when it answered (RFC 9110 §6.6.1).
    var date: Date? {
        field(.date).flatMap(HTTPDate.date)
    }

    /// How long the reply may be reused, in seconds (RFC 9111 §5.2.2); `nil` if not given.
    var maxAge: TimeInterval? {
        guard let directives = cacheDirectives else { return nil }
        if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
        let ages = directives.compactMap { directive -> Int64? in
            guard directive.hasPrefix("max-age=") else { return nil }
            return Int64(directive.dropFirst(8).filter { $0 != "\"" })
        }
        return ages.min().map { TimeInterval(max($0, 0)) }
    }

    /// Whether the reply may be kept on a disk (RFC 9111 §5.2.2.5).
    var mayBeStored: Bool {
        cacheDirectives?.contains("no-store") != true
    }

    private var cacheDirectives: [String]? {
        field(.cacheControl)?.lowercased().split(separator: ",").map { directive in
            directive.filter { $0 != " " && $0 != "\t" }
        }
    }
}

/// Requests with proofs of possession (RFC 9449 §5, §7.1).
extension ProviderHTTP {
    /// Posts a form of a client, with a proof if there is a key.
    ///
    /// - Parameters:
    ///   - address: From checked metadata.
    ///   - identification: How the client identifies itself.
    ///   - check: The check that too large an answer fails.
    func post(
        _ address: String,
        form: [(name: String, value: String)],
        fields: HTTPFields = [:],
        by identification: ClientIdentification.Source,
        proving key: DPoPKey?,
        limits: HTTPLimits,
        check: SignInError.Check
    ) async throws(SignInError) -> HTTPReply {
        var request = try request(.post, address)
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        request.headerFields.append(contentsOf: fields)
        let common = request
        func prepare() throws(SignInError) -> (HTTPRequest, [UInt8]) {
            let client = try identification()
            var request = common
            request.headerFields.append(contentsOf: client.fields)
            return (request, FormEncoding.encode(form + client.form))
        }
        guard let key else {
            let (request, body) = try prepare()
            return try await send(request, body: body, limits: limits, check: check)
        }
        return try await send(
            common,
            proving: key,
            at: .authorizationServer,
            limits: limits,
            check: check,
            prepare: prepare
        )
    }

    /// Sends a request with a proof, and once more if the server asks for a nonce (§8, §9).
    ///
    /// - Parameters:
    ///   - request: Whose method and address are proven.
    ///   - prepare: The same request with all its fields, and the body. Runs for each try.
    func send(
        _ request: HTTPRequest,
        proving key: DPoPKey,
        token: SecretText? = nil,
        at place: DPoPSender.Place,
        limits: HTTPLimits,
        check: SignInError.Check,
        prepare: () throws(SignInError) -> (HTTPRequest, [UInt8])
    ) async throws(SignInError) -> HTTPReply {
        guard let address = request.address else { throw Self.error(.malformed, check) }
        let sender = DPoPSender(
            transport: OneExchange(http: self, check: check),
            nonces: nonces,
            clock: Clock(random: random, now: now)
        )
        do {
            return try await sender.send(
                request.method,
                to: address,
                with: key,
                token: token,
                at: place,
                limits: limits
            ) { _ in
                let (request, body) = try prepare()
                return (request.headerFields, body)
            }.reply
        } catch let error as SignInError {
            throw error
        } catch let error as HTTPTransportError {
            throw Self.error(error, check)
        } catch {
            throw SignInError(.misconfigured(.proofRefused))
        }
    }

    /// The time, and the random source, of one proof.
    var moment: Moment { Moment(now: now(), random: random) }
}

/// The client's own way to a server, which checks `localhost` and tells the log.
private struct OneExchange: HTTPTransport {
    let http: ProviderHTTP
    let check: SignInError.Check

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        try await http.exchange(request, body, limits, check)
    }
}
