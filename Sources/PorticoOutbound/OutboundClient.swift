import AsyncHTTPClient
package import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PorticoBytes
package import PorticoProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// ``HTTPTransport`` over async-http-client, for programs that have SwiftNIO anyway.
///
/// Holds a pool of connections: make one for the program and end it with ``shutdown()``.
package final class OutboundClient: HTTPTransport {
    private let client: HTTPClient
    private let localhost: LocalhostName
    private let isDown = Locked(false)

    /// - Parameters:
    ///   - trustedRoots: PEM file with the roots to trust instead of the system's.
    ///   - connectTo: Addresses to connect to instead of what DNS says, by host. The certificate is
    ///     still checked for the host.
    ///   - localhost: Says where plain http for `localhost` goes.
    package init(
        trustedRoots: String? = nil,
        connectTo: [String: String] = [:],
        localhost: LocalhostName = .system
    ) {
        self.localhost = localhost
        var tls = TLSConfiguration.makeClientConfiguration()
        if let trustedRoots { tls.trustRoots = .file(trustedRoots) }
        // RFC 9325 §3.1.1: nothing older.
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            // HTTPTransport's promise: a redirect is a reply like any other.
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5)),
            proxy: nil,
            // A small compressed body must not become a large one: none is asked for.
            decompression: .disabled
        )
        configuration.dnsOverride = connectTo
        // One way to read an answer, which the gate below stands in. Without HTTP/2 each request
        // under way has a connection.
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        configuration.http1_1ConnectionDebugInitializer = StatusGate.add
        // Whether to try again is for the caller to say.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Ends the connections; to be called once, after the last reply.
    package func shutdown() async throws {
        isDown.withLock { $0 = true }
        try await client.shutdown()
    }

    deinit {
        // Whoever forgot, or was thrown past it, must not leave connections open.
        if !isDown.withLock({ $0 }) { client.shutdown { _ in } }
    }

    package func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address else { throw .malformed }
        var outgoing = HTTPClientRequest(url: address.text)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields {
            outgoing.headers.add(name: field.name.rawName, value: field.value)
        }
        if !body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        let literals = try await localhost.literals(for: address)
        do {
            guard let literals else { return try await complete(outgoing, limits) }
            // No name goes to the client: it would ask the resolver again.
            outgoing.headers.replaceOrAdd(name: "host", value: address.authority)
            return try await complete(outgoing, at: literals, limits)
        } catch {
            throw Self.transportError(error)
        }
    }

    /// At the first of some addresses that takes the connection.
    private func complete(
        _ request: HTTPClientRequest,
        at addresses: [HTTPAddress],
        _ limits: HTTPLimits
    ) async throws -> HTTPReply {
        var request = request
        for address in addresses.dropLast() {
            request.url = address.text
            do {
                return try await complete(request, limits)
            } catch let error where Self.isNotConnected(error) {
                // Nothing was sent; the next address may answer.
            }
        }
        guard let last = addresses.last else { throw HTTPTransportError.unreachable }
        request.url = last.text
        return try await complete(request, limits)
    }

    /// Whether no connection came about: what `connect(2)` says, or who called it.
    private static func isNotConnected(_ error: any Error) -> Bool {
        guard let error = error as? IOError else { return error is NIOConnectionError }
        return [ECONNREFUSED, EADDRNOTAVAIL, ENETUNREACH, EAFNOSUPPORT].contains(error.errnoCode)
    }

    /// The client's own deadline ends with the head of the answer; ours with the last byte.
    private func complete(_ request: HTTPClientRequest, _ limits: HTTPLimits) async throws
        -> HTTPReply
    {
        // A limit from outside must not overflow the clock's nanoseconds.
        let seconds = min(max(limits.seconds, 0), 86_400)
        return try await withThrowingTaskGroup(of: HTTPReply.self) { group in
            group.addTask { [client] in
                let deadline = NIODeadline.now() + .seconds(Int64(seconds))
                let answer = try await client.execute(request, deadline: deadline)
                return HTTPReply(
                    response: try Self.response(answer.status, answer.headers),
                    body: try await Self.body(of: answer, upTo: limits.bytes)
                )
            }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                throw HTTPTransportError.timedOut
            }
            defer { group.cancelAll() }
            guard let reply = try await group.next() else { throw CancellationError() }
            return reply
        }
    }

    private static func body(of answer: HTTPClientResponse, upTo limit: Int) async throws
        -> [UInt8]
    {
        var body: [UInt8] = []
        for try await part in answer.body {
            guard part.readableBytes <= limit - body.count else {
                throw HTTPTransportError.tooLarge
            }
            body.append(contentsOf: part.readableBytesView)
        }
        return body
    }

    /// Also what ``GuardedTransport`` makes of a reply's head.
    ///
    /// - Throws: malformed, where the status is no reply's. The type of a status traps above 999.
    static func response(_ status: HTTPResponseStatus, _ headers: HTTPHeaders)
        throws(HTTPTransportError) -> HTTPResponse
    {
        guard StatusGate.isFinal(status) else { throw .malformed }
        var response = HTTPResponse(status: .init(code: Int(status.code)))
        for (name, value) in headers {
            // A field that is none cannot be meant for us.
            guard let name = HTTPField.Name(name) else { continue }
            response.headerFields.append(HTTPField(name, received: value))
        }
        return response
    }

    static func transportError(_ error: any Error) -> HTTPTransportError {
        if error is CancellationError { return .cancelled }
        if let error = error as? HTTPTransportError { return error }
        if let error = error as? HTTPClientError { return clientError(error) }
        if error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError {
            return .untrusted
        }
        if error is HTTPParserError { return .malformed }
        return .unreachable
    }

    private static func clientError(_ error: HTTPClientError) -> HTTPTransportError {
        switch error {
        case .cancelled, .requestStreamCancelled: .cancelled
        case .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout,
            .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            .timedOut
        case .invalidURL, .emptyHost, .emptyScheme, .bodyLengthMismatch:
            .malformed
        default: .unreachable
        }
    }
}
