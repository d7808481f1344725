import HTTPTypes
import NIOCore
import PorticoBytes
package import PorticoProtocol
package import PorticoWeb

/// A site that answers as a transport does.
package struct TransportSite: Responder {
    private let transport: any HTTPTransport

    package init(_ transport: any HTTPTransport) {
        self.transport = transport
    }

    package func respond(to request: Request) async -> Response {
        do {
            let reply = try await transport.send(
                request.head,
                body: Array(request.body.readableBytesView),
                limits: HTTPLimits(bytes: 1 << 20, seconds: 10)
            )
            return Response(
                status: reply.response.status,
                headers: reply.response.headerFields,
                bytes: reply.body
            )
        } catch {
            return Response(status: .badGateway, headers: [:], bytes: [])
        }
    }
}
