import HTTPTypes
import Hummingbird
import PorticoPages
import PorticoProtocol
import PorticoWeb

/// The one way in which a page leaves the BFF.
struct BackendPageExit: Sendable {
    let renderer: PageRenderer
    let headers: SecurityHeaders
    /// The public origin, without a slash at the end.
    let origin: String
    /// Whose pages these are: the service's name.
    let service: String
    let help: PageLink?
    /// Whether the public URL is http on this machine, and says so on every page.
    let isInsecureLoopback: Bool

    /// - Parameter formActions: Where the page's form may lead besides this server.
    func callAsFunction(
        _ page: some Page,
        _ visit: BackendVisit,
        status: HTTPResponse.Status = .ok,
        formActions: [String] = [],
        cookies: [HTTPField] = [],
        retryAfter seconds: Double? = nil
    ) -> Response {
        let frame = PageFrame(
            realm: service,
            reference: visit.requestID,
            help: help,
            notice: isInsecureLoopback ? .withoutHTTPS : nil
        )
        var response = Response(
            page: Array(renderer.html(page, in: visit.language, frame: frame).utf8),
            status: status,
            policy: .page(style: renderer.styleHash, formActions: formActions),
            headers: headers,
            cookies: cookies
        )
        if let seconds { response.headers.append(contentsOf: Response.retryAfter(seconds)) }
        return response
    }
}
