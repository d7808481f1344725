import NIOCore
import PorticoWeb

extension ConnectionLimits {
    /// The limits that the settings have: connections, body size and timeouts.
    init(_ settings: Settings) {
        self.init(connections: settings.limitConnections)
        body = settings.limitBody
        if settings.adminREST {
            // A realm may come with everything in it.
            longBodies = [LongBody(path: "/admin/realms", bytes: 4 << 20)]
        }
        headTime = .seconds(Int64(settings.limitRequestSeconds))
        bodyTime = .seconds(Int64(settings.limitRequestSeconds))
        idleTime = .seconds(Int64(settings.limitIdleSeconds))
    }
}
