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
        let faults = await host.arrive(context, at: .xrpc)
        guard !faults.down.contains(.xrpc) else {
            return Response(empty: .serviceUnavailable, headers: headers)
        }
        let name = String(context.target.segments.last ?? "")
        let response: Response
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
            response = try await answer(context, method, faults)
        } catch {
            response = giving(error.givesNonce, error.response(headers), faults)
        }
        return await host.leave(response, .xrpc, faults)
    }

    private func answer(
        _ context: RequestContext,
        _ method: XRPCMethod?,
        _ faults: ATHostFaults
    ) async throws(XRPCError) -> Response {
        switch method {
        case .describeServer, .resolveHandle, .listRecords:
            do throws(XRPCError) {
                return json(try publicAnswer(context, method))
            } catch {
                var error = error
                error.givesNonce = false
                throw error
            }
        // Of sessions by password, which takes no token of OAuth.
        case .deleteSession, .refreshSession: throw .missing
        default: break
        }
        let access = try await access(context, faults)
        let body: JSONObject
        switch method {
        case .getSession: body = session(access)
        case .createRecord: body = try createRecord(context, access)
        case .uploadBlob: body = try uploadBlob(context, access)
        case .createAppPassword:
            throw XRPCError(
                status: .forbidden,
                error: "Forbidden",
                message: "OAuth credentials are not supported for this endpoint"
            )
        default: throw .upstream
        }
        return giving(true, json(body), faults)
    }

    private func publicAnswer(_ context: RequestContext, _ method: XRPCMethod?)
        throws(XRPCError) -> JSONObject
    {
        let query: FormParameters
        do {
            query = try FormParameters(query: context.target)
        } catch {
            throw .invalid(error.description)
        }
        return switch method {
        case .resolveHandle: try resolveHandle(query)
        case .listRecords: try listRecords(query)
        default: server
        }
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
    case describeServer = "com.atproto.server.describeServer"
    case resolveHandle = "com.atproto.identity.resolveHandle"
    case listRecords = "com.atproto.repo.listRecords"
    case getSession = "com.atproto.server.getSession"
    case createRecord = "com.atproto.repo.createRecord"
    case uploadBlob = "com.atproto.repo.uploadBlob"
    case createAppPassword = "com.atproto.server.createAppPassword"
    case deleteSession = "com.atproto.server.deleteSession"
    case refreshSession = "com.atproto.server.refreshSession"

    var verb: HTTPRequest.Method {
        switch self {
        case .describeServer, .resolveHandle, .listRecords, .getSession: .get
        case .createRecord, .uploadBlob, .createAppPassword, .deleteSession, .refreshSession: .post
        }
    }
}
