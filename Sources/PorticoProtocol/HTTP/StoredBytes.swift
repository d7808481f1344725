package import HTTPTypes

/// Bytes that are not in memory, and are read in parts, again and again.
package protocol StoredBytes: Sendable {
    var count: Int { get }

    /// - Returns: How many bytes were read; 0 at the end, `nil` if they cannot be read.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int?
}

/// A transport that also sends bodies which are not in memory.
package protocol StoredBodyTransport: HTTPTransport {
    /// As ``HTTPTransport/send(_:body:limits:)``: all the bytes from the first one, after their length.
    ///
    /// - Parameter limits: The time that such a body takes is added.
    func send(_ request: HTTPRequest, stored: any StoredBytes, limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
}
