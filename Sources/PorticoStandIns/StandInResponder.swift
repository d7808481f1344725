import HTTPTypes
package import Hummingbird
import PorticoBytes
import PorticoProtocol
package import PorticoWeb

/// The door of the stand-ins: this machine only, under its own names only, and then to the endpoint
/// that the path names.
///
/// Whoever gets in can be anybody they like, so nobody else may get in. There are no proxies: what
/// came through one did not come from here.
package struct StandInResponder: HTTPResponder {
    package typealias Context = WebContext

    private let standIns: StandIns
    private let headers: SecurityHeaders?

    init(_ standIns: StandIns) {
        self.standIns = standIns
        // `try?`: the literal is a public URL; without its headers nothing is answered.
        headers = (try? PublicURL("http://127.0.0.1:1")).map { SecurityHeaders($0) }
    }

    package func respond(to request: Request, context: WebContext) async -> Response {
        guard let headers else { return Response(status: .internalServerError) }
        let client = ClientAddress(peer: context.peer, headers: [:], trusting: .none)
        guard client.address?.isLoopback ?? true, !isForwarded(request.headers) else {
            return Response(empty: .forbidden, headers: headers)
        }
        guard isOwn(request.head.authority) else {
            return Response(empty: .misdirectedRequest, headers: headers)
        }
        let answer = StandInAnswers(standIns: standIns, headers: headers)
        do {
            guard let call = try await read(request) else { return answer.page(.nothing, nil) }
            standIns.log.append(call.logged)
            if call.endpoint.isForServers, call.faults.delay > .zero {
                try await Task.sleep(for: call.faults.delay)
            }
            guard !call.faults.isDown, !call.faults.failing.contains(call.endpoint) else {
                return answer.page(.down, call.kind, .serviceUnavailable)
            }
            let methods = call.endpoint.methods(at: call.kind)
            guard methods.contains(call.method) else {
                return Response(methodNotAllowedBut: methods, headers: headers)
            }
            do {
                return try answer.answer(to: call)
            } catch let refusal as StandInRefusal {
                return answer.refuse(refusal, call)
            }
        } catch {
            // A body that is no form, a key that cannot be made, a wait that was ended.
            return Response(empty: .badRequest, headers: headers)
        }
    }

    /// Whether a proxy says that it stands between.
    private func isForwarded(_ headers: HTTPFields) -> Bool {
        ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host"].contains { name in
            HTTPField.Name(name).map { headers[$0] != nil } ?? false
        }
    }

    /// The authority of the base URL, or a loopback name with the same port: a page elsewhere
    /// whose name was led to this machine has neither (DNS rebinding).
    private func isOwn(_ authority: String?) -> Bool {
        guard let authority = authority?.lowercased(), let base = HTTPAddress(standIns.baseURL)
        else { return false }
        if authority == base.authority.lowercased() { return true }
        return ["localhost", "127.0.0.1", "[::1]"].contains { authority == "\($0):\(base.port)" }
    }

    /// `nil` where nothing is.
    private func read(_ request: Request) async throws -> StandInCall? {
        guard let target = Self.target(request.head.path) else { return nil }
        var segments = target.segments
        guard !segments.isEmpty, let kind = StandInKind(rawValue: String(segments.removeFirst())),
            let endpoint = StandInEndpoint(segments, at: kind)
        else { return nil }
        var form = FormParameters()
        if request.method == .post, request.headers[.contentType] != nil {
            form = try await FormParameters(body: request)
        }
        return StandInCall(
            kind: kind,
            endpoint: endpoint,
            method: request.method,
            target: request.head.path ?? "/",
            segments: segments.map(String.init),
            query: try FormParameters(query: target),
            form: form,
            headers: request.headers,
            faults: standIns.faults(of: kind),
            moment: standIns.clock.moment()
        )
    }

    /// One slash at the end of the path may stay there: Facebook's key set has it.
    private static func target(_ path: String?) -> RequestTarget? {
        guard let path else { return nil }
        let end = path.firstIndex(of: "?") ?? path.endIndex
        guard path[..<end].hasSuffix("/"), end > path.index(after: path.startIndex) else {
            return RequestTarget(path)
        }
        return RequestTarget(String(path[..<end].dropLast() + path[end...]))
    }
}
