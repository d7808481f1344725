/// A text with places for values: `Sign in to {client}`.
struct Template: Sendable {
    /// Words, and the name of the value that follows them.
    private struct Part {
        let text: String
        let place: String?
    }

    enum Value {
        /// A name from outside, kept apart from the words around it.
        case name(String)
        /// An address or code: read from left to right in every language.
        case exact(String)
        /// From the same language file.
        case words(Phrase)
        case number(Int)
    }

    private let parts: [Part]

    /// The names of the values, each once.
    var places: Set<String> { Set(parts.compactMap(\.place)) }

    /// Only words.
    init(words: String) {
        parts = [Part(text: words, place: nil)]
    }

    /// - Returns: `nil` where braces do not enclose the name of a value.
    init?(_ text: String) {
        var parts: [Part] = []
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{") {
            let behind = rest[rest.index(after: open)...]
            let place = behind.prefix { $0.isASCII && $0.isLetter }
            guard !place.isEmpty, behind[place.endIndex...].first == "}" else { return nil }
            parts.append(Part(text: String(rest[..<open]), place: String(place)))
            rest = behind[place.endIndex...].dropFirst()
        }
        guard !rest.contains("}") else { return nil }
        if !rest.isEmpty { parts.append(Part(text: String(rest), place: nil)) }
        self.parts = parts
    }

    /// - Parameter value: By name. A place without a value stays as it is in the file.
    func filled(_ value: (String) -> Value?) -> Phrase {
        var phrase = Phrase.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for part in parts {
            phrase.appendLiteral(part.text)
            guard let place = part.place else { continue }
            switch value(place) {
            case .name(let name): phrase.appendInterpolation(name: name)
            case .exact(let text): phrase.appendInterpolation(exact: text)
            case .words(let words): phrase.appendInterpolation(words)
            case .number(let number): phrase.appendLiteral("\(number)")
            case nil: phrase.appendLiteral("{\(place)}")
            }
        }
        return Phrase(stringInterpolation: phrase)
    }

    /// - Parameter value: For every place.
    func filled(with value: Value) -> Phrase { filled { _ in value } }
}
