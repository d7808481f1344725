import HTTPTypes
import Hummingbird
import PorticoStores
import PorticoWeb

/// Answers those who watch over the server, and lets everybody else in by the front door.
///
/// They ask by whatever address they have, so that neither `Host` nor TLS is looked at; the answers
/// say nothing else. They are not logged.
struct HealthDoor: HTTPResponder {
    typealias Context = WebContext

    let next: FrontDoor
    let realms: any RealmStore
    let readiness: Readiness

    func respond(to request: Request, context: WebContext) async throws -> Response {
        switch request.head.path {
        case "/healthz": return Self.answer(request, isWell: true)
        case "/readyz": return Self.answer(request, isWell: await isReady())
        default: return await next.respond(to: request, context: context)
        }
    }

    /// The database answers, and the server is not about to stop.
    private func isReady() async -> Bool {
        guard !readiness.isStopping else { return false }
        do {
            _ = try await realms.version()
            return true
        } catch {
            return false
        }
    }

    private static func answer(_ request: Request, isWell: Bool) -> Response {
        guard request.method == .get || request.method == .head else {
            return Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
        return Response(
            status: isWell ? .ok : .serviceUnavailable,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: .init(string: isWell ? "ok\n" : "not ready\n"))
        )
    }
}
