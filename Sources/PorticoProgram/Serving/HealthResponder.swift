import HTTPTypes
import PorticoWeb

/// Answers health checks, and passes every other request on.
///
/// Monitoring may use any address of the server, so neither `Host` nor TLS is checked; the answers
/// reveal nothing else. They are not logged.
struct HealthResponder: Responder {
    let next: RequestPipeline
    let readiness: Readiness
    /// Whether the database can be written to.
    let storage: SharedCheck
    /// Whether a write has found since that it cannot: what was found out holds for a second.
    let hasTrouble: @Sendable () -> Bool

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

    /// Whether the database can be written to and the server is not stopping.
    private func isReady() async -> Bool {
        guard !readiness.isStopping else { return false }
        return await storage() && !hasTrouble()
    }

    func uploadCheck(of request: Request) -> UploadCheck? {
        next.uploadCheck(of: request)
    }

    private static func answer(_ isWell: Bool) -> Response {
        Response(
            status: isWell ? .ok : .serviceUnavailable,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            bytes: Array((isWell ? "ok\n" : "not ready\n").utf8)
        )
    }
}
