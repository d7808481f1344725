import Foundation

/// The port that the server will listen on, looked at before anything else is done, and kept from then
/// on: one that was free a moment ago may be some connection's own by the time the server asks for it.
///
/// The socket is bound and never listens. On Linux a server that asks with `SO_REUSEADDR`, as ours
/// does, is let in beside it, and nobody is given the port who did not ask for it by number. Elsewhere
/// the two would be in each other's way, so the port is only looked at.
final class ReservedPort: Sendable {
    /// With a free port where it had none.
    let address: ListenAddress
    /// -1 where nothing is held.
    private let descriptor: Int32

    init(_ wanted: ListenAddress) throws(Failure) {
        let family = wanted.host.contains(":") ? AF_INET6 : AF_INET
        #if canImport(Glibc)
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else {
            // Without sockets the server itself will say why.
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
        address = ListenAddress(
            host: wanted.host,
            port: Self.boundPort(descriptor) ?? wanted.port
        )
        #if os(Linux)
            self.descriptor = descriptor
        #else
            close(descriptor)
            self.descriptor = -1
        #endif
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
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
                "Another program is already listening on \(address.text).",
                "Find it: ss -ltnp 'sport = :\(address.port)'",
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
