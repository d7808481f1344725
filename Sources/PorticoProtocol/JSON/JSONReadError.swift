package import PorticoBytes

/// Why and where a JSON text cannot be read.
package struct JSONReadError: Error, Hashable, Sendable {
    package let reason: Reason
    package let path: JSONPath
    /// How many bytes of the text stand before that place.
    package let offset: Int

    package enum Reason: Hashable, Sendable {
        case json(JSONError)
        /// The file itself cannot be read.
        case source(FileBytes.Refusal)
    }
}

extension JSONReadError: CustomStringConvertible {
    /// `clients[2].secret, byte 1234: The JSON text ends too early.`
    package var description: String {
        let place = path.steps.isEmpty ? "byte \(offset)" : "\(path), byte \(offset)"
        return "\(place): \(words)"
    }

    /// A literal, so that it holds nothing of the text.
    package var words: StaticString {
        switch reason {
        case .json(let error): error.words
        case .source: "The file cannot be read."
        }
    }
}
