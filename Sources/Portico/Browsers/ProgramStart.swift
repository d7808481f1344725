#if !(canImport(UIKit) && !targetEnvironment(macCatalyst))
    import Dispatch
    import PorticoBytes

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Starting a program without a shell (RFC 8252 appendix B.5).
    enum ProgramStart {
        /// Starts `program`, found on PATH where it is only a name, with one argument.
        ///
        /// It gets a process group of its own, so that Ctrl-C in our terminal does not end the
        /// person's browser, and neither our input nor our output.
        static func start(_ program: String, argument: String) -> pid_t? {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
            #else
                var actions = posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
            #endif
            guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
            defer { posix_spawn_file_actions_destroy(&actions) }
            guard posix_spawnattr_init(&attributes) == 0 else { return nil }
            defer { posix_spawnattr_destroy(&attributes) }
            for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
                let mode = descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY
                guard
                    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
                        == 0
                else { return nil }
            }
            guard posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) == 0,
                posix_spawnattr_setpgroup(&attributes, 0) == 0
            else { return nil }
            let texts = [strdup(program), strdup(argument)]
            defer { for text in texts { free(text) } }
            var process = pid_t()
            var result: Int32 = 0
            for _ in 0..<20 {
                result = posix_spawnp(
                    &process,
                    program,
                    &actions,
                    &attributes,
                    texts + [nil],
                    environ
                )
                // A program that has just been installed may still be open for writing somewhere.
                guard result == ETXTBSY else { break }
                usleep(10_000)
            }
            return result == 0 ? process : nil
        }

        /// Whether `process` has not failed within `patience`. One that still runs is a browser. When
        /// the calling task is cancelled nobody wants to know.
        static func isSuccess(_ process: pid_t, patience: Duration) async -> Bool {
            let outcome = FirstOutcome()
            // Waits as long as the program runs, so that it does not stay a zombie.
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

    /// What is told first, for the one who waits for it.
    private final class FirstOutcome: Sendable {
        private let state = Locked<(told: Bool?, waiting: CheckedContinuation<Bool, Never>?)>(
            (nil, nil)
        )

        func tell(_ outcome: Bool) {
            let waiting = state.withLock { state in
                if state.told == nil { state.told = outcome }
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume(returning: outcome)
        }

        func value() async -> Bool {
            await withCheckedContinuation { continuation in
                let told = state.withLock { state in
                    if state.told == nil { state.waiting = continuation }
                    return state.told
                }
                if let told { continuation.resume(returning: told) }
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
