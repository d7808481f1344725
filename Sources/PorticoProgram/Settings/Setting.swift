import ArgumentParser
import PorticoPages

/// What is known of one setting, whatever the type of its value: the part of an entry in
/// ``SettingTable`` that options, files, messages and `docs/configuration.md` need.
struct Setting: Sendable {
    /// In `portico.yaml`, where a period stands for one level of nesting: `log.level`.
    let key: String
    /// The option of `portico serve`, without the dashes.
    let option: String
    /// What the value is called in `--help`: `--log-level <level>`.
    let valueName: String
    let expected: String
    let isList: Bool
    /// Whether a relative value in a file is resolved against the file's folder.
    let isPath: Bool
    /// Whether someone may put a secret into it by mistake, so that a wrong value is not repeated.
    let mayHoldSecret: Bool
    let standard: String
    /// One line for `--help`, and the beginning of the description in the document.
    var help = ""
    /// The rest of that description, in Markdown.
    var more = ""
    /// - Returns: `false`, and changes nothing, where the texts are not what is expected.
    let set: @Sendable ([String], inout Settings) -> Bool
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

/// What a setting takes: how texts become a value, and the value texts.
struct SettingKind<Value: Sendable>: Sendable {
    let valueName: String
    let expected: String
    var isList = false
    var isPath = false
    let read: @Sendable ([String]) -> Value?
    let show: @Sendable (Value) -> [String]

    var optional: SettingKind<Value?> {
        .init(
            valueName: valueName,
            expected: expected,
            isPath: isPath,
            read: { [read] texts in read(texts).map(Optional.some) },
            show: { [show] value in value.map(show) ?? [] }
        )
    }

    var list: SettingKind<[Value]> {
        .init(
            valueName: valueName,
            expected: "a list of \(expected)",
            isList: true,
            isPath: isPath,
            read: { [read] texts in
                let values = texts.compactMap { read([$0]) }
                return values.count == texts.count ? values : nil
            },
            show: { [show] values in values.flatMap(show) }
        )
    }
}

extension SettingKind {
    /// One value.
    ///
    /// - Parameter read: Returns `nil`, or throws, where the text is not what is expected.
    init(
        _ valueName: String,
        expected: String,
        isPath: Bool = false,
        read: @escaping @Sendable (String) throws -> Value?,
        show: @escaping @Sendable (Value) -> String
    ) {
        self.init(
            valueName: valueName,
            expected: expected,
            isPath: isPath,
            // `try?`: whether it is one is the question.
            read: { texts in texts.count == 1 ? try? read(texts[0]) : nil },
            show: { [show($0)] }
        )
    }
}

extension SettingKind where Value == Int {
    static func number(_ bounds: ClosedRange<Int>, _ valueName: String) -> Self {
        Self(
            valueName,
            expected: "a number from \(bounds.lowerBound) to \(bounds.upperBound)",
            read: { text in Int(text).flatMap { bounds.contains($0) ? $0 : nil } },
            show: { String($0) }
        )
    }
}

extension SettingKind where Value: RawRepresentable<String> {
    static func choice(_ valueName: String, of choices: [Value]) -> Self {
        Self(
            valueName,
            expected: "one of " + choices.map(\.rawValue).joined(separator: ", "),
            read: { Value(rawValue: $0) },
            show: { $0.rawValue }
        )
    }
}

extension SettingKind where Value == Bool {
    static let onOff = choice("state", yes: "on", no: "off")

    static func choice(_ valueName: String, yes: String, no: String) -> Self {
        Self(
            valueName,
            expected: "one of \(yes), \(no)",
            read: { $0 == yes ? true : $0 == no ? false : nil },
            show: { $0 ? yes : no }
        )
    }
}

extension SettingKind where Value == String {
    static func text(
        _ valueName: String,
        expected: String,
        isPath: Bool = false,
        check: @escaping @Sendable (String) -> Bool
    ) -> Self {
        Self(
            valueName,
            expected: expected,
            isPath: isPath,
            read: { check($0) ? $0 : nil },
            show: { $0 }
        )
    }

    static func path(_ expected: String) -> Self {
        text("path", expected: expected, isPath: true) { !$0.isEmpty && !$0.utf8.contains(0) }
    }

    static let file = path("the path of a file")
    static let folder = path("the path of a folder")
    static let link = text("address", expected: "an https address") { PageLink(https: $0) != nil }
}

extension SettingKind where Value == [String: String] {
    /// Any number of `NAME=VALUE`, each name once.
    static func properties(
        _ expected: String,
        names: [String],
        check: @escaping @Sendable ([String: String]) throws -> PageTheme
    ) -> Self {
        Self(
            valueName: "name=value",
            expected: "a list of \(expected); the names are \(names.joined(separator: ", "))",
            isList: true,
            read: { texts in
                var values: [String: String] = [:]
                for text in texts {
                    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                    guard parts.count == 2,
                        values.updateValue(parts[1], forKey: parts[0]) == nil
                    else { return nil }
                }
                // `try?`: whether they make a theme is the question.
                return (try? check(values)) != nil ? values : nil
            },
            show: { values in
                values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            }
        )
    }
}

/// The settings as options of a command: one for each entry of ``SettingTable``.
struct SettingOptions: ParsableArguments {
    @OptionGroup private var place: DataDirectoryOptions
    @OptionGroup private var settings: TableOptions<SettingTable>

    var config: String? { place.config }

    var values: [String: [String]] {
        Setting.all.reduce(into: place.values) { values, setting in
            let texts = settings.texts(setting.option)
            if !texts.isEmpty { values[setting.option] = texts }
        }
    }
}

extension SettingTable: OptionTable {
    /// Without the first entry, the data directory, which ``DataDirectoryOptions`` has.
    static var options: [TableOption] {
        Setting.all.dropFirst().map {
            TableOption(name: $0.option, shape: $0.isList ? .list : .text, help: $0.argumentHelp)
        }
    }
}

/// Where the server's data and settings are: all that the commands which administer it need.
struct DataDirectoryOptions: ParsableArguments {
    @Option(help: SettingTable.entries.dataDirectory.setting.argumentHelp) var dataDirectory:
        String?

    @Option(help: ArgumentHelp("The settings file instead of ./portico.yaml.", valueName: "path"))
    var config: String?

    var values: [String: [String]] {
        dataDirectory.map { ["data-directory": [$0]] } ?? [:]
    }
}
