import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// The methods of the PDS (AT Protocol, HTTP API): `/xrpc/{method}`.
struct XRPCMethods: Sendable {
    let host: ATHost
    let access: ATHostAccessCheck
    let headers: SecurityHeaders

    func answer(to context: RequestContext) async -> Response {
        await host.answer(.xrpc, context.received, headers) { await answer(context, $0) }
    }

    private func answer(_ context: RequestContext, _ faults: ATHostFaults) async -> Response {
        let name = String(context.target.segments.last ?? "")
        do throws(XRPCError) {
            let method = XRPCMethod(rawValue: name)
            if let method, context.method != method.verb {
                var error = XRPCError.invalid(
                    "Incorrect HTTP method (\(context.method.rawValue)) expected "
                        + method.verb.rawValue
                )
                error.givesNonce = false
                throw error
            }
            return try await answer(context, method, faults)
        } catch {
            return giving(error.givesNonce, error.response(headers), faults)
        }
    }

    private func answer(
        _ context: RequestContext,
        _ method: XRPCMethod?,
        _ faults: ATHostFaults
    ) async throws(XRPCError) -> Response {
        if method == .listRecords {
            do throws(XRPCError) {
                return json(try listRecords(context))
            } catch {
                var error = error
                error.givesNonce = false
                throw error
            }
        }
        let access = try await access(context, faults)
        let body: JSONObject
        switch method {
        case .getSession: body = session(access)
        case .createRecord: body = try createRecord(context, access)
        case .uploadBlob: body = try uploadBlob(context, access)
        default: throw .upstream
        }
        return giving(true, json(body), faults)
    }

    private func json(_ body: JSONObject) -> Response {
        Response(json: .object(body), headers: headers)
    }

    private func giving(_ nonce: Bool, _ response: Response, _ faults: ATHostFaults) -> Response {
        var response = response
        var exposed: [HTTPField] = []
        if nonce, !faults.givesNoNonce.contains(.xrpc) {
            let moment = host.clock.moment()
            response.headers[.dpopNonce] =
                faults.alwaysAsksForNonce.contains(.xrpc)
                ? moment.random.text(16) : host.nonces.current(at: moment.seconds)
            exposed.append(HTTPField(name: .accessControlExposeHeaders, value: "DPoP-Nonce"))
        }
        if response.headers[.wwwAuthenticate] != nil {
            exposed.append(HTTPField(name: .accessControlExposeHeaders, value: "WWW-Authenticate"))
        }
        return response.adding(exposed)
    }
}

/// What the PDS answers itself; a service behind it would answer every other method.
enum XRPCMethod: String {
    case listRecords = "com.atproto.repo.listRecords"
    case getSession = "com.atproto.server.getSession"
    case createRecord = "com.atproto.repo.createRecord"
    case uploadBlob = "com.atproto.repo.uploadBlob"

    var verb: HTTPRequest.Method {
        switch self {
        case .listRecords, .getSession: .get
        case .createRecord, .uploadBlob: .post
        }
    }
}
