import NIOCore

/// What has come of a request that is not complete.
struct ArrivingRequest {
    /// `nil` until all of it is there.
    var head: RequestHead?
    private(set) var body: ByteBuffer?
    private var bodyParts = 0
    /// Bytes as they came, with those that only frame a body.
    var kept = 0

    /// How many bytes of the body are still to come, as far as `Content-Length` says it.
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
        return length <= limits.body && bodyParts <= limits.bodyParts
    }
}
