import NIOCore

/// The received part of an incomplete request.
struct ArrivingRequest {
    /// `nil` until the head is complete.
    var head: RequestHead?
    private(set) var body: ByteBuffer?
    private var bodyParts = 0
    /// Received bytes, including those that only frame a body.
    var kept = 0

    /// How many bytes of the body are still missing, as far as `Content-Length` gives it.
    var bodyLeft: Int {
        guard let length = head?.bodyLength else { return 0 }
        return length - (body?.readableBytes ?? 0)
    }

    /// - Returns: Whether the body is still within the limits.
    mutating func append(_ bytes: ByteBuffer, within limits: ConnectionLimits) -> Bool {
        var bytes = bytes
        if body == nil {
            body = bytes
        } else {
            body?.writeBuffer(&bytes)
        }
        bodyParts += 1
        let length = body?.readableBytes ?? 0
        let longest = head?.longestBody ?? limits.body
        return length <= longest && bodyParts <= limits.bodyParts(longest)
    }
}
