import ArgumentParser

/// What is known of one setting, whatever the type of its value: the part of an entry in
/// ``SettingTable`` that options, files, messages and `docs/configuration.md` need.
struct Setting: Sendable {
    /// In `portico.yaml`, where a period stands for one level of nesting: `log.level`.
    let key: String
    /// The option of `portico serve`, without the dashes.
    let option: String
    /// What the value is called in `--help`: `--log-level <level>`.
    let valueName: String
    /// What a correct value looks like, after "Expected:".
    let expected: String
    let isList: Bool
    /// Whether a relative value in a file is resolved against the file's folder.
    let isPath: Bool
    /// Whether someone may put a secret into it by mistake, so that a wrong value is not repeated.
    let mayHoldSecret: Bool
    /// The default, in Markdown.
    let standard: String
    /// One line for `--help`, and the beginning of the description in the document.
    var help = ""
    /// The rest of that description, in Markdown.
    var more = ""
    /// - Returns: `false`, and changes nothing, where the texts are not what is expected.
    let set: @Sendable ([String], inout Settings) -> Bool
    /// The value as it would be written.
    let texts: @Sendable (Settings) -> [String]

    static let all = Mirror(reflecting: SettingTable.entries).children
        .compactMap { ($0.value as? any SettingEntry)?.setting }

    /// `PORTICO_LOG_LEVEL`
    var variable: String {
        "PORTICO_"
            + key.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    }

    var argumentHelp: ArgumentHelp { ArgumentHelp("\(help)", valueName: valueName) }
}

protocol SettingEntry {
    var setting: Setting { get }
}

extension SettingTable {
    /// A setting with the type of its value.
    struct Entry<Value: Sendable>: SettingEntry, Sendable {
        private(set) var setting: Setting
        let standard: Value

        /// A setting that always has a value.
        ///
        /// - Parameter text: The default in Markdown, where it is not the value itself.
        init(
            _ key: String,
            option: String? = nil,
            _ kind: SettingKind<Value>,
            default standard: Value,
            as text: String? = nil,
            mayHoldSecret: Bool = false
        ) {
            self.standard = standard
            setting = Setting(
                key: key,
                option: option ?? key.replacing(".", with: "-"),
                valueName: kind.valueName,
                expected: kind.expected,
                isList: kind.isList,
                isPath: kind.isPath,
                mayHoldSecret: mayHoldSecret,
                standard: text ?? kind.show(standard).first.map { "`\($0)`" } ?? "none",
                set: { texts, settings in
                    guard let value = kind.read(texts) else { return false }
                    settings[key, or: standard] = value
                    return true
                },
                texts: { settings in kind.show(settings[key, or: standard]) }
            )
        }

        /// A setting that need not have a value.
        ///
        /// - Parameter text: What applies without one, in Markdown.
        init<Item>(
            _ key: String,
            _ kind: SettingKind<Item>,
            none text: String = "none",
            mayHoldSecret: Bool = false
        ) where Value == Item? {
            self.init(key, kind.optional, default: nil, as: text, mayHoldSecret: mayHoldSecret)
        }

        /// A setting of several values.
        init<Item>(_ key: String, option: String? = nil, list kind: SettingKind<Item>)
        where Value == [Item] {
            self.init(key, option: option, kind.list, default: [])
        }

        func help(_ help: String, more: String = "") -> Entry {
            var entry = self
            entry.setting.help = help
            entry.setting.more = more
            return entry
        }
    }
}
