import HTTPTypes
import Hummingbird
import PorticoWeb

/// Answers those who watch over the server, and lets everybody else in by the front door.
///
/// They ask by whatever address they have, so that neither `Host` nor TLS is looked at; the answers
/// say nothing else. They are not logged.
struct HealthDoor: HTTPResponder {
    typealias Context = WebContext

    let next: FrontDoor
    let readiness: Readiness
    /// Whether a redemption could be kept now.
    let storage: SharedCheck

    func respond(to request: Request, context: WebContext) async throws -> Response {
        let path = request.head.path
        guard path == "/healthz" || path == "/readyz" else {
            return await next.respond(to: request, context: context)
        }
        guard request.method == .get || request.method == .head else {
            return Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
        return Self.answer(path == "/healthz" ? true : await isReady())
    }

    /// The database takes what must last, and the server is not about to stop.
    private func isReady() async -> Bool {
        guard !readiness.isStopping else { return false }
        return await storage()
    }

    private static func answer(_ isWell: Bool) -> Response {
        Response(
            status: isWell ? .ok : .serviceUnavailable,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: .init(string: isWell ? "ok\n" : "not ready\n"))
        )
    }
}
