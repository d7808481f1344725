package import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import PorticoBytes
package import PorticoProtocol
package import PorticoWeb

/// Sends requests to a responder as over HTTP, without a socket.
package struct TestDoor: Sendable {
    private let respond: @Sendable (Request, WebContext) async throws -> Response
    private let peer: String

    /// - Parameter peer: The address at the other end of every connection.
    package init<Responder: HTTPResponder>(_ responder: Responder, peer: String = "10.0.0.1")
    where Responder.Context == WebContext {
        respond = { try await responder.respond(to: $0, context: $1) }
        self.peer = peer
    }

    package func send(_ head: HTTPRequest, body: [UInt8] = []) async throws -> Reply {
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: peer, port: 40_000)
        let context = WebContext(
            source: ApplicationRequestContextSource(
                channel: channel,
                logger: Logger(label: "test")
            )
        )
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
        let response = try await respond(request, context)
        let collector = BodyBytes()
        try await response.body.write(collector)
        return Reply(
            status: response.status.code,
            headers: response.headers,
            body: collector.bytes.withLock { $0 }
        )
    }
}

private struct BodyBytes: ResponseBodyWriter {
    let bytes = Locked<[UInt8]>([])

    mutating func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// What the BFF sends to providers, answered by responders in this process, by host.
package struct DoorTransport: HTTPTransport {
    package let doors: [String: TestDoor]

    package init(_ doors: [String: TestDoor]) {
        self.doors = doors
    }

    package func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let authority = request.authority, let door = doors[authority] else {
            throw .unreachable
        }
        let reply: Reply
        do {
            reply = try await door.send(request, body: body)
        } catch {
            throw .unreachable
        }
        guard reply.body.count <= limits.bytes else { throw .tooLarge }
        return HTTPReply(
            response: HTTPResponse(
                status: .init(code: reply.status),
                headerFields: reply.headers
            ),
            body: reply.body
        )
    }
}
