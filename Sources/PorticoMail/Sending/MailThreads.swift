import NIOPosix
import PorticoBytes
import PorticoSystem

/// Threads for sending mail: libcurl and commands block, which no task may do.
final class MailThreads: Sendable {
    private let pool: NIOThreadPool
    private let waiting = Locked(0)
    private let mostWaiting: Int

    /// - Parameter mostWaiting: How many may wait in addition to those being sent.
    init(threads: Int, mostWaiting: Int = 64) {
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
        self.mostWaiting = threads + mostWaiting
    }

    func shutDown() async {
        // `try?`: it fails only if it was shut down before.
        try? await pool.shutdownGracefully()
    }

    /// Runs `body` on one of the threads; its argument shows when no caller waits any more.
    func run(_ body: @escaping @Sendable (Cancellation) -> DeliveryFailure?)
        async
        throws(DeliveryFailure)
    {
        let isAdmitted = waiting.withLock { count in
            guard count < mostWaiting else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { throw DeliveryFailure(.busy) }
        defer { waiting.withLock { $0 -= 1 } }
        let cancellation = Cancellation()
        let failure: DeliveryFailure?
        do {
            failure = try await withTaskCancellationHandler {
                try await pool.runIfActive {
                    Self.holdBrokenPipes()
                    return body(cancellation)
                }
            } onCancel: {
                cancellation.cancel()
            }
        } catch {
            // The threads were shut down, or the task was cancelled before it started.
            throw DeliveryFailure(.cancelled)
        }
        if let failure { throw failure }
    }

    /// Writing to a connection that the peer has closed raises a signal that ends the process. It
    /// stays pending on this thread, which is ours, and the write fails instead.
    private static func holdBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// Whether a caller still waits for a thread's result.
final class Cancellation: Sendable {
    private let flag = Locked(false)

    func cancel() {
        flag.withLock { $0 = true }
    }

    var isCancelled: Bool {
        flag.withLock { $0 }
    }
}
