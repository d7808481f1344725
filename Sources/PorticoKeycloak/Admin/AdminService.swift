package import HTTPTypes
package import Logging
package import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
package import PorticoWeb

/// The administration over HTTP, in the form of Keycloak's admin REST API: its addresses are
/// `/admin/realms` and below.
package struct AdminService: HTTPService {
    package let routes: RouteTable<AdminContext>
    package let headers: SecurityHeaders
    private let access: AdminAccess
    private let logger: Logger

    /// - Parameters:
    ///   - server: Whose realms are administered.
    ///   - senders: Says who sends a request.
    ///   - hasMaster: Whether tokens of `master` reach into other realms.
    package init(
        _ operations: RealmAdministration,
        of server: any AdministeredServer,
        sentBy senders: AdminSenders,
        publicURL: PublicURL,
        hasMaster: Bool,
        logger: Logger
    ) throws {
        let access = AdminAccess(
            operations: operations,
            server: server,
            senders: senders,
            publicURL: publicURL,
            hasMaster: hasMaster
        )
        let headers = SecurityHeaders(publicURL)
        self.access = access
        self.headers = headers
        self.logger = logger
        routes = try RouteTable(
            AdminRow.all.flatMap { row in
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
        let refusal: AdminRefusal
        switch error {
        case let known as AdminRefusal: refusal = known
        case let known as AdministrationRefusal: refusal = AdminRefusal(known)
        case let known as MapperRefusal: refusal = AdminRefusal(known)
        case let known as RealmImportError: refusal = .invalid(known.description)
        case let known as Unauthenticated: refusal = .unauthorized(known.challenges)
        case is ChangedMeanwhile, is MissingReference: refusal = .changedMeanwhile
        case is StoreConflict: refusal = .duplicate
        case is StoreBusy, is PasswordHashing.Busy: refusal = .busy
        case let known as SQLError where known.whyUnwritable != nil: refusal = .cannotSave
        default:
            logger.error(
                "unexpected error",
                metadata: [
                    "request": .string(context.requestID), "kind": .string("\(type(of: error))"),
                ]
            )
            refusal = .failed
        }
        return refusal.response(headers)
    }

    /// A preflight names no client. It is allowed for every origin: the request that follows is
    /// answered, and its answer readable, only for those of its token's client.
    package func policy(_ scripts: ScriptOrigins, _ context: AdminContext) -> CORSPolicy? {
        if let origins = context.scripts.origins { return .origins(origins) }
        return context.method == .options ? .anyone : nil
    }

    package func finish(_ response: inout Response, _ context: AdminContext) {
        response.headers.append(contentsOf: access.senders.fields(context))
        if let realm = RequestTarget.decoded(context.parameters["realm"]), !realm.isEmpty {
            response.logged.realm = PlainText.shown(realm)
        }
    }
}

/// Says who sends a request.
package struct AdminSenders: Sendable {
    /// Throws ``Unauthenticated``.
    let token: @Sendable (AdminContext) async throws -> Administrator.Token
    /// What goes into the header of every answer.
    let fields: @Sendable (AdminContext) -> HTTPFields

    package init(
        token: @escaping @Sendable (AdminContext) async throws -> Administrator.Token,
        fields: @escaping @Sendable (AdminContext) -> HTTPFields
    ) {
        self.token = token
        self.fields = fields
    }
}

/// A request to the administration.
package struct AdminContext: ServiceContext {
    package let request: RequestContext
    let parameters: PathParameters
    let scripts = KnownScripts()

    /// Without a slash at its end, which says nothing here.
    var path: String { target.pathWithoutLastSlash }

    /// Of that, what is below the realm; bounded.
    var pathOfRealm: String {
        let below = path.utf8.dropFirst("/admin/realms/".utf8.count)
            .drop { $0 != UInt8(ascii: "/") }.dropFirst()
        return String(Substring(below.prefix(1000)))
    }

    init(_ request: RequestContext, _ parameters: PathParameters) {
        self.request = request
        self.parameters = parameters
    }
}

/// The origins whose scripts may read the answer, once the token's client is known.
final class KnownScripts: Sendable {
    private let noted = Locked<Set<String>?>(nil)

    var origins: Set<String>? { noted.withLock { $0 } }

    func note(_ origins: [String]) {
        noted.withLock { $0 = Set(origins) }
    }
}

/// An address of the administration: the method, the right that it needs, and what it does.
struct AdminRow: Sendable {
    typealias Handler = @Sendable (AdminCall) async throws -> AdminAnswer
    /// What is answered by 204.
    typealias Deed = @Sendable (AdminCall) async throws -> Void

    let method: HTTPRequest.Method
    let path: RoutePath
    /// `nil`: its handler decides.
    let right: AdminRight?
    let handle: Handler

    /// Of the whole server, below `/admin`. Its handler decides who may.
    static func server(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ handle: @escaping Handler
    ) -> AdminRow {
        AdminRow(method: method, path: RoutePath("/admin/\(path)"), right: nil, handle: handle)
    }

    /// - Parameter path: Below `/admin/realms/{realm}`.
    private static func row(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ right: AdminRight?,
        _ handle: @escaping Handler
    ) -> AdminRow {
        let path = path.isEmpty ? "" : "/\(path)"
        return AdminRow(
            method: method,
            path: RoutePath("/admin/realms/{realm}\(path)"),
            right: right,
            handle: handle
        )
    }

    private static func done(_ deed: @escaping Deed) -> Handler {
        { call in
            try await deed(call)
            return .done
        }
    }

    static func get(_ path: String, _ right: AdminRight?, _ handle: @escaping Handler) -> AdminRow {
        row(.get, path, right, handle)
    }

    static func post(_ path: String, _ right: AdminRight?, _ handle: @escaping Handler) -> AdminRow
    {
        row(.post, path, right, handle)
    }

    static func post(_ path: String, _ right: AdminRight?, _ deed: @escaping Deed) -> AdminRow {
        row(.post, path, right, done(deed))
    }

    static func put(_ path: String, _ right: AdminRight?, _ handle: @escaping Handler) -> AdminRow {
        row(.put, path, right, handle)
    }

    static func put(_ path: String, _ right: AdminRight?, _ deed: @escaping Deed) -> AdminRow {
        row(.put, path, right, done(deed))
    }

    /// What there is none of here.
    static func refusing(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ right: AdminRight,
        _ refusal: AdminRefusal
    ) -> AdminRow {
        row(method, path, right) { _ in throw refusal }
    }

    static func delete(_ path: String, _ right: AdminRight?, _ deed: @escaping Deed) -> AdminRow {
        row(.delete, path, right, done(deed))
    }

    /// All of them.
    static var all: [AdminRow] {
        AdminServer.rows + AdminRealms.rows + AdminClients.rows + AdminScopes.rows
            + AdminMappers.rows + AdminRoles.rows + AdminRoleMappings.rows + AdminGroups.rows
            + AdminPeople.rows + AdminCredentials.rows + AdminSessions.rows
            + AdminPartialImport.rows + AdminMails.rows + AdminEvents.rows + AdminBruteForce.rows
            + AdminIdentityProviders.rows + AdminKeptParts.rows + AdminFlows.rows
            + AdminRequiredActions.rows + AdminComponents.rows + AdminUserProfile.rows
    }
}

/// What a request of the administration is answered.
enum AdminAnswer: Sendable {
    case json(JSONValue)
    /// `text/plain`.
    case text(String)
    /// 202, with what it is now.
    case accepted(JSONObject)
    /// 204.
    case done
    /// 201, with the path of what was made below the server's address.
    case created(path: String, JSONObject? = nil)

    static func object(_ object: JSONObject) -> AdminAnswer { .json(.object(object)) }

    static func list(_ objects: some Sequence<JSONObject>) -> AdminAnswer {
        .json(.array(objects.map(JSONValue.object)))
    }

    fileprivate func response(_ headers: SecurityHeaders, _ publicURL: PublicURL) -> Response {
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
            let fields: HTTPFields = [.location: publicURL.origin + path]
            guard let object else {
                return Response(empty: .created, headers: headers, adding: fields)
            }
            return Response(
                json: .object(object),
                status: .created,
                headers: headers,
                adding: fields
            )
        }
    }
}

extension AdminRefusal {
    fileprivate func response(_ headers: SecurityHeaders) -> Response {
        Response(json: .object(json), status: status, headers: headers, adding: fields)
            .logged(error: json.string("error"))
    }
}
