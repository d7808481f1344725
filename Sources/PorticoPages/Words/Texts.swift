import PorticoBytes

/// Texts, and groups of texts: a property's name is a part of their keys.
package protocol WordGroup: Sendable, Decodable {}

/// A text as pages use it. Its type says what the language file must have at its key, and the kind of
/// a value is the page's to say: a translator only moves its place.
protocol LanguageText: Sendable, Decodable {
    init(_ entry: WordsDecoder.Entry)
}

extension LanguageText {
    init(from decoder: any Decoder) throws {
        self.init(try WordsDecoder.Entry(decoder))
    }
}

/// Without a value.
extension Phrase: LanguageText {
    init(_ entry: WordsDecoder.Entry) {
        self = entry.template(places: 0...0).filled { _ in nil }
    }

    package init(from decoder: any Decoder) throws {
        self.init(try WordsDecoder.Entry(decoder))
    }
}

/// With a name from outside.
struct NamedText: LanguageText {
    private let template: Template

    init(_ entry: WordsDecoder.Entry) { template = entry.template(places: 1...1) }

    func callAsFunction(_ name: String) -> Phrase { template.filled(with: .name(name)) }

    /// In place of the name, words of the same file.
    func callAsFunction(_ words: Phrase) -> Phrase { template.filled(with: .words(words)) }
}

/// With an address, code or host from outside.
struct ExactText: LanguageText {
    private let template: Template

    init(_ entry: WordsDecoder.Entry) { template = entry.template(places: 1...1) }

    func callAsFunction(_ text: String) -> Phrase { template.filled(with: .exact(text)) }
}

/// With words from the same file, such as a time.
struct JoinedText: LanguageText {
    private let template: Template

    init(_ entry: WordsDecoder.Entry) { template = entry.template(places: 1...1) }

    func callAsFunction(_ words: Phrase) -> Phrase { template.filled(with: .words(words)) }
}

/// With any values, by name.
struct FilledText: LanguageText {
    private let template: Template

    init(_ entry: WordsDecoder.Entry) { template = entry.template(places: 0...9) }

    func callAsFunction(_ values: [String: Template.Value]) -> Phrase {
        template.filled { values[$0] }
    }
}

/// With a number, in each plural form that the language has: `key.one`, `key.other`.
struct CountedText: LanguageText {
    private let language: Language
    private let forms: [Plural: Template]

    init(_ entry: WordsDecoder.Entry) {
        language = entry.language
        forms = Dictionary(
            uniqueKeysWithValues: language.plurals.map { form in
                // "one device" says its number itself.
                let places = form.isOneNumber ? 0...1 : 1...1
                return (form, entry.at("\(form)").template(places: places))
            }
        )
    }

    func callAsFunction(_ number: Int) -> Phrase {
        forms[language.plural(number)]?.filled(with: .number(number)) ?? ""
    }
}

/// Several texts: `key.1`, `key.2`.
struct TextList: LanguageText {
    private let texts: [FilledText]

    init(_ entry: WordsDecoder.Entry) {
        texts = (1...99).lazy.map { entry.at("\($0)") }
            .prefix { $0.exists || $0.key.hasSuffix(".1") }.map { FilledText($0) }
    }

    subscript(index: Int) -> Phrase { texts.indices.contains(index) ? texts[index]([:]) : "" }

    func callAsFunction(_ values: [String: Template.Value] = [:]) -> [Phrase] {
        texts.map { $0(values) }
    }
}

/// The texts of one language: a line `key = text` each, in a form that translators' tools read
/// (Java's `.properties`, in UTF-8).
///
/// Lines that begin with `#` are for translators. A line that ends with `\` goes on in the next one,
/// without the blanks that it begins with.
struct LanguageFile {
    private(set) var texts: [String: String] = [:]
    /// What is wrong with it, a sentence each.
    private(set) var faults: [String] = []

    init(_ file: String) {
        var start = ""
        for line in file.split(whereSeparator: \.isNewline) {
            let part = start + line.drop { $0 == " " }
            guard !part.hasSuffix(#"\"#) else {
                start = String(part.dropLast())
                continue
            }
            start = ""
            if !part.hasPrefix("#") { read(part) }
        }
        if !start.isEmpty { faults.append("The last line ends with a backslash.") }
    }

    private mutating func read(_ line: String) {
        let parts = line.split(separator: "=", maxSplits: 1).map { String($0).trimmingBlanks }
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            faults.append("No key and text: \(line)")
            return
        }
        if texts.updateValue(parts[1], forKey: parts[0]) != nil {
            faults.append("Twice: \(parts[0])")
        }
    }
}

/// Which form of a word goes with a number (Unicode CLDR, plural rules for whole numbers).
enum Plural: Sendable, Equatable {
    case zero, one, two, few, many, other

    /// Whether it stands for one number only, in the languages that the pages have.
    var isOneNumber: Bool {
        switch self {
        case .zero, .one, .two: true
        case .few, .many, .other: false
        }
    }
}

extension Language {
    /// The forms that its file has of each text with a number.
    var plurals: [Plural] {
        switch self {
        case .english, .german: [.one, .other]
        case .arabic: [.zero, .one, .two, .few, .many, .other]
        }
    }

    func plural(_ number: Int) -> Plural {
        switch self {
        case .english, .german: number == 1 ? .one : .other
        case .arabic:
            switch (number, number.magnitude % 100) {
            case (0, _): .zero
            case (1, _): .one
            case (2, _): .two
            case (_, 3...10): .few
            case (_, 11...99): .many
            default: .other
            }
        }
    }
}

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

/// A time to wait as a person would say it: up to a minute and a half in seconds, then in minutes,
/// rounded up.
enum Wait: Sendable, Equatable {
    case seconds(Int)
    case minutes(Int)

    init(seconds: Int) {
        if seconds <= 90 {
            self = .seconds(max(1, seconds))
        } else {
            let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
            self = .minutes(rest == 0 ? minutes : minutes + 1)
        }
    }
}
