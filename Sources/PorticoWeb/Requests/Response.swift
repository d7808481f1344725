package import HTTPTypes
package import NIOCore

/// A complete answer (RFC 9110 §6).
package struct Response: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: ByteBuffer
    /// Lives until the peer has the answer, or the connection is closed.
    package var held: [any Sendable] = []
    /// Additional details for the access log.
    package var logged = Logged()

    package struct Logged: Sendable {
        package var realm: String?
        /// The code of an error: `invalid_grant`.
        package var error: String?
    }

    package init(
        status: HTTPResponse.Status,
        headers: HTTPFields = [:],
        body: ByteBuffer = ByteBuffer()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package init(status: HTTPResponse.Status, headers: HTTPFields, bytes: [UInt8]) {
        self.init(status: status, headers: headers, body: ByteBuffer(bytes: bytes))
    }

    /// What it takes in memory, about, in bytes.
    package var size: Int {
        headers.reduce(body.capacity) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
    }

    /// The same answer with these fields, for instance cookies.
    package func adding(_ fields: [HTTPField]) -> Response {
        var response = self
        response.headers.append(contentsOf: fields)
        return response
    }

    /// The page of a form that did nothing, as it is now (docs/decisions/0104).
    package var notDone: Response {
        var response = self
        if response.status == .ok { response.status = .forbidden }
        return response
    }

    /// The same answer, logged with the code of an error.
    package func logged(error code: String?) -> Response {
        var response = self
        response.logged.error = code
        return response
    }
}
