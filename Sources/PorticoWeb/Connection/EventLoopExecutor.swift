import NIOCore

/// Runs a connection's tasks on the event loop that reads and writes its bytes.
///
/// Otherwise each request moves from the loop's thread to Swift's thread pool and back, which costs
/// more than most answers. So request handling must not block: work that waits for a disk or takes
/// long (passwords) has its own threads.
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
