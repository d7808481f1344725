#if !(canImport(UIKit) && !targetEnvironment(macCatalyst))
    import PorticoSystem

    /// Starts programs without a shell (RFC 8252 appendix B.5).
    package enum Subprocess {
        /// Starts `program`, found on PATH if it is only a name.
        ///
        /// It gets its own process group, so that Ctrl-C in our terminal does not end it, and only
        /// those of our open files that are passed to it.
        ///
        /// - Parameters:
        ///   - environment: `NAME=value`; `nil` for ours.
        ///   - input: The program's input. For each of the three, `nil` is `/dev/null`. The caller closes
        ///     its own.
        /// - Returns: The process id; `nil` if the program cannot be started. If the system
        ///   refuses, `errno` has the reason.
        package static func start(
            _ program: String,
            _ arguments: [String],
            environment: [String]? = nil,
            input: Int32? = nil,
            output: Int32? = nil,
            errors: Int32? = nil
        ) -> Int32? {
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
            let streams: [(Int32, Int32?, Int32)] = [
                (0, input, O_RDONLY), (1, output, O_WRONLY), (2, errors, O_WRONLY),
            ]
            for (number, file, mode) in streams {
                let result =
                    file.map { posix_spawn_file_actions_adddup2(&actions, $0, number) }
                    ?? posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
                guard result == 0 else { return nil }
            }
            // The program may leave another one running, which must not hold our listening socket.
            #if canImport(Darwin)
                let flags = Self.flags | POSIX_SPAWN_CLOEXEC_DEFAULT
            #else
                let flags = Self.flags
                let highest = highestOpenFile()
                // With a margin: another thread may open files at the same time. A file that is not
                // open is not an error, and no file exceeds the limit of open files.
                for file in 3...(highest + 64) {
                    let result = posix_spawn_file_actions_addclose(&actions, file)
                    guard result == 0 || file > highest else { return nil }
                }
            #endif
            // The program needs default signal handling: our threads block some signals.
            var none = sigset_t()
            var all = sigset_t()
            sigemptyset(&none)
            sigfillset(&all)
            guard posix_spawnattr_setflags(&attributes, Int16(flags)) == 0,
                posix_spawnattr_setpgroup(&attributes, 0) == 0,
                posix_spawnattr_setsigmask(&attributes, &none) == 0,
                posix_spawnattr_setsigdefault(&attributes, &all) == 0
            else { return nil }
            let texts = ([program] + arguments).map { strdup($0) } + [nil]
            var variables = (environment ?? []).map { strdup($0) } + [nil]
            defer { for text in texts + variables { free(text) } }
            // PATH is searched only for a plain name.
            let spawn = program.contains("/") ? posix_spawn : posix_spawnp
            var process = pid_t()
            for _ in 0..<20 {
                let result = variables.withUnsafeMutableBufferPointer { variables in
                    let variables = environment == nil ? environ : variables.baseAddress
                    return spawn(&process, program, &actions, &attributes, texts, variables)
                }
                // A program that was just installed may still be open for writing.
                guard result != 0 else { return process }
                errno = result
                guard result == ETXTBSY else { return nil }
                usleep(10_000)
            }
            errno = ETXTBSY
            return nil
        }

        private static let flags =
            POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF

        private static func highestOpenFile() -> Int32 {
            guard let folder = opendir("/dev/fd") else { return 3 }
            defer { closedir(folder) }
            var highest: Int32 = 3
            while let entry = readdir(folder) {
                // Read in place: the last entry of a listing is shorter than the type.
                let number = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                    Int32(digits: name.prefix { $0 != 0 })
                }
                highest = max(highest, number ?? 0)
            }
            return highest
        }
    }
#endif
