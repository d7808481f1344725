import Logging
import PorticoBytes
import PorticoProvider
import PorticoWeb
import PorticoSystem

/// The server's log on stderr: events, and a line for each request.
struct ServerLog: Sendable {
    private let writer: LogWriter
    private let level: Logger.Level
    private let format: LogFormat
    private let clock: Clock

    init(_ settings: Settings, clock: Clock) {
        writer = LogWriter.descriptor(2, format: settings.logFormat, clock: { clock.moment().now })
        level = settings.logLevel
        format = settings.logFormat
        self.clock = clock
    }

    var access: AccessLog { AccessLog(format: format, writer: writer) }

    func logger(_ label: String) -> Logger {
        Logger(label: label) { [writer, level, format, clock] label in
            LineLogHandler(
                label: label,
                level: level,
                format: format,
                writer: writer,
                clock: { clock.moment().now }
            )
        }
    }

    func flush() {
        writer.flush()
    }
}
