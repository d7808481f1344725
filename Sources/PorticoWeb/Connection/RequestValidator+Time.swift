import NIOCore

/// The deadlines of a connection.
extension RequestValidator {
    func scheduleTick(_ context: ChannelHandlerContext) {
        let shortest = min(limits.headTime, limits.bodyTime, limits.idleTime, limits.lingerTime)
        let tick = TimeAmount.nanoseconds(
            min(1_000_000_000, max(10_000_000, shortest.nanoseconds / 5))
        )
        context.eventLoop.assumeIsolated().scheduleTask(in: tick) { [weak self] in
            guard let self, let context = self.context else { return }
            check(context)
            scheduleTick(context)
        }
    }

    /// Bytes of answers that the system has not taken.
    func unsentBytes(_ context: ChannelHandlerContext) -> Int {
        // `try?`: of a channel that does not say it, nothing counts as taken.
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    private func check(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        if var unread = unreadAnswer {
            let isTaken = unread.isTaken(unsentBytes(context), at: now)
            unreadAnswer = unread
            guard now < unread.deadline(limits) else { return context.close(promise: nil) }
            // The last answer has a deadline of its own, for what is left when it is nearly read.
            if isTaken, isLeaving { deadline = now + limits.answerTime }
            // A client that has an answer to read is not idle.
            if reading == .nothing { deadline = now + limits.idleTime }
        }
        guard let deadline, now >= deadline else { return }
        switch reading {
        // A silent close: an answer could be mistaken for that of a request just sent.
        case .nothing, .stopped: context.close(promise: nil)
        case .head, .body: refuse(.tooSlow)
        }
    }
}
