import PorticoSystem

/// The address a receiver listens on: one of the two loopback IP literals (RFC 8252 §7.3).
enum LoopbackFamily: Sendable {
    case ipv4
    case ipv6

    /// As written in a URI.
    var literal: String {
        switch self {
        case .ipv4: "127.0.0.1"
        case .ipv6: "[::1]"
        }
    }
}

/// System calls on non-blocking sockets, their results as optionals.
enum LoopbackSocket {
    /// Opens a listening socket on the loopback literal only, and returns it with its port.
    ///
    /// SO_REUSEPORT is not set: with it another process could bind the same port and receive the
    /// code (RFC 8252 appendix B.5). SO_REUSEADDR could allow that too, except on Linux: there it
    /// takes a port that a connection of an earlier such socket still waits on (RFC 9293 §3.6.1),
    /// and never one that another socket listens on. It is set on Linux only, and only for a port
    /// given by number.
    ///
    /// - Parameter port: 0 for any free one.
    static func listen(_ family: LoopbackFamily, port: UInt16) throws(Refusal)
        -> (socket: Int32, port: UInt16)
    {
        let domain = family == .ipv4 ? AF_INET : AF_INET6
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(domain, stream, 0)
        guard descriptor >= 0 else { throw .unavailable }
        #if os(Linux)
            if port != 0 { takeWaiting(descriptor) }
        #endif
        guard prepare(descriptor), bind(descriptor, family, port), posixListen(descriptor, 16) == 0,
            let port = boundPort(descriptor, family)
        else {
            let isInUse = errno == EADDRINUSE
            _ = close(descriptor)
            throw isInUse ? .inUse : .unavailable
        }
        return (descriptor, port)
    }

    /// Why the socket could not be opened.
    enum Refusal: Error {
        /// Another socket listens on the port.
        case inUse
        case unavailable
    }

    #if os(Linux)
        private static func takeWaiting(_ descriptor: Int32) {
            var on: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            // Without it the port becomes free too, but a minute later.
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        }
    #endif

    /// The next waiting connection, if any.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = posixAccept(listener)
        guard descriptor >= 0 else { return nil }
        guard prepare(descriptor) else {
            _ = close(descriptor)
            return nil
        }
        return descriptor
    }

    enum Received {
        case bytes([UInt8])
        /// Nothing yet.
        case none
        case ended
    }

    static func receive(_ descriptor: Int32) -> Received {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        if count < 0, errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR { return .none }
        return .ended
    }

    /// How many of the bytes were sent, or `nil` if the connection is closed.
    static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int? {
        #if canImport(Darwin)
            let flags: Int32 = 0  // SO_NOSIGPIPE is set instead.
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        let count = bytes.withUnsafeBytes {
            posixSend(descriptor, $0, flags)
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : nil
    }

    /// Tells the peer that nothing more will come.
    static func finishSending(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = shutdown(descriptor, Int32(SHUT_WR))
        #else
            _ = shutdown(descriptor, SHUT_WR)
        #endif
    }

    /// Makes the descriptor non-blocking, and not inherited by the browser that is started.
    static func prepare(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            var on: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
        #endif
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
            && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    }

    private static func bind(_ descriptor: Int32, _ family: LoopbackFamily, _ port: UInt16)
        -> Bool
    {
        switch family {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return withUnsafeBytes(of: &address) { posixBind(descriptor, $0) }
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return withUnsafeBytes(of: &address) { posixBind(descriptor, $0) }
        }
    }

    private static func boundPort(_ descriptor: Int32, _ family: LoopbackFamily) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length) == 0
            }
        }
        guard found else { return nil }
        return withUnsafeBytes(of: &storage) {
            // The port has the same offset in both structures.
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}

// Methods in this package have the names of these calls.
private func posixBind(_ descriptor: Int32, _ address: UnsafeRawBufferPointer) -> Bool {
    guard let base = address.baseAddress else { return false }
    let pointer = base.assumingMemoryBound(to: sockaddr.self)
    return bind(descriptor, pointer, socklen_t(address.count)) == 0
}

private func posixListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
    listen(descriptor, backlog)
}

private func posixAccept(_ listener: Int32) -> Int32 {
    accept(listener, nil, nil)
}

private func posixSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int
{
    send(descriptor, bytes.baseAddress, bytes.count, flags)
}
