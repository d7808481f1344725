/// Fills `Words` from a language file: the path of a property is the key of its text.
///
/// It never fails: a text that is missing shows its key, and what is wrong with the file is collected,
/// so that a translator sees all of it at once.
final class WordsReader {
    let language: Language
    private let file: LanguageFile
    private var unread: Set<String>
    private var found: [String]

    init(_ file: LanguageFile, _ language: Language) {
        self.file = file
        self.language = language
        unread = Set(file.texts.keys)
        found = file.faults
    }

    /// Once everything has been read.
    var faults: [String] { found + unread.sorted().map { "No page has \($0)." } }

    func exists(_ key: String) -> Bool { file.texts[key] != nil }

    func template(_ key: String, places: ClosedRange<Int>) -> Template {
        unread.remove(key)
        guard let text = file.texts[key] else {
            found.append("Missing: \(key)")
            return Template(words: key)
        }
        guard let template = Template(text), places.contains(template.places.count) else {
            found.append("Not the right places for values in \(key): \(text)")
            return Template(words: key)
        }
        return template
    }
}

struct WordsDecoder: Decoder {
    /// A key of the file.
    struct Entry {
        private let reader: WordsReader
        let key: String

        fileprivate init(_ reader: WordsReader, _ key: String) {
            self.reader = reader
            self.key = key
        }

        init(_ decoder: any Decoder) throws {
            guard let decoder = decoder as? WordsDecoder else { throw OnlyTexts() }
            let key = decoder.codingPath.map(\.stringValue).joined(separator: ".")
            self.init(decoder.reader, key)
        }

        var language: Language { reader.language }
        var exists: Bool { reader.exists(key) }

        func at(_ part: String) -> Entry { Entry(reader, "\(key).\(part)") }

        func template(places: ClosedRange<Int>) -> Template {
            reader.template(key, places: places)
        }
    }

    /// Words hold texts, and structs of texts.
    struct OnlyTexts: Error {}

    let reader: WordsReader
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Properties(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw OnlyTexts() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw OnlyTexts() }

    private struct Properties<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: WordsDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { false }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try Value(from: superDecoder(forKey: key))
        }

        func nestedContainer<Nested>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try superDecoder(forKey: key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw OnlyTexts()
        }

        func superDecoder() -> any Decoder { decoder }

        func superDecoder(forKey key: Key) -> any Decoder {
            WordsDecoder(reader: decoder.reader, codingPath: codingPath + [key])
        }
    }
}
