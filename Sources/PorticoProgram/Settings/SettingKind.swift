import PorticoPages

/// What a setting takes: how texts become a value, and the value texts.
struct SettingKind<Value: Sendable>: Sendable {
    let valueName: String
    let expected: String
    var isList = false
    var isPath = false
    /// Returns `nil` where the texts are not what is expected.
    let read: @Sendable ([String]) -> Value?
    let show: @Sendable (Value) -> [String]

    /// The same, or nothing.
    var optional: SettingKind<Value?> {
        .init(
            valueName: valueName,
            expected: expected,
            isPath: isPath,
            read: { [read] texts in read(texts).map(Optional.some) },
            show: { [show] value in value.map(show) ?? [] }
        )
    }

    /// Any number of the same.
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

    /// What it leads to is checked where it is read.
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
