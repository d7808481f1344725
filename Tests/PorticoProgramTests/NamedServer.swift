import HTTPTypes
import NIOCore
import PorticoOutbound
import PorticoProtocol
import PorticoWeb

/// Passes requests on to a server on a port of this machine, under the name that it knows itself by: as
/// a proxy would that takes TLS off.
struct NamedServer: Responder {
    let name: String
    private let transport: GuardedTransport

    init(_ name: String, port: UInt16) {
        self.name = name
        let target = GuardedTransport.ConnectTarget(
            address: "127.0.0.1",
            port: Int(port),
            isPlain: true
        )
        transport = GuardedTransport(connectTo: [name: target])
    }

    /// Of the connection, or made anew for it.
    private static let ownFields: [HTTPField.Name] = [
        .connection, .contentLength, .transferEncoding, .date,
    ]

    func respond(to request: Request) async -> Response {
        var head = HTTPRequest(
            method: request.method,
            scheme: "https",
            authority: name,
            path: request.head.path,
            headerFields: request.headers
        )
        for field in Self.ownFields { head.headerFields[field] = nil }
        do {
            let reply = try await transport.send(
                head,
                body: Array(request.body.readableBytesView),
                limits: HTTPLimits(bytes: 1 << 20, seconds: 10)
            )
            var fields = reply.response.headerFields
            for field in Self.ownFields { fields[field] = nil }
            return Response(status: reply.response.status, headers: fields, bytes: reply.body)
        } catch {
            return Response(status: .badGateway)
        }
    }
}
