package import Logging
package import PorticoSystem

/// swift-log in the form of ``LogLine``, so that libraries and the program write the same log.
package struct LineLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]

    private let label: String
    private let format: LogFormat
    private let writer: LogWriter
    private let clock: @Sendable () -> Date

    package init(
        label: String,
        level: Logger.Level,
        format: LogFormat,
        writer: LogWriter,
        clock: @escaping @Sendable () -> Date
    ) {
        self.label = label
        logLevel = level
        self.format = format
        self.writer = writer
        self.clock = clock
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = LogLine(
            format,
            at: clock(),
            level: Self.name(of: event.level),
            message: event.message.description
        )
        line.add("logger", label)
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            line.add(key, value.description)
        }
        if let error = event.error { line.add("error", "\(error)") }
        writer.append(line.finished(), isUrgent: event.level >= .error)
    }

    private static func name(of level: Logger.Level) -> StaticString {
        switch level {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .critical: "critical"
        }
    }
}
