package import HTTPTypes
package import PorticoSystem

/// One line for each request (WEB-LOG-1): the client, the request and the outcome.
///
/// It never includes a query, a body or a header, because they hold codes, tokens and passwords.
package struct AccessLog: Sendable {
    private let format: LogFormat
    private let writer: LogWriter

    package init(format: LogFormat, writer: LogWriter) {
        self.format = format
        self.writer = writer
    }

    /// The content of a line besides time and duration.
    package struct Entry: Sendable {
        package var id: RequestID
        package var method: HTTPRequest.Method
        /// Without the query: ``RequestTarget/path``, or `nil` if it was not a valid one.
        package var path: String?
        package var status: HTTPResponse.Status
        package var address: IPAddress?
        package var realm: String?
        package var clientID: String?
        /// The code of an error: `invalid_grant`.
        package var error: String?

        package init(
            id: RequestID,
            method: HTTPRequest.Method,
            path: String?,
            status: HTTPResponse.Status,
            address: IPAddress?
        ) {
            self.id = id
            self.method = method
            self.path = path
            self.status = status
            self.address = address
        }
    }

    package func record(_ entry: Entry, at now: Date, took duration: Duration) {
        var line = LogLine(format, at: now, level: "info", message: "request")
        line.add("id", entry.id.text)
        line.add("method", entry.method.rawValue)
        line.add("path", entry.path ?? "-")
        line.add("status", entry.status.code)
        line.add("us", Self.microseconds(duration))
        if let address = entry.address { line.add("address", address.description) }
        if let realm = entry.realm { line.add("realm", realm) }
        if let clientID = entry.clientID { line.add("client", clientID) }
        if let error = entry.error { line.add("error", error) }
        writer.append(line.finished())
    }

    /// Records a request that the connection refused before routing.
    package func record(_ refusal: RequestRefusal, at now: Date) {
        var line = LogLine(format, at: now, level: "info", message: "request refused")
        line.add("status", refusal.status.code)
        line.add("reason", "\(refusal)")
        writer.append(line.finished())
    }

    private static func microseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(clamping: seconds) &* 1_000_000 &+ Int(clamping: attoseconds / 1_000_000_000_000)
    }
}
