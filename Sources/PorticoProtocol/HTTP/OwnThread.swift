import PorticoSystem

/// A thread of our own for one thing that blocks. A queue of libdispatch is none: on Linux the threads
/// of its concurrent queues are the ones that tasks run on, and few.
package enum OwnThread {
    /// Bytes, of which only those that are used take memory.
    private static let stack = 1024 * 1024

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Nothing waits for its end.
    ///
    /// - Returns: Whether the system has given one.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        guard pthread_attr_setstacksize(&attributes, stack) == 0 else { return false }
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let work = Unmanaged.passRetained(Work(body))
        let result = pthread_create(
            &thread,
            &attributes,
            { context in
                pthread_detach(pthread_self())
                OwnThread.takeNoSignals()
                // Darwin's argument is never nil, Linux's is optional.
                let context: UnsafeMutableRawPointer? = context
                context.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            },
            work.toOpaque()
        )
        if result != 0 { work.release() }
        return result == 0
    }

    /// They are for threads that wait for them.
    private static func takeNoSignals() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
    }
}
