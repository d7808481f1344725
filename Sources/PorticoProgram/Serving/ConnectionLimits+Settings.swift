import NIOCore
import PorticoWeb

extension ConnectionLimits {
    /// The limits that the settings have: connections, body size and timeouts.
    init(_ settings: Settings) {
        self.init(connections: settings.limitConnections)
        body = settings.limitBody
        headTime = .seconds(Int64(settings.limitRequestSeconds))
        bodyTime = .seconds(Int64(settings.limitRequestSeconds))
        idleTime = .seconds(Int64(settings.limitIdleSeconds))
    }
}
