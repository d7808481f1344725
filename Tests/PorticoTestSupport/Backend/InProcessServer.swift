package import HTTPTypes
import NIOCore
import PorticoBytes
package import PorticoProtocol
package import PorticoWeb

/// Sends requests to a responder as over HTTP, without a socket.
package struct InProcessServer: Sendable {
    private let responder: any Responder
    private let peer: String

    /// - Parameter peer: The address at the other end of every connection.
    package init(_ responder: any Responder, peer: String = "10.0.0.1") {
        self.responder = responder
        self.peer = peer
    }

    /// What would go to the peer.
    package func answer(_ head: HTTPRequest, body: [UInt8] = []) async throws -> Response {
        let request = Request(
            head: head,
            body: ByteBuffer(bytes: body),
            peer: try SocketAddress(ipAddress: peer, port: 40_000)
        )
        return await responder.respond(to: request)
    }

    package func send(_ head: HTTPRequest, body: [UInt8] = []) async throws -> Reply {
        let response = try await answer(head, body: body)
        return Reply(
            status: response.status.code,
            headers: response.headers,
            body: Array(response.body.readableBytesView)
        )
    }
}

/// What the BFF sends to providers, answered by responders in this process, by host.
package struct InProcessTransport: HTTPTransport {
    package let doors: [String: InProcessServer]

    package init(_ doors: [String: InProcessServer]) {
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
