import PorticoBytes
import PorticoSystem
import PorticoWeb

/// The port that the server will listen on, reserved before anything else is done: a port that is
/// free now may be taken by an outgoing connection before the server listens.
///
/// The socket is bound and never listens. On Linux a server that binds with `SO_REUSEADDR`, as ours
/// does, can share the port with it, and the system gives the port to no one who does not ask for
/// that number. On other systems the two would conflict, so the port is only checked.
final class ReservedPort: Sendable {
    /// With the port that the system chose if 0 was asked for.
    let address: ListenAddress
    private let descriptor: Int32

    init(_ wanted: ListenAddress) throws(Failure) {
        let family = wanted.host.hasBytes(":") ? AF_INET6 : AF_INET
        #if canImport(Glibc)
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else {
            // The server will fail in the same way, and report why.
            address = wanted
            self.descriptor = -1
            return
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var reuse: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, size)
        guard Self.bind(descriptor, to: wanted) else {
            let code = errno
            close(descriptor)
            throw Self.failure(wanted, code)
        }
        address = ListenAddress(host: wanted.host, port: Self.boundPort(descriptor) ?? wanted.port)
        #if os(Linux)
            self.descriptor = descriptor
        #else
            close(descriptor)
            self.descriptor = -1
        #endif
    }

    /// A port of this machine: the same as last time, unless another program has it by now.
    static func onLoopback(again former: Int?) throws(Failure) -> ReservedPort {
        if let former {
            // `try?`: the program that has it keeps it.
            let reserved = try? ReservedPort(ListenAddress(host: "127.0.0.1", port: former))
            if let reserved { return reserved }
        }
        return try ReservedPort(ListenAddress(host: "127.0.0.1", port: 0))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private static func bind(_ descriptor: Int32, to address: ListenAddress) -> Bool {
        let port = UInt16(truncatingIfNeeded: address.port).bigEndian
        if address.host.hasBytes(":") {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port
            guard inet_pton(AF_INET6, address.host, &name.sin6_addr) == 1 else { return false }
            return withSocketAddress(&name) { systemBind(descriptor, $0, $1) == 0 }
        }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port
        guard inet_pton(AF_INET, address.host, &name.sin_addr) == 1 else { return false }
        return withSocketAddress(&name) { systemBind(descriptor, $0, $1) == 0 }
    }

    private static func boundPort(_ descriptor: Int32) -> Int? {
        var name = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isKnown = withSocketAddress(&name) { pointer, _ in
            getsockname(descriptor, pointer, &length) == 0
        }
        // The port is at the same offset in both families.
        return isKnown ? Int(UInt16(bigEndian: name.sin6_port)) : nil
    }

    private static func withSocketAddress<Name, Result>(
        _ name: inout Name,
        _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Name>.size))
            }
        }
    }

    private static func failure(_ address: ListenAddress, _ code: Int32) -> Failure {
        switch code {
        case EADDRINUSE:
            Failure(
                .portInUse,
                "Another program is already listening on \(address.text).",
                "Find it: ss -ltnp 'sport = :\(address.port)'",
                "Or use another port: \(portico("serve --listen \(address.withAnyPort)"))"
            )
        case EACCES:
            Failure(
                .wrongValue,
                "Only the administrator may listen on port \(address.port).",
                "Use a port above 1023 behind a proxy: "
                    + portico("serve --listen 127.0.0.1:8080")
            )
        default:
            Failure(
                .wrongValue,
                "Cannot listen on \(address.text): \(systemReason(code)).",
                "Check that it is an address of this machine."
            )
        }
    }
}

extension ListenAddress {
    fileprivate var withAnyPort: String { ListenAddress(host: host, port: 0).text }
}

/// `bind(2)`: the method above hides it.
private func systemBind(
    _ descriptor: Int32,
    _ address: UnsafePointer<sockaddr>,
    _ length: socklen_t
) -> Int32 {
    bind(descriptor, address, length)
}

/// Keeps a second server out of a data directory: a server has its counters of wrong passwords and
/// the times when sessions were last seen in memory.
///
/// Commands that administer realms do not need it, as they use only the database. The system releases
/// the lock when the process ends, however it ends.
final class ServerLock: Sendable {
    private let descriptor: Int32

    init(_ directory: DataDirectory) throws(Failure) {
        let path = directory.serverLock
        switch FileLock.attempt(path) {
        case .taken(let taken): descriptor = taken
        case .impossible(let reason):
            throw Failure(
                .dataDirectory,
                "\(printable(path)) cannot be opened: \(systemReason(reason)).",
                advice: [
                    FileOwner(path).flatMap { $0.isOwn ? nil : $0.remedy("600") }
                        ?? FileOwner(directory.path).flatMap { $0.isOwn ? nil : $0.remedy("700") }
                        ?? "Choose another folder: --data-directory PATH"
                ]
            )
        case .held:
            let other = Self.lines(path).first.flatMap { pid_t($0) }
            throw Failure(
                .alreadyRunning,
                "Another portico is already serving from \(printable(directory.path))"
                    + (other.map { " (process \($0))." } ?? "."),
                "Stop it, or choose another folder: --data-directory PATH"
            )
        }
        write("\(getpid())\n")
    }

    /// Writes down this server's public URL, for commands that are run without it.
    func note(publicURL: String) {
        write("\(getpid())\n\(publicURL)\n")
    }

    /// A failure is ignored: the text only informs, and the lock holds without it.
    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, bytes, bytes.count, 0) }
    }

    deinit {
        FileLock.release(descriptor)
    }

    private static func lines(_ path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        // `try?`: an unreadable file names no server.
        let bytes = try? FileBytes.read(descriptor, limit: 4096)
        return String(decoding: bytes ?? [], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The public URL of the server that serves from the folder, or `nil` if none does.
    ///
    /// It does not try the lock, because a server starting at this moment would find it taken.
    static func servedURL(_ directory: DataDirectory) -> PublicURL? {
        let lines = lines(directory.serverLock)
        guard lines.count >= 2, let process = pid_t(lines[0]), process > 0,
            kill(process, 0) == 0 || errno == EPERM
        else { return nil }
        // `try?`: if it is not a URL, no server wrote it.
        return try? PublicURL(String(lines[1]))
    }
}
