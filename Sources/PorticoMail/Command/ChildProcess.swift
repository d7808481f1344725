import PorticoBytes
import PorticoSystem

/// A program that gets a text as input and is waited for, on a thread that may block.
///
/// It has its own process group and none of our open files. Its output is discarded: a mail program
/// may repeat the mail.
struct ChildProcess {
    private let id: pid_t
    /// Our end of its standard input.
    private let input: Int32

    enum End: Hashable, Sendable {
        case exited(Int32)
        case killed
        case timedOut
        case cancelled
    }

    /// - Parameter path: Absolute; PATH is not searched.
    /// - Returns: `nil` if it cannot be started.
    init?(_ path: String, _ arguments: [String], environment: [String]) {
        guard path.hasPrefix("/"), let ends = Self.pipe() else { return nil }
        defer { close(ends.read) }
        guard let id = Subprocess.start(path, arguments, environment: environment, input: ends.read)
        else {
            close(ends.write)
            return nil
        }
        self.id = id
        input = ends.write
    }

    /// Writes `bytes` to it, closes its input, and waits for its end. After `limit` it is killed,
    /// with the processes that it started in its group.
    ///
    /// Must be called once only.
    func run(input bytes: [UInt8], limit: Duration, _ cancellation: Cancellation) -> End {
        let end = ContinuousClock.now + limit
        var unsent: ArraySlice<UInt8>? = bytes[...]
        while true {
            if let rest = unsent {
                unsent = write(rest)
                if unsent == nil { close(input) }
            } else {
                // Waiting for its end cannot have a limit, so this polls; mail programs are quick.
                usleep(5000)
            }
            var status: Int32 = 0
            let ended = waitpid(id, &status, WNOHANG)
            let isLate = ContinuousClock.now >= end
            guard ended == 0 || (ended < 0 && errno == EINTR), !isLate, !cancellation.isCancelled
            else {
                if unsent != nil { close(input) }
                if ended == id { return Self.end(status) }
                kill(-id, SIGKILL)
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                return isLate ? .timedOut : cancellation.isCancelled ? .cancelled : .killed
            }
        }
    }

    /// The rest to write; `nil` if nothing is left, or the pipe has no reader any more.
    private func write(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var ready = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, 20) > 0 else { return bytes }
        let count = bytes.withUnsafeBytes { buffer in
            #if canImport(Darwin)
                Darwin.write(input, buffer.baseAddress, buffer.count)
            #elseif canImport(Glibc)
                Glibc.write(input, buffer.baseAddress, buffer.count)
            #else
                Musl.write(input, buffer.baseAddress, buffer.count)
            #endif
        }
        if count < 0, errno == EINTR || errno == EAGAIN { return bytes }
        guard count > 0 else { return nil }
        let rest = bytes.dropFirst(count)
        return rest.isEmpty ? nil : rest
    }

    private static func end(_ status: Int32) -> End {
        // The macros WIFEXITED and WEXITSTATUS.
        status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed
    }

    /// Our end does not block when the pipe is full, and no other program inherits it.
    private static func pipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
            guard Darwin.pipe(&ends) == 0 else { return nil }
        #elseif canImport(Glibc)
            guard Glibc.pipe(&ends) == 0 else { return nil }
        #else
            guard Musl.pipe(&ends) == 0 else { return nil }
        #endif
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }
}
