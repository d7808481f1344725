#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Finds out whether an address can be listened on, before anything else is done.
enum PortProbe {
    /// - Returns: The address, with a free port where it had none.
    static func check(_ address: ListenAddress) throws(Failure) -> ListenAddress {
        let family = address.host.contains(":") ? AF_INET6 : AF_INET
        #if canImport(Glibc)
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        // Without sockets the server itself will say why.
        guard descriptor >= 0 else { return address }
        defer { close(descriptor) }
        var reuse: Int32 = 1
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_REUSEADDR,
            &reuse,
            socklen_t(MemoryLayout<Int32>.size)
        )
        guard bind(descriptor, to: address) else { throw failure(address, errno) }
        guard listen(descriptor, 1) == 0 else { throw failure(address, errno) }
        return ListenAddress(host: address.host, port: boundPort(descriptor) ?? address.port)
    }

    private static func bind(_ descriptor: Int32, to address: ListenAddress) -> Bool {
        let port = UInt16(truncatingIfNeeded: address.port).bigEndian
        if address.host.contains(":") {
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
        // The port stands at the same place in both families.
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
                "Somebody listens on \(address.text) already.",
                "Who it is: ss -ltnp 'sport = :\(address.port)'",
                "Or use another port: portico serve --listen \(address.withAnyPort)"
            )
        case EACCES:
            Failure(
                .wrongValue,
                "Port \(address.port) is for programs of the administrator.",
                "Use one above 1023, with a proxy in front: portico serve --listen 127.0.0.1:8080"
            )
        default:
            Failure(
                .wrongValue,
                "\(address.text) cannot be listened on: \(String(cString: strerror(code))).",
                "Is it an address of this machine?"
            )
        }
    }
}

extension ListenAddress {
    /// Port 0: any that is free.
    fileprivate var withAnyPort: String { ListenAddress(host: host, port: 0).text }
}

/// `bind(2)`, whose name the method above has taken.
private func systemBind(
    _ descriptor: Int32,
    _ address: UnsafePointer<sockaddr>,
    _ length: socklen_t
) -> Int32 {
    bind(descriptor, address, length)
}
