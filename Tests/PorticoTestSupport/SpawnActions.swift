import Foundation

/// What a new process does before it is the program (POSIX `posix_spawn`).
struct SpawnActions {
    #if canImport(Darwin)
        private var actions: posix_spawn_file_actions_t?
        private var attributes: posix_spawnattr_t?
    #else
        private var actions = posix_spawn_file_actions_t()
        private var attributes = posix_spawnattr_t()
    #endif

    /// To be followed by ``end()``.
    mutating func prepare() throws {
        try Self.check(posix_spawn_file_actions_init(&actions))
        try Self.check(posix_spawnattr_init(&attributes))
        // A group of its own: what interrupts the tests at a terminal is the guardian's to pass on.
        // Signals are to it as they are to any program: our threads hold some of them back.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        try Self.check(posix_spawnattr_setpgroup(&attributes, 0))
        try Self.check(posix_spawnattr_setsigmask(&attributes, &none))
        try Self.check(posix_spawnattr_setsigdefault(&attributes, &all))
        var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #if canImport(Darwin)
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #endif
        try Self.check(posix_spawnattr_setflags(&attributes, Int16(flags)))
    }

    mutating func end() {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }

    mutating func connect(_ target: Int32, to file: Int32?, _ mode: Int32) throws {
        if let file {
            try Self.check(posix_spawn_file_actions_adddup2(&actions, file, target))
        } else {
            try Self.check(
                posix_spawn_file_actions_addopen(&actions, target, "/dev/null", mode, 0)
            )
        }
    }

    /// Of the files that we have open it gets none but its three.
    mutating func closeOthers() throws {
        #if !canImport(Darwin)
            // Some more: another thread may open files meanwhile. One that is not open is no error.
            for file in 3...(Self.highestOpenFile() + 64) {
                try Self.check(posix_spawn_file_actions_addclose(&actions, file))
            }
        #endif
    }

    private static func highestOpenFile() -> Int32 {
        guard let folder = opendir("/proc/self/fd") else { return 3 }
        defer { closedir(folder) }
        var highest: Int32 = 3
        while let entry = readdir(folder) {
            // In place: the last entry of a listing is shorter than the type.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            highest = max(highest, Int32(name) ?? 0)
        }
        return highest
    }

    mutating func spawn(
        _ path: String,
        _ arguments: [UnsafeMutablePointer<CChar>?],
        _ environment: [UnsafeMutablePointer<CChar>?]
    ) throws -> pid_t {
        var id = pid_t()
        try Self.check(posix_spawn(&id, path, &actions, &attributes, arguments, environment))
        return id
    }

    private static func check(_ result: Int32) throws {
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EINVAL) }
    }
}
