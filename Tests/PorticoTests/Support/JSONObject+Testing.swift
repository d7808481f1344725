import PorticoProtocol

extension JSONObject {
    /// The same with another value for a member; `nil`: without it.
    func with(_ name: String, _ value: JSONValue?) -> JSONObject {
        var object = self
        object[name] = value
        return object
    }
}
