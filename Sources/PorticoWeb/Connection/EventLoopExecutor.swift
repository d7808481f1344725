import NIOCore

/// Runs a connection's tasks on the event loop that reads and writes its bytes.
///
/// Otherwise each request goes from the loop's thread to one of Swift's pool and back, which costs
/// more than most answers. So nothing on the way of a request may block: what waits for a disk or
/// counts long (passwords) has threads of its own.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
