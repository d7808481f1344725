import NIOCore

/// The received part of an incomplete request.
struct ArrivingRequest {
    /// `nil` until the head is complete.
    var head: RequestHead?
    private(set) var body: ByteBuffer?
    private var bodyParts = 0
    /// Bytes of the body so far, wherever they are.
    private(set) var received = 0
    /// Once a body longer than others is let in.
    var upload: ArrivingUpload?
    /// Received bytes, including those that only frame a body.
    var kept = 0

    /// How many bytes of the body are still missing, as far as `Content-Length` gives it.
    var bodyLeft: Int {
        guard let length = head?.bodyLength else { return 0 }
        return length - received
    }

    /// - Returns: Whether the body is still within the limits.
    mutating func append(_ bytes: ByteBuffer, within limits: ConnectionLimits) -> Bool {
        var bytes = bytes
        received += bytes.readableBytes
        if body == nil {
            body = bytes
        } else {
            body?.writeBuffer(&bytes)
        }
        bodyParts += 1
        let longest = longest(limits)
        return received <= longest && bodyParts <= limits.bodyParts(longest)
    }

    /// Bytes that its body may have.
    func longest(_ limits: ConnectionLimits) -> Int {
        guard upload == nil else { return limits.uploads?.bytes ?? 0 }
        return head?.longestBody ?? limits.body
    }

    /// What is in memory of the body, and is not afterwards.
    mutating func takeBody() -> ByteBuffer {
        defer { body = nil }
        return body ?? ByteBuffer()
    }

    /// Whether a part of the body is in a file, and another is not.
    var isPartlyStored: Bool { upload?.spool != nil && body != nil }

    /// What became of a long body.
    var uploaded: Upload? {
        upload.map { upload in upload.spool.map { .stored($0) } ?? .held(upload.place) }
    }
}
