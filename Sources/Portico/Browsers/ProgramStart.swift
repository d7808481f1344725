#if !(canImport(UIKit) && !targetEnvironment(macCatalyst))
    import Dispatch
    import PorticoSystem

    /// The outcome of starting a program to show a page.
    enum ProgramStart {
        /// Whether `process` has not failed before `patience` is over. A process that still runs is
        /// a browser. If the calling task is cancelled, the result is not used.
        static func isSuccess(_ process: pid_t, patience: Duration) async -> Bool {
            let outcome = FirstOutcome<Bool>()
            // Waits as long as the program runs, so that it does not become a zombie.
            DispatchQueue(label: "portico.browser").async {
                var status: Int32 = 0
                var result = waitpid(process, &status, 0)
                while result < 0, errno == EINTR { result = waitpid(process, &status, 0) }
                // Both the exit code and the signal are zero.
                outcome.tell(result == process && status == 0)
            }
            let limit = DispatchTime.now() + .milliseconds(patience.milliseconds)
            DispatchQueue.global().asyncAfter(deadline: limit) { outcome.tell(true) }
            return await withTaskCancellationHandler {
                await outcome.value()
            } onCancel: {
                outcome.tell(true)
            }
        }
    }

    extension Duration {
        /// At most a day.
        fileprivate var milliseconds: Int {
            let (seconds, attoseconds) = components
            return Int(min(max(seconds, 0), 86_400)) * 1000
                + Int(attoseconds / 1_000_000_000_000_000)
        }
    }
#endif
