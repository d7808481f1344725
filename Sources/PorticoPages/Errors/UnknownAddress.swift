import HTTPTypes
package import PorticoWeb

/// What is answered at an address that no service has. At the root, which people open to see what is
/// there, it says what this is.
package struct UnknownAddress: Sendable {
    private let page: PageResponder

    package init(_ page: PageResponder) {
        self.page = page
    }

    package func respond(to request: RequestContext) -> Response {
        let context = PlainContext(request)
        if request.target.path == "/", [.get, .head].contains(request.method) {
            return page(StartPage(), context)
        }
        let audience: Audience = AcceptedMedia.isJSON(request.headers) ? .programs : .people
        return page.refuse(NotFound(), audience, context)
    }
}
