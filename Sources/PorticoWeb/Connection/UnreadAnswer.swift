import NIOCore

/// An answer of which bytes are still here, because its peer takes them slowly or not at all.
struct UnreadAnswer {
    private let start: NIODeadline
    /// When the peer last took some of it, as far as is known.
    private var lastTaken: NIODeadline
    /// The most bytes that were here.
    private var most: Int
    /// Bytes that are here.
    private var left: Int

    init(_ left: Int, at now: NIODeadline) {
        start = now
        lastTaken = now
        most = left
        self.left = left
    }

    /// - Parameter left: Bytes that are here now.
    /// - Returns: Whether the peer took some since it was asked last.
    mutating func isTaken(_ left: Int, at now: NIODeadline) -> Bool {
        let isTaken = left < self.left
        if isTaken { lastTaken = now }
        most = max(most, left)
        self.left = left
        return isTaken
    }

    /// Until when the peer has to take more. It may take long as long as it goes on, and not more slowly
    /// than others send (``Uploads/slowest``).
    func deadline(_ limits: ConnectionLimits) -> NIODeadline {
        let taken = Int64(most - left)
        let average = start + limits.answerTime + .milliseconds(taken * 1000 / Uploads.slowest)
        return min(average, lastTaken + limits.answerTime)
    }
}
