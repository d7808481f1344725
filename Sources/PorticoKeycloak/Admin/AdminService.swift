import HTTPTypes
package import Logging
package import PorticoAdministration
import PorticoBytes
import PorticoProtocol
package import PorticoProvider
package import PorticoStores
package import PorticoWeb

/// The administration over HTTP, in the form of Keycloak's admin REST API: its addresses are
/// `/admin/realms` and below.
package struct AdminService: HTTPService {
    package let routes: RouteTable<AdminContext>
    package let headers: SecurityHeaders
    private let presented: PresentedAccess.Check
    private let logger: Logger

    package init(
        _ administration: RealmAdministration,
        of provider: Provider,
        grants: GrantStore,
        publicURL: PublicURL,
        hasMaster: Bool,
        logger: Logger
    ) throws {
        let presented = PresentedAccess.Check(ring: administration.ring)
        self.presented = presented
        let access = AdminAccess(
            realms: provider.realms,
            bearer: BearerReader(grants: grants),
            presented: presented,
            publicURL: publicURL,
            hasMaster: hasMaster
        )
        let headers = SecurityHeaders(publicURL)
        self.headers = headers
        self.logger = logger
        let rows = AdminRoutes(administration, provider).rows
        routes = try RouteTable(
            rows.flatMap { row in
                Route.any(of: [row.method], row.path, for: .programs, scripts: .clients) {
                    let call = try await access.admit($0, needing: row.right)
                    return try await row.handle(call).response(headers, publicURL)
                }
            },
            // Keycloak's own library for Node ends most of its addresses so.
            ignoresLastSlash: true
        )
    }

    package func context(_ request: RequestContext, _ parameters: PathParameters) -> AdminContext? {
        AdminContext(request, parameters)
    }

    /// No other address exists below `/admin/`.
    package func notFound(_ request: RequestContext) -> Response? {
        guard request.target.path.utf8.starts(with: "/admin/".utf8) else { return nil }
        return AdminRefusal.noSuchAddress.response(headers)
    }

    package func methodNotAllowed(_ audience: Audience, _ context: AdminContext) -> Response {
        AdminRefusal.methodNotAllowed.response(headers)
    }

    package func answer(_ error: any Error, _ audience: Audience, _ context: AdminContext)
        -> Response
    {
        switch error {
        case let refusal as AdminRefusal: return refusal.response(headers)
        case let refusal as AdministrationRefusal:
            return AdminRefusal(refusal).response(headers)
        case let refusal as MapperRefusal: return AdminRefusal(refusal).response(headers)
        case let error as RealmImportError:
            return AdminRefusal.invalid(error.description).response(headers)
        case is ChangedMeanwhile, is MissingReference:
            return AdminRefusal.changedMeanwhile.response(headers)
        case is StoreConflict: return AdminRefusal.duplicate.response(headers)
        case is StoreBusy, is PasswordHashing.Busy:
            return AdminRefusal.busy.response(headers)
                .adding(Array(Response.retryAfter(Response.whenBusy)))
        case let error as SQLError where error.whyUnwritable != nil:
            return AdminRefusal.cannotSave.response(headers)
                .adding(Array(Response.retryAfter(60)))
        default:
            logger.error(
                "unexpected error",
                metadata: [
                    "request": .string(context.requestID), "kind": .string("\(type(of: error))"),
                ]
            )
            return AdminRefusal.failed.response(headers)
        }
    }

    /// A preflight names no client. It is allowed for every origin: the request that follows is
    /// answered, and its answer readable, only for those of its token's client.
    package func policy(_ scripts: ScriptOrigins, _ context: AdminContext) -> CORSPolicy? {
        if let origins = context.scripts.origins { return .origins(origins) }
        return context.method == .options ? .anyone : nil
    }

    package func finish(_ response: inout Response, _ context: AdminContext) {
        response.headers.append(contentsOf: presented.fields(for: context))
        if let realm = RequestTarget.decoded(context.parameters["realm"]), !realm.isEmpty {
            response.logged.realm = PlainText.shown(realm)
        }
    }
}

extension AdminRefusal {
    func response(_ headers: SecurityHeaders) -> Response {
        Response(json: .object(json), status: status, headers: headers, adding: fields)
            .logged(error: json.string("error"))
    }
}

extension AdminAnswer {
    func response(_ headers: SecurityHeaders, _ publicURL: PublicURL) -> Response {
        switch self {
        case .json(let value): return Response(json: value, headers: headers)
        case .text(let text):
            var response = Response(json: Array(text.utf8), headers: headers)
            response.headers[.contentType] = "text/plain;charset=UTF-8"
            return response
        case .accepted(let object):
            return Response(json: .object(object), status: .accepted, headers: headers)
        case .done: return Response(empty: .noContent, headers: headers)
        case .created(let path, let object):
            let location: HTTPFields = [.location: publicURL.origin + path]
            guard let object else {
                return Response(empty: .created, headers: headers, adding: location)
            }
            return Response(
                json: .object(object),
                status: .created,
                headers: headers,
                adding: location
            )
        }
    }
}
