import NIOCore
import PorticoWeb

extension ConnectionLimits {
    /// As the settings have them: how many connections, how large a body, how long to wait.
    init(_ settings: Settings) {
        self.init(connections: settings.limitConnections)
        body = settings.limitBody
        headTime = .seconds(Int64(settings.limitRequestSeconds))
        bodyTime = .seconds(Int64(settings.limitRequestSeconds))
        idleTime = .seconds(Int64(settings.limitIdleSeconds))
    }
}
