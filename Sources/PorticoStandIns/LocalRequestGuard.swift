import HTTPTypes
import PorticoProtocol
import PorticoWeb

/// Lets requests of this machine in, under a stand-in's own names.
///
/// Proxies are not supported: a request through one did not come from this machine.
struct LocalRequestGuard: Sendable {
    let baseURL: String

    /// - Parameter isOwn: Whether a host is one of the stand-in's besides that of the base URL, at
    ///   any port.
    /// - Returns: How a request is refused; `nil` if it is let in.
    func refusal(
        of request: Request,
        _ isOwn: (_ host: String) -> Bool = { _ in false }
    ) -> HTTPResponse.Status? {
        let client = ClientAddress(peer: request.peer, headers: [:], trusting: .none)
        guard client.address?.isLoopback ?? true, !isForwarded(request.headers) else {
            return .forbidden
        }
        guard isNamed(request.head.authority) || Self.host(of: request).map(isOwn) ?? false else {
            return .misdirectedRequest
        }
        return nil
    }

    /// The host that was asked, in lower case and without its port.
    static func host(of request: Request) -> String? {
        request.head.authority.flatMap { HTTPAddress("http://\($0)")?.host }
    }

    /// Whether a proxy forwarded the request.
    private func isForwarded(_ headers: HTTPFields) -> Bool {
        ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host"].contains { name in
            HTTPField.Name(name).map { headers[$0] != nil } ?? false
        }
    }

    /// The authority of the base URL, or a loopback name with the same port: a foreign page with a
    /// name that resolves to this machine has neither (DNS rebinding).
    private func isNamed(_ authority: String?) -> Bool {
        guard let authority = authority?.lowercased(), let base = HTTPAddress(baseURL) else {
            return false
        }
        if authority == base.authority.lowercased() { return true }
        return ["localhost", "127.0.0.1", "[::1]"].contains { authority == "\($0):\(base.port)" }
    }
}
