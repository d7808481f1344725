import PorticoProtocol

/// What a request of the administration is answered.
enum AdminAnswer: Sendable {
    case json(JSONValue)
    /// `text/plain`.
    case text(String)
    /// 202, with what it is now.
    case accepted(JSONObject)
    /// 204.
    case done
    /// 201, with the path of what was made below the server's address.
    case created(path: String, JSONObject? = nil)

    static func object(_ object: JSONObject) -> AdminAnswer { .json(.object(object)) }

    static func list(_ objects: [JSONObject]) -> AdminAnswer {
        .json(.array(objects.map(JSONValue.object)))
    }
}
