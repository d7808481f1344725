import Foundation
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport

/// A person at a browser without scripts, over real sockets: cookies, the first form of a page,
/// redirects.
final class WebPerson: Sendable {
    private let transport = OutboundClient()
    private let named: (any HTTPTransport)?
    /// By host, and then by name.
    private let cookies = Locked<[String: [String: String]]>([:])
    /// The same, as they were set.
    private let fields = Locked<[String: [String: String]]>([:])

    /// - Parameter network: Where https addresses lead; without one they are asked as any browser would.
    init(in network: TestNetwork? = nil) {
        named = network.map { GuardedTransport(in: $0) }
    }

    /// Opens an address, fills in the form that comes, and follows the redirects to their end.
    func signIn(at address: String, _ username: String, _ password: String) async throws -> Reply {
        let page = try await get(address)
        guard let action = page.formAction else { return page }
        let form = page.hiddenFields + [("username", username), ("password", password)]
        return try await send(
            .post,
            Self.absolute(action, from: address),
            FormEncoding.encode(form)
        )
    }

    /// Fills in the first form of a page that came from `address`, and follows the redirects to
    /// their end.
    func submit(_ page: Reply, from address: String, _ fields: [(String, String)]) async throws
        -> Reply
    {
        let form = page.hiddenFields + fields.map { (name: $0.0, value: $0.1) }
        return try await send(
            .post,
            Self.absolute(page.formAction ?? "", from: address),
            FormEncoding.encode(form)
        )
    }

    func get(_ address: String, with fields: HTTPFields = [:]) async throws -> Reply {
        try await send(.get, address, [], with: fields)
    }

    func post(_ address: String, _ form: [(String, String)], with fields: HTTPFields = [:])
        async throws -> Reply
    {
        let body = FormEncoding.encode(form.map { (name: $0.0, value: $0.1) })
        return try await send(.post, address, body, with: fields)
    }

    func cookie(_ name: String, of host: String) -> String? {
        cookies.withLock { $0[host]?[name] }
    }

    /// The whole field, with the cookie's attributes.
    func field(ofCookie name: String, of host: String) -> String? {
        fields.withLock { $0[host]?[name] }
    }

    func close() async throws {
        try await transport.shutdown()
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ text: String,
        _ body: [UInt8],
        with fields: HTTPFields = [:]
    ) async throws -> Reply {
        var (method, text, body) = (method, text, body)
        for _ in 0..<10 {
            guard let address = HTTPAddress(text) else { throw HTTPTransportError.malformed }
            var request = HTTPRequest(method, to: address)
            if !body.isEmpty {
                request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            }
            request.headerFields.append(contentsOf: fields)
            let jar = cookies.withLock { $0[address.host] ?? [:] }
            if !jar.isEmpty {
                request.headerFields[.cookie] = jar.sorted { $0.key < $1.key }
                    .map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            }
            let way: any HTTPTransport = address.isSecure ? named ?? transport : transport
            let reply = try await way.send(
                request,
                body: body,
                limits: HTTPLimits(bytes: 1 << 20, seconds: 30)
            )
            keep(reply.response.headerFields, of: address.host)
            // An app's own scheme is not followed.
            guard [302, 303, 307].contains(reply.response.status.code),
                let location = reply.response.headerFields[.location],
                HTTPAddress(Self.absolute(location, from: text)) != nil
            else {
                return Reply(
                    status: reply.response.status.code,
                    headers: reply.response.headerFields,
                    body: reply.body
                )
            }
            (method, text, body) = (.get, Self.absolute(location, from: text), [])
        }
        throw HTTPTransportError.malformed
    }

    private func keep(_ fields: HTTPFields, of host: String) {
        for header in fields[values: .setCookie] {
            let pair = header.prefix { $0 != ";" }
            guard let equals = pair.firstIndex(of: "=") else { continue }
            let value = String(pair[pair.index(after: equals)...])
            let name = String(pair[..<equals])
            cookies.withLock { $0[host, default: [:]][name] = value }
            self.fields.withLock { $0[host, default: [:]][name] = header }
        }
    }

    /// Without the fragment, which no server is told.
    private static func absolute(_ reference: String, from base: String) -> String {
        let whole = URL(string: reference, relativeTo: URL(string: base))?.absoluteString
        return String((whole ?? reference).prefix { $0 != "#" })
    }
}
