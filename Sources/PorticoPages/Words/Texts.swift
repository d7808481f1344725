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
