import ArgumentParser

/// A table of which each row is an option of a command.
protocol OptionTable {
    static var options: [TableOption] { get }
}

/// An option that a row of a table makes.
struct TableOption {
    enum Shape {
        /// `--name` and `--no-name`
        case flag
        /// `--enable-name` and `--disable-name`
        case state
        case text
        /// One that may be repeated.
        case list
    }

    /// Without the dashes.
    let name: String
    let shape: Shape
    let help: ArgumentHelp

    fileprivate var wrapper: Any {
        let name = NameSpecification.customLong(name)
        return switch shape {
        case .flag: Flag<Bool?>(name: name, inversion: .prefixedNo, help: help)
        case .state: Flag<Bool?>(name: name, inversion: .prefixedEnableDisable, help: help)
        case .text: Option<String?>(name: name, help: help)
        case .list: Option<[String]>(wrappedValue: [], name: name, help: help)
        }
    }
}

/// The options of a table, as they were typed.
///
/// ArgumentParser finds the options of a type by reflection and decodes them by name, so `customMirror` and
/// `init(from:)` take the place of a property for each row.
struct TableOptions<Table: OptionTable>: ParsableArguments, CustomReflectable {
    enum Said: Sendable {
        case flag(Bool)
        /// Never empty.
        case texts([String])
    }

    /// By option; what was left out is not in it.
    private(set) var said: [String: Said] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for option in Table.options {
            let key = Key(stringValue: option.name)
            switch option.shape {
            case .flag, .state:
                said[option.name] = try container.decodeIfPresent(Bool.self, forKey: key)
                    .map(Said.flag)
            case .text:
                said[option.name] = try container.decodeIfPresent(String.self, forKey: key)
                    .map { .texts([$0]) }
            case .list:
                let texts = try container.decode([String].self, forKey: key)
                if !texts.isEmpty { said[option.name] = .texts(texts) }
            }
        }
    }

    var customMirror: Mirror {
        Mirror(self, children: Table.options.map { (label: $0.name, value: $0.wrapper) })
    }

    /// Whether the option was given, and does not say no.
    func says(_ option: String) -> Bool {
        switch said[option] {
        case .flag(let isOn)?: isOn
        case .texts?: true
        case nil: false
        }
    }

    func texts(_ option: String) -> [String] {
        guard case .texts(let texts)? = said[option] else { return [] }
        return texts
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
