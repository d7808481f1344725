import HTTPTypes

/// What a browser lets a script of another site do, by what a server answers (Fetch §4.8, §4.10).
/// The script's requests are POST, which needs no permission of its own, and without cookies.
enum CrossSiteScript {
    static let origin = "https://app.example.net"

    /// A preflight for a request with these fields.
    static func preflight(_ fields: String) -> HTTPFields {
        [
            .origin: origin, .accessControlRequestMethod: "POST",
            .accessControlRequestHeaders: fields,
        ]
    }

    /// Which of the fields that a preflight asks for the script may send: none, where it may not
    /// send its request at all. In lower case.
    static func maySend(_ asked: HTTPFields, status: Int, _ answer: HTTPFields) -> Set<String> {
        guard 200..<300 ~= status, mayRead(asked, answer) else { return [] }
        let allowed = names(answer, .accessControlAllowHeaders)
        return names(asked, .accessControlRequestHeaders).filter { name in
            // An asterisk does not stand for this one.
            allowed.contains(name) || (name != "authorization" && allowed.contains("*"))
        }
    }

    static func mayRead(_ asked: HTTPFields, _ answer: HTTPFields) -> Bool {
        let origins = answer[values: .accessControlAllowOrigin]
        return origins.count == 1 && (origins.first == "*" || origins.first == asked[.origin])
    }

    /// The fields of an answer that the script may read besides the usual ones. In lower case.
    static func exposed(_ answer: HTTPFields) -> Set<String> {
        names(answer, .accessControlExposeHeaders)
    }

    private static func names(_ fields: HTTPFields, _ list: HTTPField.Name) -> Set<String> {
        let values = fields[values: list].flatMap { $0.split(separator: ",") }
        return Set(values.map { $0.filter { $0 != " " }.lowercased() })
    }
}
