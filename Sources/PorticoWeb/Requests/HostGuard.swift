package import HTTPTypes
import PorticoProtocol

/// Serves a request only under a configured name, and only if it was sent confidentially
/// (docs/decisions/0036; RFC 9110 §7.4).
///
/// The `Host` header only selects among configured origins: no address is built from it, and any
/// other value is 421.
package struct HostGuard: Sendable {
    private let origins: [PublicURL]
    private let realms: @Sendable () -> [PublicURL]

    /// - Parameter realms: The hosts of the realms that have one of their own
    ///   (docs/decisions/0059), as they are now.
    package init(
        _ origins: [PublicURL],
        realms: @escaping @Sendable () -> [PublicURL] = { [] }
    ) {
        self.origins = origins
        self.realms = realms
    }

    /// Where the server is, for who asked for another host.
    package var name: String { origins.first?.origin ?? "https://" }

    package enum Verdict: Sendable {
        /// Under this origin.
        case serve(PublicURL)
        /// Under a realm's own, where nothing else is.
        case serveRealm(PublicURL)
        /// A person used another name of this machine, or `http`: redirect to the same page under
        /// its proper address.
        case redirect(Redirect)
        /// 421: this server does not serve that host.
        case misdirected
        /// 403: plain http, and not a page that can be redirected.
        case insecure
    }

    package func check(_ request: HTTPRequest, from client: ClientAddress) -> Verdict {
        guard let host = request.authority else { return .misdirected }
        let own = origins.first { $0.isNamed(byHost: host) }
        guard let origin = own ?? realms().first(where: { $0.isNamed(byHost: host) }) else {
            return redirectFromOtherName(request, host) ?? .misdirected
        }
        guard Self.isConfidential(origin, client) else {
            return redirect(request, to: origin) ?? .insecure
        }
        return own == nil ? .serveRealm(origin) : .serve(origin)
    }

    /// RFC 6749 §3.1, §3.2: TLS, except for traffic that stays on this machine.
    private static func isConfidential(_ origin: PublicURL, _ client: ClientAddress) -> Bool {
        guard origin.isSecure else {
            // The public URL is on this machine. A request from another machine came through a
            // proxy that the operator configured, for instance a container's.
            return client.isForwarded || client.address?.isLoopback ?? true
        }
        if let isSecure = client.isSecure { return isSecure }
        return !client.isForwarded && client.address?.isLoopback ?? true
    }

    /// `localhost` and a literal have separate cookies.
    private func redirectFromOtherName(_ request: HTTPRequest, _ host: String) -> Verdict? {
        let host = host.lowercased()
        for origin in origins where origin.isInsecureLoopback {
            let names = origin.isLiteral ? ["localhost"] : ["localhost", "127.0.0.1", "[::1]"]
            guard
                names.contains(where: {
                    host == "\($0):\(origin.port)" || origin.port == 80 && host == $0
                })
            else { continue }
            return redirect(request, to: origin)
        }
        return nil
    }

    /// Only safe methods are redirected (WEB-TLS-2).
    private func redirect(_ request: HTTPRequest, to origin: PublicURL) -> Verdict? {
        guard request.method == .get || request.method == .head,
            let path = request.path, RequestTarget(path) != nil,
            let redirect = Redirect(to: origin.origin + path)
        else { return nil }
        return .redirect(redirect)
    }
}
