#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ChildProcess {
    /// Starts `path` with `input` as its standard input.
    static func start(
        _ path: String,
        _ arguments: [String],
        _ environment: [String],
        input: Int32
    ) -> pid_t? {
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
        guard posix_spawn_file_actions_adddup2(&actions, input, 0) == 0,
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0,
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0
        else { return nil }
        // A mail program may leave another one running, which must not hold our listening socket.
        for descriptor in openFiles() where descriptor > 2 {
            guard posix_spawn_file_actions_addclose(&actions, descriptor) == 0 else { return nil }
        }
        // Signals are to it as they are to any program: our threads hold some of them back.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        guard posix_spawnattr_setflags(&attributes, Int16(flags)) == 0,
            posix_spawnattr_setpgroup(&attributes, 0) == 0,
            posix_spawnattr_setsigmask(&attributes, &none) == 0,
            posix_spawnattr_setsigdefault(&attributes, &all) == 0
        else { return nil }
        let texts = ([path] + arguments).map { strdup($0) }
        let variables = environment.map { strdup($0) }
        defer { for text in texts + variables { free(text) } }
        var process = pid_t()
        let result = posix_spawn(
            &process,
            path,
            &actions,
            &attributes,
            texts + [nil],
            variables + [nil]
        )
        return result == 0 ? process : nil
    }

    /// The files that this process has open, at this moment.
    private static func openFiles() -> [Int32] {
        guard let folder = opendir("/dev/fd") else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let number = Int32(name), number != dirfd(folder) { found.append(number) }
        }
        return found
    }
}
