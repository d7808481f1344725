package import PorticoWeb

/// A service whose refusals leave as pages for people and as JSON for programs, and whose faults say
/// nothing of themselves.
package protocol PageService: HTTPService where Context: PageContext {
    var page: PageResponder { get }
}

extension PageService {
    package var headers: SecurityHeaders { page.headers }

    package func methodNotAllowed(_ audience: Audience, _ context: Context) -> Response {
        page.refuse(MethodNotAllowed(), audience, context)
    }

    package func answer(_ error: any Error, _ audience: Audience, _ context: Context) -> Response {
        page.refuse(error as? any Refusal ?? Unavailable.failed, audience, context)
    }
}
