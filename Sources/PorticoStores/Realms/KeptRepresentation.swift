package import PorticoProtocol

/// What a file of another product says of a thing besides what has a place of its own here. It is kept for the
/// codec of that product: no other code reads it.
package struct KeptRepresentation: Hashable, Sendable {
    /// A serialized JSON object.
    package let json: String

    package init(_ object: JSONObject) {
        json = String(decoding: object.serialized(), as: UTF8.self)
    }

    /// - Parameter json: As ``json`` was.
    init(json: String) {
        self.json = json
    }
}
