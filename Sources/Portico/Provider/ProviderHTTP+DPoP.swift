import HTTPTypes
import PorticoBytes
import PorticoProtocol

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
