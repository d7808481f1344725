import HTTPTypes
import NIOCore
import PorticoBytes
package import PorticoProtocol
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// `ANY /bff/{api}/…`: passes a request of a page or app with a session on to a configured API with
/// the person's access token (WEB-BFF-4, WEB-BFF-5; attack E33).
///
/// The path is already canonical: escapes, dot segments and the absolute form were refused before.
/// A few of the request's headers are passed on, and a few of the answer's are returned; no cookie
/// in either direction.
struct ProxyEndpoint: Sendable {
    let apis: [ProxiedAPI]
    let check: SessionCheck
    let access: ProviderAccess
    /// Connections of its own, so that no sign-in and no token waits for an API; it bounds what an API
    /// gets of them, and of the memory for answers, and a person of that (docs/decisions/0094).
    let transport: any HTTPTransport
    let calls: AccountCalls
    let headers: SecurityHeaders
    private let nonces = DPoPNonceMemory()

    /// As far as the setting `limits.body` allows it.
    private static let longestBody = 4 * 1024 * 1024
    static let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]
    /// Of an answer.
    private static let longest = HTTPLimits(bytes: 16 * 1024 * 1024, seconds: 30)

    func respond(_ name: Substring, _ rest: Substring, _ context: SignInContext) async throws
        -> Response
    {
        guard RequestOrigin.permitsProxying(context.headers) else {
            throw ServiceError(.forbidden, "Send the header X-Portico: 1.")
        }
        guard let api = apis.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            throw ServiceError(.notFound, "There is no API of that name.")
        }
        guard context.headers[.upgrade] == nil else {
            throw ServiceError(.invalidRequest, "Nothing is upgraded here.")
        }
        let live = try await check(context)
        guard let place = calls.begin(live.person.id) else {
            throw ServiceError(
                .rateLimited,
                "This account has too many calls under way.",
                retryAfter: 1
            )
        }
        let token = try await token(live.person.id, api, context)
        var request = HTTPRequest(
            // The answer to HEAD has the length of the answer to GET (RFC 9110 §8.6).
            method: context.method == .head ? .get : context.method,
            scheme: api.base.isSecure ? "https" : "http",
            authority: api.base.authority,
            path: api.base.path + (rest.isEmpty ? "" : "/\(rest)")
                + (context.target.query.map { "?\(Substring($0))" } ?? "")
        )
        for name in Self.passedOn {
            request.headerFields[values: name] = context.headers[values: name]
        }
        let body = try body(context)
        let reply: HTTPReply
        do {
            reply = try await send(request, body, of: live.person.id, token, at: context.moment)
        } catch let error as HTTPTransportError where error == .busy || error == .noRoom {
            throw ServiceError.busy
        } catch {
            throw ServiceError(.providerUnreachable, "The API does not answer.", retryAfter: 5)
        }
        var response = response(reply)
        response.held = [place] + (reply.held.map { [$0] } ?? [])
        return response
    }

    private func send(
        _ request: HTTPRequest,
        _ body: [UInt8],
        of account: String,
        _ token: ProviderAccess.Token,
        at moment: Moment
    ) async throws -> HTTPReply {
        var limits = Self.longest
        limits.person = account
        guard let key = token.key else {
            var request = request
            request.headerFields[.authorization] = "Bearer \(token.text.reveal())"
            return try await transport.send(request, body: body, limits: limits)
        }
        guard let address = request.address else { throw HTTPTransportError.malformed }
        let clock = Clock(random: moment.random) { moment.now }
        return try await DPoPSender(transport: transport, nonces: nonces, clock: clock).send(
            request.method,
            to: address,
            with: key,
            token: token.text,
            at: .resource,
            limits: limits
        ) { _ in (request.headerFields, body) }.reply
    }

    private func token(_ personID: String, _ api: ProxiedAPI, _ context: SignInContext)
        async throws
        -> ProviderAccess.Token
    {
        do {
            return try await access.token(of: personID, at: api.provider, context.moment)
        } catch let failure as ProviderAccess.Failure {
            switch failure {
            case .none:
                throw ServiceError(.accessDenied, "The account has no access to this API.")
            case .ended: throw ServiceError(.reauthenticationRequired, "Sign in again.")
            case .refused:
                throw ServiceError(
                    .providerError,
                    "The identity provider gave no access token that can be used."
                )
            case .unreachable:
                throw ServiceError(
                    .providerUnreachable,
                    "The identity provider does not answer.",
                    retryAfter: 5
                )
            }
        }
    }

    private func body(_ context: SignInContext) throws(ServiceError) -> [UInt8] {
        let body = context.request.received.body
        guard body.readableBytes <= Self.longestBody else {
            throw ServiceError(.tooLarge, "The body is larger than this address takes.")
        }
        return Array(body.readableBytesView)
    }

    /// A redirect is an answer like any other, without its address: following it would send the
    /// token to another address, and the browser must not follow it either.
    private func response(_ reply: HTTPReply) -> Response {
        var fields = headers.plain
        for name in Self.comingBack {
            if let value = reply.response.headerFields[name] { fields[name] = value }
        }
        return Response(status: reply.response.status, headers: fields, bytes: reply.body)
    }

    private static let passedOn: [HTTPField.Name] = [
        .accept, .acceptLanguage, .contentType, .ifMatch, .ifNoneMatch, .ifModifiedSince,
        .ifUnmodifiedSince, .range, .idempotencyKey,
    ]

    private static let comingBack: [HTTPField.Name] = [
        .contentType, .contentLanguage, .contentDisposition, .contentRange, .eTag, .lastModified,
        .retryAfter, .acceptRanges,
    ]
}

/// A team's API behind the BFF: requests to `/bff/{name}/…` are passed on to it with the person's
/// access token (WEB-BFF-4). No other address can be reached.
package struct ProxiedAPI: Hashable, Sendable {
    /// Lower-case letters, digits, `-`.
    package let name: String
    /// Scheme, host, port and a path to which the rest is appended; no query.
    package let base: HTTPAddress
    /// The configured name of the identity provider that issues the API's access tokens.
    package let provider: String

    /// As configured.
    package var text: String { "\(name)=\(base.text),\(provider)" }

    package enum Refusal: Error, Hashable, Sendable {
        case name
        case address
        case insecure
        case provider

        package var explanation: StaticString {
            switch self {
            case .name: "An API's name is made of lower-case letters, digits and -."
            case .address: "An API's address is http(s)://host[:port][/path], without a query."
            case .insecure: "An API that is not on a loopback literal is reached by https."
            case .provider: "Say whose access token the API takes: NAME=ADDRESS,PROVIDER"
            }
        }
    }

    /// - Parameter text: `orders=https://orders.example.com/v2,keycloak`.
    package init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isName(parts[0]) else { throw .name }
        let fields = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 2, Self.isName(fields[1]) else { throw .provider }
        guard let base = HTTPAddress(String(fields[0])), base.query == nil,
            !base.path.hasSuffix("/")
        else { throw .address }
        guard base.isSecure || base.isLoopback else { throw .insecure }
        name = String(parts[0])
        self.base = base
        provider = String(fields[1])
    }

    private static func isName(_ text: Substring) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-")
            }
    }
}
