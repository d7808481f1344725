package import Foundation
package import HTTPTypes
import PorticoBytes
package import PorticoProtocol

/// A request to a real server and its answer, of recordings in a folder outside the repository:
/// `TEST_ATPROTO_FIXTURES=FOLDER swift test --filter Recorded`. What a request was for is read from
/// the request itself: the recordings' own labels belong to the next one in places. For the same
/// rules, tests of this repository have requests and answers of their own.
package struct RecordedExchange: Sendable {
    package static let folder = ProcessInfo.processInfo.environment["TEST_ATPROTO_FIXTURES"]

    package let number: Int64
    package let time: Date
    package let method: HTTPRequest.Method
    package let host: String
    /// Path and query.
    package let target: String
    package let fields: HTTPFields
    package let body: [UInt8]
    package let reply: HTTPReply

    private struct Unreadable: Error {}

    private init(_ line: JSONObject) throws {
        guard let number = line.int64("n"), let time = line.string("t"),
            let host = line.string("host"), let request = line.object("request"),
            let words = request.string("line")?.split(separator: " "), words.count == 3,
            let method = HTTPRequest.Method(String(words[0])),
            let response = line.object("response"), let status = response.int64("status")
        else { throw Unreadable() }
        self.number = number
        self.time = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(time)
        self.host = host
        self.method = method
        target = String(words[1])
        fields = try Self.fields(request)
        body = Array((request.string("body") ?? "").utf8)
        var head = HTTPResponse(status: .init(code: Int(status)))
        head.headerFields = try Self.fields(response)
        reply = HTTPReply(response: head, body: Array((response.string("body") ?? "").utf8))
    }

    private static func fields(_ message: JSONObject) throws -> HTTPFields {
        var fields = HTTPFields()
        for pair in message.array("headers") ?? [] {
            guard let texts = pair.strings, texts.count == 2,
                let name = HTTPField.Name(texts[0])
            else { throw Unreadable() }
            fields.append(HTTPField(name: name, value: texts[1]))
        }
        return fields
    }

    /// Of one file, or of all; in the order of the files and of their lines.
    package static func all(in name: String? = nil) throws -> [RecordedExchange] {
        let base = URL(filePath: try root())
        let names = try FileManager.default.contentsOfDirectory(atPath: base.path()).sorted()
        return try names.filter { $0.hasSuffix(".jsonl") && (name ?? $0) == $0 }.flatMap { name in
            try Data(contentsOf: base.appending(path: name)).split(separator: 0x0A).map {
                try RecordedExchange(
                    JSONObject(parsing: Array($0), limits: JSONLimits(size: 1 << 20))
                )
            }
        }
    }

    /// Another file of the folder, or beside it.
    package static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: try root()).appending(path: path)))
    }

    package static func root() throws -> String {
        guard let folder else { throw Unreadable() }
        return folder
    }

    package var path: Substring { target.prefix { $0 != "?" } }

    /// Without the query.
    package var url: String { "https://\(host)\(path)" }

    package var query: FormParameters? {
        // `try?`: what is no form has no parameters.
        try? FormParameters(decoding: target.dropFirst(path.count + 1).utf8)
    }

    /// Of the request, where it is one.
    package var form: FormParameters? {
        let type = fields[.contentType] ?? ""
        guard type.hasPrefix("application/x-www-form-urlencoded") else { return nil }
        // `try?`: as above.
        return try? FormParameters(decoding: body)
    }

    package var proofs: [String] { fields[values: .proof] }

    /// What the first proof says, also of one whose algorithm is not known here.
    package var proofClaims: JSONObject? { proofs.first.flatMap { Self.part(1, of: $0) } }
    package var proofHeader: JSONObject? { proofs.first.flatMap { Self.part(0, of: $0) } }

    private static func part(_ index: Int, of token: String) -> JSONObject? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[index].utf8) else { return nil }
        // `try?`: what is no JSON says nothing.
        return try? JSONObject(parsing: bytes)
    }

    package var status: Int { reply.response.status.code }

    package var json: JSONObject? {
        // `try?`: many answers are no JSON.
        try? JSONObject(parsing: reply.body, limits: JSONLimits(size: 1 << 20))
    }

    package var error: String? { json?.string("error") }

    /// Whether a client asks an authorization server.
    package var isOfServer: Bool {
        method == .post && ["/oauth/par", "/oauth/token", "/oauth/revoke"].contains(path)
    }
}
