import HTTPTypes
import PorticoWeb

/// Answers those who watch over the server; every other request goes on.
///
/// They ask by whatever address they have, so that neither `Host` nor TLS is looked at; the answers
/// say nothing else. They are not logged.
struct HealthResponder: Responder {
    let next: RequestPipeline
    let readiness: Readiness
    /// Whether a redemption could be kept now.
    let storage: SharedCheck

    func respond(to request: Request) async -> Response {
        let path = request.head.path
        guard path == "/healthz" || path == "/readyz" else {
            return await next.respond(to: request)
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
            bytes: Array((isWell ? "ok\n" : "not ready\n").utf8)
        )
    }
}
