import Configuration
import Foundation
import PorticoBytes

/// Reads the settings: options, then environment, then the project's file, then the person's
/// (`docs/configuration.md`).
struct SettingsReader {
    private struct Layer {
        let origin: @Sendable (Setting) -> SettingOrigin
        let provider: any ConfigProvider
    }

    private let layers: [Layer]
    private let environment: [String: String]

    /// - Parameters:
    ///   - options: Values by option.
    ///   - file: The file that `--config` names, instead of `portico.yaml`.
    /// - Throws: where a file or the environment has a name that is no setting's.
    init(options: [String: [String]], file: String?, environment: [String: String]) async throws {
        self.environment = environment
        var layers = [Self.options(options), try Self.environment(environment)]
        let named = file ?? environment["PORTICO_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        layers.append(
            try await Self.file(named ?? "portico.yaml", isRequired: named != nil)
        )
        let personal = Self.configurationHome(environment) + "/portico/config.yaml"
        layers.append(try await Self.file(personal, isRequired: false))
        self.layers = layers
    }

    /// - Throws: where a value is not what its setting expects.
    func settings() throws(Failure) -> (settings: Settings, origins: [String: SettingOrigin]) {
        var settings = Settings(dataDirectory: Self.dataHome(environment) + "/portico/server")
        var origins: [String: SettingOrigin] = [:]
        for setting in Setting.all {
            guard let found = try value(of: setting) else { continue }
            let values =
                Self.paths.contains(setting.key)
                ? found.values.map(found.origin.resolve) : found.values
            guard setting.apply(&settings, values) else {
                throw Self.wrong(setting, found.values, found.origin)
            }
            origins[setting.key] = found.origin
        }
        return (settings, origins)
    }

    /// What is meant from where it is written.
    private static let paths: Set = [
        "data-directory", "import-realm", "mail.password-file", "mail.ca-file", "mail.sendmail",
        "pages.logo", "pages.brand",
    ]

    private func value(of setting: Setting) throws(Failure) -> (
        values: [String], origin: SettingOrigin
    )? {
        let key = AbsoluteConfigKey(setting.key.split(separator: ".").map(String.init))
        for layer in layers {
            let found: ConfigValue?
            do {
                found = try layer.provider.value(
                    forKey: key,
                    type: setting.isList ? .stringArray : .string
                ).value
            } catch {
                throw Self.wrong(setting, [], layer.origin(setting))
            }
            switch found?.content {
            case .string(let text): return ([text], layer.origin(setting))
            case .stringArray(let texts): return (texts, layer.origin(setting))
            default: continue
            }
        }
        return nil
    }

    private static func wrong(_ setting: Setting, _ values: [String], _ origin: SettingOrigin)
        -> Failure
    {
        // Whoever wrote a password into it does not want to see it in a log as well.
        let shown = setting.key == "mail.smtp" ? [] : values
        let value = shown.map { "\"\(printable($0))\"" }.joined(separator: ", ")
        return Failure(
            .wrongValue,
            "\(origin.description) has a wrong value\(value.isEmpty ? "" : ": \(value)").",
            "Expected: \(setting.isList ? "a list of " : "")\(setting.expected)."
        )
    }

    // MARK: Layers

    private static func options(_ options: [String: [String]]) -> Layer {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for setting in Setting.all {
            guard let given = options[setting.option], let first = given.first else { continue }
            let key = AbsoluteConfigKey(setting.key.split(separator: ".").map(String.init))
            values[key] = ConfigValue(
                setting.isList ? .stringArray(given) : .string(first),
                isSecret: false
            )
        }
        return Layer(
            origin: { .option("--\($0.option)") },
            provider: InMemoryProvider(name: "options", values: values)
        )
    }

    /// Variables of the environment that are no settings and are still ours.
    private static let otherVariables: Set<String> = ["PORTICO_CONFIG"]

    private static func environment(_ environment: [String: String]) throws(Failure) -> Layer {
        // An empty variable counts as not set: that is how it is taken away in many tools.
        let ours = environment.filter { $0.key.hasPrefix("PORTICO_") && !$0.value.isEmpty }
        let known = otherVariables.union(Setting.all.map(\.variable))
        if let unknown = ours.keys.filter({ !known.contains($0) }).min() {
            throw Self.unknown(unknown, known: known, in: "the environment")
        }
        return Layer(
            origin: { .variable($0.variable) },
            provider: EnvironmentVariablesProvider(environmentVariables: ours)
                .prefixKeys(with: ["portico"])
        )
    }

    private static func file(_ path: String, isRequired: Bool) async throws -> Layer {
        let seen = SeenKeys()
        let provider: FileProvider<YAMLSnapshot>
        do {
            provider = try await FileProvider<YAMLSnapshot>(
                // The one place where the parser shows the keys it has found.
                parsingOptions: .init(
                    secretsSpecifier: .dynamic { key, _ in
                        seen.insert(key)
                        return false
                    }
                ),
                config: ConfigReader(
                    provider: InMemoryProvider(
                        values: [
                            "filePath": .init(.string(path), isSecret: false),
                            "allowMissing": .init(.bool(!isRequired), isSecret: false),
                        ]
                    )
                )
            )
        } catch {
            throw Failure(
                .configUnreadable,
                "The settings file \(printable(path)) cannot be read.",
                // The parser shows the place over several lines.
                advice: "\(error)".split(whereSeparator: \.isNewline).map { printable(String($0)) }
            )
        }
        let known = Set(Setting.all.map(\.key))
        if let unknown = seen.all.filter({ !known.contains($0) }).min() {
            throw Self.unknown(unknown, known: known, in: path)
        }
        return Layer(origin: { .file(path, key: $0.key) }, provider: provider)
    }

    private static func unknown(_ name: String, known: Set<String>, in place: String) -> Failure {
        let nearest = Suggestion.nearest(to: name, among: known.sorted())
        return Failure(
            .unknownSetting,
            "There is no setting \"\(printable(name))\" (in \(printable(place))).",
            advice: (nearest.map { ["Did you mean \"\($0)\"?"] } ?? [])
                + ["All settings are options too: portico serve --help"]
        )
    }

    // MARK: Folders (XDG Base Directory Specification)

    static func dataHome(_ environment: [String: String]) -> String {
        absolute(environment["XDG_DATA_HOME"]) ?? home(environment) + "/.local/share"
    }

    private static func configurationHome(_ environment: [String: String]) -> String {
        absolute(environment["XDG_CONFIG_HOME"]) ?? home(environment) + "/.config"
    }

    /// A relative path in these variables is to be ignored.
    private static func absolute(_ path: String?) -> String? {
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    private static func home(_ environment: [String: String]) -> String {
        absolute(environment["HOME"]) ?? NSHomeDirectory()
    }
}

/// The keys that the YAML parser came by.
private final class SeenKeys: Sendable {
    private let keys = Locked<[String]>([])

    func insert(_ key: String) {
        keys.withLock { $0.append(key) }
    }

    var all: [String] { keys.withLock { $0 } }
}
