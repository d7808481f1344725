import NIOCore
import PorticoWeb

extension ConnectionLimits {
    /// The limits that the settings have: connections, body size and timeouts.
    ///
    /// - Parameter administers: Whether an `Authorization` field has a token that may make realms.
    init(_ settings: Settings, administers: @escaping @Sendable (String) -> Bool) {
        self.init(connections: OpenFiles(settings).connections)
        body = settings.limitBody
        if settings.adminREST {
            // A realm may come with everything in it.
            longBodies = ["/admin/realms", "/admin/realms/"].map { path in
                LongBody(path: path, bytes: 4 << 20, admits: administers)
            }
        }
        uploads = Uploads(bytes: settings.limitUpload, folder: settings.dataDirectory)
        headTime = .seconds(Int64(settings.limitRequestSeconds))
        bodyTime = .seconds(Int64(settings.limitRequestSeconds))
        idleTime = .seconds(Int64(settings.limitIdleSeconds))
    }
}
