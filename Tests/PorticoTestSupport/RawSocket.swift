import Foundation

/// Blocking sockets, with nothing between a test and the bytes.
package enum RawSocket {
    /// A socket that listens; `nil` with `errno` where the port is not to be had.
    ///
    /// - Parameter sharing: With the options that let two sockets share a port, where both want to.
    package static func listen(
        _ address: String = "127.0.0.1",
        port: UInt16,
        sharing: Bool = false
    ) -> (socket: Int32, port: UInt16)? {
        let isIPv6 = address.contains(":")
        guard let descriptor = make(isIPv6) else { return nil }
        if sharing {
            var on: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, size)
        }
        let isBound = withAddress(address, port) { bind(descriptor, $0, $1) == 0 }
        guard isBound, Foundation.listen(descriptor, 16) == 0, let port = ownPort(descriptor) else {
            let reason = errno
            close(descriptor)
            errno = reason
            return nil
        }
        return (descriptor, port)
    }

    /// A connection, or `nil` where it is refused. Reading from it gives up after a minute.
    package static func connect(_ address: String = "127.0.0.1", port: UInt16) -> Int32? {
        guard let descriptor = make(address.contains(":")) else { return nil }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        let isConnected = withAddress(address, port) { Foundation.connect(descriptor, $0, $1) == 0 }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    package static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Foundation.accept(listener, nil, nil)
        return descriptor >= 0 ? descriptor : nil
    }

    /// What has come in; empty at the end, `nil` where there is an error or nothing comes.
    package static func receive(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count >= 0 ? Array(buffer[..<count]) : nil
    }

    @discardableResult
    package static func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, flags)
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    package static func close(_ descriptor: Int32) {
        _ = Foundation.close(descriptor)
    }

    /// Ends a listening socket in another thread's `accept`. That thread closes it.
    package static func shutDown(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private static func make(_ isIPv6: Bool) -> Int32? {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, stream, 0)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Not by `sockaddr_in`: NIO has the same declaration in a module of its own, and whose it is then
    /// depends on which file is compiled first.
    private static func withAddress(
        _ text: String,
        _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = Int32(AI_NUMERICHOST | AI_NUMERICSERV)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(text, String(port), &hints, &found) == 0, let found else { return false }
        defer { freeaddrinfo(found) }
        guard let address = found.pointee.ai_addr else { return false }
        return body(address, found.pointee.ai_addrlen)
    }

    private static func ownPort(_ descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isFound = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isFound else { return nil }
        return withUnsafeBytes(of: &storage) {
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}

/// An HTTP exchange whose request is written out.
package struct RawExchange: Sendable {
    package let status: Int
    package let head: String
    package let body: String

    /// Sends `request` as it is and reads to the end.
    ///
    /// - Returns: `nil` where no connection can be made or nothing comes back.
    package init?(_ request: String, to address: String = "127.0.0.1", port: UInt16) {
        guard let connection = RawSocket.connect(address, port: port) else { return nil }
        defer { RawSocket.close(connection) }
        // A server may refuse before everything is sent.
        RawSocket.send(connection, Array(request.utf8))
        self.init(from: connection)
    }

    /// Reads an answer to the end.
    package init?(from connection: Int32) {
        var received: [UInt8] = []
        while let bytes = RawSocket.receive(connection), !bytes.isEmpty { received += bytes }
        let text = String(decoding: received, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"),
            let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        self.status = status
        head = String(text[..<end.lowerBound])
        body = String(text[end.upperBound...])
    }

    /// A GET as a browser sends it.
    package static func get(
        _ target: String,
        host: String? = nil,
        address: String = "127.0.0.1",
        port: UInt16
    ) -> RawExchange? {
        let literal = address.contains(":") ? "[\(address)]" : address
        let host = host ?? "\(literal):\(port)"
        return RawExchange(
            "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nAccept: text/html\r\n\r\n",
            to: address,
            port: port
        )
    }

    package func field(_ name: String) -> String? {
        let prefix = "\(name): "
        return head.components(separatedBy: "\r\n").first { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
    }
}

extension RawExchange {
    /// The same, away from the threads that all tasks share.
    package static func run<Outcome: Sendable>(_ body: @escaping @Sendable () -> Outcome) async
        -> Outcome
    {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
