import Foundation
import PorticoBytes
import PorticoOutbound
package import PorticoProtocol

/// A client's server that is told of logouts, on a real socket of this machine.
package final class LogoutReceiver: Sendable {
    private let server: LocalServer
    private let client = OutboundClient()

    /// - Parameter answer: The status line for each request, by how many came before it.
    package init(_ answer: @escaping @Sendable (Int) -> String = { _ in "200 OK" }) throws {
        let count = Locked(0)
        server = try LocalServer(takesBodies: true) { _ in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return LocalServer.reply(answer(number))
        }
    }

    deinit {
        server.stop()
    }

    package func uri(_ path: String = "/logout") -> HTTPAddress? {
        HTTPAddress("http://127.0.0.1:\(server.port)\(path)")
    }

    /// What the program has, with this server named as an exception.
    package var transport: any HTTPTransport {
        let named = [NamedHost("127.0.0.1:\(server.port)")].compactMap(\.self)
        return OperatorsExceptions(Set(named), by: client, otherwise: GuardedTransport())
    }

    /// Whole requests, as they came.
    package var requests: [String] { server.requests }

    /// The logout tokens that came, in their order.
    package var tokens: [String] {
        requests.compactMap { request in
            guard let body = request.firstRange(of: "\r\n\r\n"),
                // `try?`: what is no form has no token, and the test says so.
                let form = try? FormParameters(decoding: request[body.upperBound...].utf8)
            else { return nil }
            return form["logout_token"]
        }
    }
}
