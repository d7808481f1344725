import PorticoBytes

extension JSONValue {
    /// Reads one JSON text strictly: UTF-8 without a byte order mark, no repeated name in an object
    /// (RFC 8259 §4 leaves the outcome open; RFC 7515 §4 and RFC 7519 §4 allow the refusal), no
    /// half of a surrogate pair, no NUL, no number beyond a `Double`.
    package init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .standard)
        throws(JSONError)
    {
        guard bytes.count <= limits.size else { throw .tooLarge }
        let result =
            bytes.withContiguousStorageIfAvailable { JSONParser.result(of: $0, limits) }
            ?? Array(bytes).withUnsafeBufferPointer { JSONParser.result(of: $0, limits) }
        self = try result.get()
    }
}

extension JSONObject {
    /// Reads one JSON text that must be an object.
    package init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .standard)
        throws(JSONError)
    {
        guard let object = try JSONValue(parsing: bytes, limits: limits).object else {
            throw .notAnObject
        }
        self = object
    }
}
