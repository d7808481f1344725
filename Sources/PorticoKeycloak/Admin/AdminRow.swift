import HTTPTypes
import PorticoAdministration
import PorticoWeb

/// An address of the administration: the method, the right that it needs, and what it does.
struct AdminRow: Sendable {
    typealias Handler = @Sendable (AdminCall) async throws -> AdminAnswer

    let method: HTTPRequest.Method
    let path: RoutePath
    /// `nil`: its handler decides.
    let right: AdminRight?
    let handle: Handler

    /// - Parameter path: Below `/admin/realms/{realm}`.
    private init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ right: AdminRight?,
        _ handle: @escaping Handler
    ) {
        self.method = method
        self.path = RoutePath(path.isEmpty ? Self.base : "\(Self.base)/\(path)")
        self.right = right
        self.handle = handle
    }

    private static let base = "/admin/realms/{realm}"

    static func get(_ path: String, _ right: AdminRight?, _ handle: @escaping Handler) -> AdminRow {
        AdminRow(.get, path, right, handle)
    }

    static func post(_ path: String, _ right: AdminRight?, _ handle: @escaping Handler) -> AdminRow
    {
        AdminRow(.post, path, right, handle)
    }

    static func put(_ path: String, _ right: AdminRight?, _ handle: @escaping Handler) -> AdminRow {
        AdminRow(.put, path, right, handle)
    }

    static func delete(_ path: String, _ right: AdminRight?, _ handle: @escaping Handler)
        -> AdminRow
    {
        AdminRow(.delete, path, right, handle)
    }

    /// An address of the whole server, below `/admin`. Its handler decides who may.
    static func server(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ handle: @escaping Handler
    ) -> AdminRow {
        AdminRow(of: method, "/admin/\(path)", handle)
    }

    private init(
        of method: HTTPRequest.Method,
        _ path: String,
        _ handle: @escaping Handler
    ) {
        self.method = method
        self.path = RoutePath(path)
        right = nil
        self.handle = handle
    }
}
