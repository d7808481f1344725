import HTTPTypes
import PorticoAdministration
import PorticoProtocol
import PorticoProvider
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
    static func unauthorized(_ refusal: PresentedAccess.Refusal, _ publicURL: PublicURL)
        -> AdminRefusal
    {
        var answer = error(.unauthorized, "HTTP 401 Unauthorized")
        answer.fields = refusal.fields(realm: publicURL.origin + "/admin")
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
    static let cannotSave = message(
        .serviceUnavailable,
        "The server cannot save anything now: is its disk full?"
    )
    static let duplicate = described("conflict", "Duplicate resource error", status: .conflict)
    /// Someone else changed it while this request was served.
    static let changedMeanwhile = message(.conflict, "It was changed in the meantime. Try again.")

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
