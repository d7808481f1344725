package import HTTPTypes
import PorticoBytes
import PorticoProtocol
package import PorticoWeb

/// Who reads a page: in which language, and whose page it is.
package protocol PageContext: ServiceContext {
    var language: Language { get }
    /// The realm's display name, or the service's; `nil` where neither is known.
    var owner: String? { get }
}

/// A request that belongs to no realm and no app.
package struct PlainContext: PageContext {
    package let request: RequestContext
    package let language: Language
    package var owner: String? { nil }

    package init(_ request: RequestContext) {
        self.request = request
        language = .best(uiLocales: nil, acceptLanguage: request.headers[.acceptLanguage])
    }
}

/// The one way in which a page leaves.
package struct PageResponder: Sendable {
    package let renderer: PageRenderer
    package let headers: SecurityHeaders
    /// Whose pages these are, where the request names no realm.
    package let owner: String?
    /// The public origin, without a slash at the end.
    package let origin: String
    private let help: PageLink?
    /// Whether the public URL is http on this machine, and says so on every page.
    private let isInsecureLoopback: Bool

    package init(
        _ renderer: PageRenderer,
        _ publicURL: PublicURL,
        owner: String? = nil,
        help: PageLink? = nil
    ) {
        self.owner = owner
        self.renderer = renderer
        headers = SecurityHeaders(publicURL)
        origin = publicURL.origin
        isInsecureLoopback = publicURL.isInsecureLoopback
        self.help = help
    }

    /// - Parameter target: Where the page's form leads.
    package func callAsFunction(
        _ page: some Page,
        _ context: some PageContext,
        status: HTTPResponse.Status = .ok,
        redirecting target: FormTarget = .ours,
        cookies: [HTTPField] = [],
        retryAfter seconds: Double? = nil
    ) -> Response {
        var response = Response(
            page: html(page, context),
            status: status,
            policy: .page(style: renderer.styleHash, to: target).running(page.script?.hash),
            headers: headers,
            cookies: cookies
        )
        if let seconds = seconds ?? (status == .serviceUnavailable ? Response.whenBusy : nil) {
            response.headers.append(contentsOf: Response.retryAfter(seconds))
        }
        return response
    }

    package func html(_ page: some Page, _ context: some PageContext) -> [UInt8] {
        let frame = PageFrame(
            realm: context.owner ?? owner,
            reference: context.requestID,
            help: help,
            notice: isInsecureLoopback ? .withoutHTTPS : nil
        )
        return renderer.bytes(page, in: context.language, frame: frame)
    }

    /// How every refusal leaves: as a page for people, as JSON for programs.
    ///
    /// - Parameter realm: The protection space of a challenge.
    package func refuse(
        _ refusal: any Refusal,
        _ audience: Audience,
        realm: String = "",
        _ context: some PageContext
    ) -> Response {
        var response: Response
        switch audience {
        case .people, .popups:
            response = self(
                refusal.page(at: context.moment),
                context,
                status: refusal.status,
                retryAfter: refusal.retryAfter
            )
        case .programs:
            response =
                if let json = refusal.json {
                    Response(json: json, status: refusal.status, headers: headers)
                } else {
                    Response(empty: refusal.status, headers: headers)
                }
            if let seconds = refusal.retryAfter {
                response.headers.append(contentsOf: Response.retryAfter(seconds))
            }
        }
        response.headers.append(contentsOf: refusal.fields(realm: realm))
        return response.logged(error: refusal.name)
    }
}

/// Turns pages into HTML. Made once, where the program is wired.
package struct PageRenderer: Sendable {
    package let theme: PageTheme

    /// The source that admits the pages' style in their policy: `'sha256-…'`.
    package var styleHash: String { theme.style.hash }

    package init(theme: PageTheme = .standard) throws {
        self.theme = theme
    }

    /// The whole page, to be sent as `text/html; charset=utf-8`.
    package func bytes(_ page: any Page, in language: Language, frame: PageFrame) -> [UInt8] {
        var frame = frame
        frame.theme = theme
        return PageLayout(page: page, language: language, frame: frame).html.bytes
    }

    package func html(_ page: any Page, in language: Language, frame: PageFrame) -> String {
        String(decoding: bytes(page, in: language, frame: frame), as: UTF8.self)
    }
}
