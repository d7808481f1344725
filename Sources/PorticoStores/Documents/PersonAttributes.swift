import PorticoProtocol

/// A person's further facts as the document that keeps them: an object of arrays of texts.
enum PersonAttributes {
    static func document(_ attributes: [String: [String]]) -> JSONObject {
        var document = JSONObject()
        for (name, values) in attributes.sorted(by: { $0.key < $1.key }) {
            document[name] = .array(values.map(JSONValue.string))
        }
        return document
    }

    static func read(_ document: JSONObject) throws -> [String: [String]] {
        var attributes: [String: [String]] = [:]
        for (name, value) in document {
            guard let values = value.strings else { throw DocumentError(member: "attributes") }
            attributes[name] = values
        }
        return attributes
    }
}
