import HTTPTypes
import PorticoAdministration
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Why a request of the administration is not served. Keycloak's libraries read one of four shapes
/// of JSON.
package struct AdminRefusal: Error {
    let status: HTTPResponse.Status
    let json: JSONObject
    /// Of the answer's head.
    var fields: HTTPFields = [:]

    /// One sentence, for people. What is foreign in it is bounded.
    package var text: String {
        json.string("errorMessage") ?? json.string("error_description") ?? json.string("error")
            ?? ""
    }

    /// 401, in Keycloak's words; with a challenge, which it does not send (RFC 9110 §15.5.2, RFC 9449
    /// §7.1).
    static func unauthorized(_ challenges: HTTPFields) -> AdminRefusal {
        var answer = error(.unauthorized, "HTTP 401 Unauthorized")
        answer.fields = challenges
        return answer
    }

    static let forbidden = error(.forbidden, "HTTP 403 Forbidden")
    static let invalidOrigin = error(.forbidden, "Invalid origin")
    static let noSuchAddress = error(.notFound, "HTTP 404 Not Found")
    static let methodNotAllowed = error(.methodNotAllowed, "HTTP 405 Method Not Allowed")
    static let unsupportedMediaType = error(
        .unsupportedMediaType,
        "HTTP 415 Unsupported Media Type"
    )
    static let unreadable = message(.badRequest, "unable to read contents from stream")
    static let failed = error(.internalServerError, "unknown_error")
    static let busy = error(.serviceUnavailable, "temporarily_unavailable")
        .retrying(after: Response.whenBusy)
    static let cannotSave = message(
        .serviceUnavailable,
        "The server cannot save anything now: is its disk full?"
    ).retrying(after: 60)
    static let duplicate = described("conflict", "Duplicate resource error", status: .conflict)
    /// Someone else changed it while this request was served.
    static let changedMeanwhile = message(.conflict, "It was changed in the meantime. Try again.")

    private func retrying(after seconds: Double) -> AdminRefusal {
        var refusal = self
        refusal.fields = Response.retryAfter(seconds)
        return refusal
    }

    static func notFound(_ text: String) -> AdminRefusal { error(.notFound, text) }

    static func conflict(_ text: String) -> AdminRefusal { message(.conflict, text) }

    static func invalid(_ text: String) -> AdminRefusal { message(.badRequest, text) }

    /// `{"error"}`
    static func error(_ status: HTTPResponse.Status, _ text: String) -> AdminRefusal {
        AdminRefusal(status: status, json: ["error": .string(text)])
    }

    /// `{"errorMessage"}`
    static func message(_ status: HTTPResponse.Status, _ text: String) -> AdminRefusal {
        AdminRefusal(status: status, json: ["errorMessage": .string(text)])
    }

    /// `{"error", "error_description"}`
    static func described(
        _ code: String,
        _ text: String,
        status: HTTPResponse.Status = .badRequest
    ) -> AdminRefusal {
        AdminRefusal(
            status: status,
            json: ["error": .string(code), "error_description": .string(text)]
        )
    }

    /// `{"field", "errorMessage", "params"}`: a person's field that breaks a rule.
    static func field(_ name: String, _ text: String, _ parameters: [JSONValue] = [])
        -> AdminRefusal
    {
        AdminRefusal(
            status: .badRequest,
            json: [
                "field": .string(name), "errorMessage": .string(text),
                "params": .array([.string(name)] + parameters),
            ]
        )
    }

    /// A member that the representation does not have.
    static func unknownMember(_ name: String, of kind: String) -> AdminRefusal {
        error(
            .badRequest,
            "Invalid json representation for \(kind). "
                + "Unrecognized field \"\(PlainText.shown(name))\"."
        )
    }
}

/// What operations refuse, in Keycloak's words and numbers.
extension AdminRefusal {
    init(_ refusal: AdministrationRefusal) {
        self =
            switch refusal {
            case .forbidden: .forbidden
            case .notFound(let kind): .notFound(kind.words)
            case .taken(let taken): .conflict(taken.words)
            case .client(let refusal):
                .described(
                    "invalid_input",
                    "This would not be as sent. \(refusal.field): \(refusal.rule)"
                )
            case .role(let refusal): .invalid("\(refusal.rule)")
            case .person(let refusal, let person): Self.person(refusal, person.email)
            case .password(let refusal): .described(refusal.code, refusal.words)
            case .invalid(let rule):
                if case .defaultRole = rule {
                    .error(.badRequest, rule.sentence)
                } else {
                    .invalid(rule.sentence)
                }
            }
    }

    private static func person(_ refusal: PersonRegistration.Refusal, _ email: String?)
        -> AdminRefusal
    {
        switch refusal {
        case .username: .field("username", "error-username-invalid-character")
        case .email:
            .field("email", "error-invalid-email", [.string(PlainText.shown(email ?? ""))])
        case .givenName: .field("firstName", "error-person-name-invalid-character")
        case .familyName: .field("lastName", "error-person-name-invalid-character")
        case .id, .attributes: .invalid("\(refusal.rule)")
        }
    }
}

extension AdministrationRefusal.Kind {
    fileprivate var words: String {
        switch self {
        case .realm: "Realm not found."
        case .client: "Could not find client"
        case .scope: "Could not find client scope"
        case .role: "Could not find role"
        case .givenRole: "Role not found"
        case .group: "Could not find group by id"
        case .joinedGroup: "Group not found"
        case .person: "User not found"
        case .credential: "Credential not found"
        case .identity: "Link not found"
        // Keycloak's spelling.
        case .session: "Sesssion not found"
        case .consent: "Consent nor offline token not found"
        }
    }
}

extension AdministrationRefusal.Taken {
    fileprivate var words: String {
        switch self {
        case .realm(let name): "Realm \(PlainText.shown(name)) already exists"
        case .client(let clientID): "Client \(clientID) already exists"
        case .scope(let name): "Client Scope \(name) already exists"
        case .role(let name): "Role with name \(name) already exists"
        case .group(let name, isTop: true): "Top level group named '\(name)' already exists."
        case .group(let name, isTop: false): "Sibling group named '\(name)' already exists."
        case .username: "User exists with same username"
        case .email: "User exists with same email"
        case .identity: "User is already linked with provider"
        case .id: "An id of it is taken."
        }
    }
}

extension PasswordPolicy.Refusal {
    fileprivate var code: String {
        switch self {
        case .tooShort: "invalidPasswordMinLengthMessage"
        case .tooLong: "invalidPasswordMaxLengthMessage"
        case .common: "invalidPasswordBlacklistedMessage"
        case .containsName: "invalidPasswordNotUsernameMessage"
        }
    }

    fileprivate var words: String {
        self == .tooShort
            ? "Invalid password: minimum length \(PasswordPolicy.minimumLength)."
            : "\(description)"
    }
}

/// What a request says and would not get. Of a file it is reported, a request is refused for it: each
/// value was good where the file comes from, and a request learns at once that one is not.
extension ImportReport {
    /// The refusal for the first loss.
    ///
    /// - Parameter counts: Which losses are meant.
    func refusal(where counts: (Outcome, Thing) -> Bool = { _, _ in true }) -> AdminRefusal? {
        for group in groups where Self.losses.contains(group.outcome) {
            for thing in group.named where !thing.isKept && counts(group.outcome, thing) {
                let place = [thing.subject, thing.detail].compactMap(\.self)
                    .joined(separator: ": ")
                return .described(
                    "invalid_input",
                    "This would not be as sent. \(place): \(group.words)"
                )
            }
        }
        return nil
    }

    private static let losses: Set<Outcome> = [.weaker, .disabled, .skipped, .changed]
}

extension JSONObject {
    /// What of it stands in another one too: members that say the same, and elements of both lists. A
    /// change is judged for what it changes.
    func staying(in other: JSONObject) -> JSONObject {
        var staying = JSONObject()
        for (name, value) in self {
            switch (value, other[name]) {
            case (.object(let inner), .object(let changed)?):
                staying[name] = .object(inner.staying(in: changed))
            case (.array(let values), .array(let changed)?):
                staying[name] = .array(values.filter(Set(changed).contains))
            case (_, let changed):
                if value == changed { staying[name] = value }
            }
        }
        return staying
    }
}
