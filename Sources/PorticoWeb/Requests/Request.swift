package import HTTPTypes
package import NIOCore

/// A request with its complete body, as the connection passes it on (RFC 9110 §6).
package struct Request: Sendable {
    package let head: HTTPRequest
    /// Empty without a body. ``ConnectionLimits`` bounds it.
    package let body: ByteBuffer
    /// What became of a body that is longer than ``ConnectionLimits/body``, at a row that takes such;
    /// `nil` at all others.
    package let upload: Upload?
    /// The peer of the connection, which may be a proxy. ``ClientAddress`` is the client.
    package let peer: SocketAddress?

    package init(
        head: HTTPRequest,
        body: ByteBuffer = ByteBuffer(),
        upload: Upload? = nil,
        peer: SocketAddress? = nil
    ) {
        self.head = head
        self.body = body
        self.upload = upload
        self.peer = peer
    }

    package var method: HTTPRequest.Method { head.method }

    package var headers: HTTPFields { head.headerFields }
}

/// Answers every request that a connection passes on.
package protocol Responder: Sendable {
    func respond(to request: Request) async -> Response

    /// Who may send a long body with this head, if its row takes one.
    func uploadCheck(of request: Request) -> UploadCheck?
}

extension Responder {
    package func uploadCheck(of request: Request) -> UploadCheck? { nil }
}
