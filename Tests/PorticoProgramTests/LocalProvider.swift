import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport

/// An OpenID provider on 127.0.0.1 of which commands ask metadata and keys, and which can be made to
/// answer wrongly.
final class LocalProvider: Sendable {
    /// What is wrong with it.
    enum Fault: Hashable, Sendable {
        case none
        case otherIssuer
        case noMetadata
        case failing
        case noPKCE
        case notJSON
        /// Its clock is that many seconds ahead of ours.
        case ahead(Double)
    }

    private let fault: Locked<Fault>
    private let server: LocalServer

    init() throws {
        let fault = Locked(Fault.none)
        self.fault = fault
        server = try LocalServer(takesBodies: true) { Self.answer($0, fault.withLock(\.self)) }
    }

    var issuer: String { "http://127.0.0.1:\(server.port)" }
    var requests: [String] { server.requests }

    func become(_ fault: Fault) {
        self.fault.withLock { $0 = fault }
    }

    private static func answer(_ request: String, _ fault: Fault) -> LocalServer.Answer {
        let host = request.firstMatch(of: /[Hh]ost: (\S+)/).map { String($0.1) } ?? ""
        var skew = 0.0
        if case .ahead(let seconds) = fault { skew = seconds }
        let date = "Date: \(Self.date(Date().addingTimeInterval(skew)))"
        let json = [date, "Content-Type: application/json"]
        if request.hasPrefix("POST /revoke ") { return LocalServer.reply("200 OK", [date]) }
        if request.hasPrefix("GET /keys ") {
            return LocalServer.reply("200 OK", json, #"{"keys":[]}"#)
        }
        switch fault {
        case .noMetadata: return LocalServer.reply("404 Not Found", [date])
        case .failing: return LocalServer.reply("500 Internal Server Error", [date])
        case .notJSON: return LocalServer.reply("200 OK", json, "<html>")
        default: break
        }
        let base = "http://\(host)"
        var metadata: JSONObject = [
            "issuer": .string(fault == .otherIssuer ? base + "/" : base),
            "authorization_endpoint": .string(base + "/auth"),
            "token_endpoint": .string(base + "/token"),
            "jwks_uri": .string(base + "/keys"),
            "revocation_endpoint": .string(base + "/revoke"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
        ]
        if fault != .noPKCE { metadata["code_challenge_methods_supported"] = ["S256"] }
        let body = String(decoding: metadata.serialized(), as: UTF8.self)
        return LocalServer.reply("200 OK", json, body)
    }

    private static func date(_ date: Date) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: date)
    }
}
