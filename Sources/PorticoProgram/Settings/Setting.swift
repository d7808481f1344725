import Logging
import PorticoProtocol

/// One setting: its name everywhere, what it does, what it takes.
struct Setting: Sendable {
    /// In `portico.yaml`, where a period stands for one level of nesting: `log.level`.
    let key: String
    /// Whether it takes several values.
    let isList: Bool
    /// The option of `portico serve`, without the dashes.
    let option: String
    /// What a good value looks like, after "expected".
    let expected: String
    /// What holds where nothing is set.
    let standard: String
    /// Puts a value into the settings; `false` where it is not what is expected.
    let apply: @Sendable (inout Settings, [String]) -> Bool
    /// What the settings have, as it would be written.
    let show: @Sendable (Settings) -> [String]

    /// `PORTICO_LOG_LEVEL`
    var variable: String {
        "PORTICO_"
            + key.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    }

    /// A setting of one value.
    init(
        _ key: String,
        option: String? = nil,
        expected: String,
        standard: String,
        apply: @escaping @Sendable (inout Settings, String) -> Bool,
        show: @escaping @Sendable (Settings) -> String?
    ) {
        self.key = key
        isList = false
        self.option = option ?? key.replacing(".", with: "-")
        self.expected = expected
        self.standard = standard
        self.apply = { settings, values in
            guard values.count == 1 else { return false }
            return apply(&settings, values[0])
        }
        self.show = { settings in show(settings).map { [$0] } ?? [] }
    }

    /// A setting of several values.
    init(
        list key: String,
        option: String,
        expected: String,
        apply: @escaping @Sendable (inout Settings, [String]) -> Bool,
        show: @escaping @Sendable (Settings) -> [String]
    ) {
        self.key = key
        isList = true
        self.option = option
        self.expected = expected
        standard = "none"
        self.apply = apply
        self.show = show
    }

    /// A whole number within bounds.
    static func number(
        _ key: String,
        _ field: any WritableKeyPath<Settings, Int> & Sendable,
        in bounds: ClosedRange<Int>
    ) -> Setting {
        Setting(
            key,
            expected: "a number from \(bounds.lowerBound) to \(bounds.upperBound)",
            standard: String(Settings(dataDirectory: "")[keyPath: field]),
            apply: { settings, text in
                guard let number = Int(text), bounds.contains(number) else { return false }
                settings[keyPath: field] = number
                return true
            },
            show: { String($0[keyPath: field]) }
        )
    }

    /// A file or folder; what it holds is looked at by whoever needs it.
    static func path(
        _ key: String,
        _ field: any WritableKeyPath<Settings, String?> & Sendable,
        expected: String = "the path of a file",
        standard: String
    ) -> Setting {
        Setting(
            key,
            expected: expected,
            standard: standard,
            apply: { settings, path in
                guard !path.isEmpty, !path.utf8.contains(0) else { return false }
                settings[keyPath: field] = path
                return true
            },
            show: { $0[keyPath: field] }
        )
    }
}
