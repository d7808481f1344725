import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport

/// A request to a real Keycloak, and its answer.
struct Exchange: Decodable {
    struct Request: Decodable {
        let method: String
        let url: String
        let headers: [String: String]
        let body: String?
    }

    struct Answer: Decodable {
        let status: Int
        let headers: [[String]]
        let body: String?
    }

    let note: String
    let request: Request
    let answer: Answer

    static func all(in file: URL) throws -> [Exchange] {
        try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Exchange.self, from: $0)
        }
    }

    /// Path and query.
    var path: String {
        String(request.url.dropFirst("http://127.0.0.1:11111".count))
    }

    /// The parameters of the query, or of a form.
    var parameters: [(name: String, value: String)] {
        let isForm = request.headers["Content-Type"]?.contains("urlencoded") == true
        let text = isForm ? request.body ?? "" : path.split(separator: "?").dropFirst().joined()
        return (try? FormParameters(decoding: text.utf8))?.all ?? []
    }

    var outline: AnswerOutline {
        func field(_ name: String) -> String? {
            answer.headers.first { $0[0].lowercased() == name }?[1]
        }
        return AnswerOutline(
            method: request.method,
            origin: request.headers["Origin"],
            status: answer.status,
            body: answer.body ?? "",
            field: field
        )
    }
}

/// What of an answer a client depends on: the status, where it leads, the error, the members.
struct AnswerOutline: Equatable {
    let text: String
    let members: Set<String>

    init(reply: Reply, method: String, origin: String?) {
        self.init(method: method, origin: origin, status: reply.status, body: reply.text) { name in
            HTTPField.Name(name).flatMap { reply.headers[$0] }
        }
    }

    init(
        method: String,
        origin: String?,
        status: Int,
        body: String,
        field: (String) -> String?
    ) {
        let readers = Self.readers(origin, field)
        guard method != "OPTIONS" else {
            text = readers
            members = []
            return
        }
        var parts = [String(status == 303 ? 302 : status)]
        let json = (try? JSONObject(parsing: Array(body.utf8))) ?? [:]
        let challenge = field("www-authenticate")?.firstMatch(of: /error="([^"]*)"/)
            .map { String($0.1) }
        if let location = field("location") {
            parts.append(Self.place(location))
        } else if let error = json.string("error") ?? challenge {
            parts.append(error)
        } else if body.hasPrefix("(HTML") || body.contains("<html") || body.contains("<!doctype") {
            parts.append("page")
        } else if field("content-type")?.hasPrefix("application/jwt") == true {
            parts.append("JWT")
        }
        if origin != nil { parts.append(readers) }
        text = parts.joined(separator: " ")
        members =
            method == "HEAD" || json.string("error") != nil ? [] : Set(json.map(\.name))
    }

    /// The address without values, but for that of `error`.
    private static func place(_ location: String) -> String {
        let location = location.replacing("http://127.0.0.1:11111", with: "")
            .replacing("https://op.example.com", with: "")
        guard let mark = location.firstIndex(where: { $0 == "?" || $0 == "#" }),
            let form = try? FormParameters(
                decoding: location[location.index(after: mark)...].utf8
            )
        else { return location }
        let names = form.all.filter { $0.name != "error_description" }.map {
            $0.name == "error" ? "error=\($0.value)" : $0.name
        }
        return location[...mark] + names.sorted().joined(separator: "&")
    }

    private static func readers(_ origin: String?, _ field: (String) -> String?) -> String {
        guard let allowed = field("access-control-allow-origin") else { return "readable by none" }
        let who = allowed == origin ? "the origin" : allowed == "*" ? "all" : allowed
        let isWide = field("access-control-allow-credentials") == "true"
        return "readable by \(who)" + (isWide ? ", with credentials" : "")
    }

    /// How two answers differ, in a word for each; `nil` if they do not.
    static func difference(_ theirs: AnswerOutline, _ ours: AnswerOutline) -> (String, String)? {
        guard theirs != ours else { return nil }
        guard theirs.text == ours.text else { return (theirs.text, ours.text) }
        func more(_ names: Set<String>) -> String {
            switch names.count {
            case 0: "fewer members"
            case ...12: "more: " + names.sorted().joined(separator: ", ")
            default: "\(names.count) members more"
            }
        }
        return (
            more(theirs.members.subtracting(ours.members)),
            more(ours.members.subtracting(theirs.members))
        )
    }
}
