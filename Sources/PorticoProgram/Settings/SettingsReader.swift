import PorticoBytes
import PorticoSystem

/// Reads the settings from options, then the environment, then the project's file, then the
/// person's file (`docs/configuration.md`).
struct SettingsReader {
    private struct Layer {
        let origin: @Sendable (Setting) -> SettingOrigin
        let texts: @Sendable (Setting) throws -> [String]?
    }

    private let layers: [Layer]
    private let environment: [String: String]

    /// - Parameters:
    ///   - options: Values by option.
    ///   - file: The file that `--config` names, instead of `portico.yaml`.
    /// - Throws: where a file or the environment has a name that no setting has.
    init(
        options: [String: [String]] = [:],
        file: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(Failure) {
        self.environment = environment
        let named = file ?? environment["PORTICO_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        let personal = Self.configurationHome(environment) + "/portico/config.yaml"
        layers = [
            Self.options(options),
            try Self.environment(environment),
            try Self.file(named ?? "portico.yaml", isRequired: named != nil),
            try Self.file(personal, isRequired: false),
        ]
    }

    /// - Throws: where a value is not what its setting expects.
    func settings() throws(Failure) -> (settings: Settings, origins: [String: SettingOrigin]) {
        var settings = Settings(dataDirectory: Self.dataHome(environment) + "/portico/server")
        var origins: [String: SettingOrigin] = [:]
        for setting in Setting.all {
            guard let (texts, origin) = try texts(of: setting) else { continue }
            let home = Self.home(environment)
            let values =
                setting.isPath ? texts.map { origin.resolve($0, home: home) } : texts
            if setting.isPath, let other = texts.first(where: Self.isOtherHome) {
                throw Failure(
                    .wrongValue,
                    "\(origin.description) has a wrong value: \"\(printable(other))\".",
                    "Write the path out: only ~/ stands for a home folder, your own."
                )
            }
            guard setting.set(values, &settings) else {
                throw Self.wrong(setting, texts, origin)
            }
            origins[setting.key] = origin
        }
        return (settings, origins)
    }

    /// What a shell takes for another user's home folder, or for another folder.
    private static func isOtherHome(_ path: String) -> Bool {
        path.hasPrefix("~") && path != "~" && !path.hasPrefix("~/")
    }

    private func texts(of setting: Setting) throws(Failure) -> ([String], SettingOrigin)? {
        for layer in layers {
            let origin = layer.origin(setting)
            do {
                if let texts = try layer.texts(setting) { return (texts, origin) }
            } catch {
                throw Self.wrong(setting, [], origin)
            }
        }
        return nil
    }

    private static func wrong(
        _ setting: Setting,
        _ texts: [String],
        _ origin: SettingOrigin
    ) -> Failure {
        let shown = setting.mayHoldSecret ? [] : texts
        let value = shown.map { "\"\(printable($0))\"" }.joined(separator: ", ")
        return Failure(
            .wrongValue,
            "\(origin.description) has a wrong value\(value.isEmpty ? "" : ": \(value)").",
            "Expected: \(setting.expected)."
        )
    }

    // MARK: Layers

    private static func options(_ options: [String: [String]]) -> Layer {
        Layer(
            origin: { .option("--\($0.option)") },
            texts: { options[$0.option].flatMap { $0.isEmpty ? nil : $0 } }
        )
    }

    private static func environment(_ environment: [String: String]) throws(Failure) -> Layer {
        // An empty variable counts as not set: many tools remove a variable that way.
        let ours = environment.filter { $0.key.hasPrefix("PORTICO_") && !$0.value.isEmpty }
        let known = Set(Setting.all.map(\.variable) + ["PORTICO_CONFIG"] + FirstAdministrator.own)
        if let unknown = ours.keys.filter({ !known.contains($0) }).min() {
            throw Self.unknown(unknown, known: known, in: "the environment")
        }
        return Layer(
            origin: { .variable($0.variable) },
            texts: { setting in
                guard let text = ours[setting.variable] else { return nil }
                guard setting.isList else { return [text] }
                return text.split(separator: ",", omittingEmptySubsequences: false)
                    .map { String($0).trimmingBlanks }
            }
        )
    }

    private static func file(_ path: String, isRequired: Bool) throws(Failure) -> Layer {
        let file = try contents(path, isRequired: isRequired)
        let known = Set(Setting.all.map(\.key))
        if let unknown = file.values.keys.filter({ !known.contains($0) }).min() {
            throw Self.unknown(unknown, known: known, in: path)
        }
        return Layer(
            origin: { .file(path, key: $0.key) },
            texts: { setting in
                switch file.values[setting.key] {
                case .text(let text) where !setting.isList: return [text]
                case .list(let texts) where setting.isList: return texts
                case nil: return nil
                default: throw NotOfItsKind()
                }
            }
        )
    }

    /// A list for one value, or one value for a list.
    private struct NotOfItsKind: Error {}

    private static func contents(_ path: String, isRequired: Bool) throws(Failure) -> SettingsFile {
        do {
            return try SettingsFile(path)
        } catch {
            if error.isMissing, !isRequired { return SettingsFile() }
            throw Failure(
                .configUnreadable,
                "The settings file \(printable(path)) cannot be read.",
                advice: error.lines.map(printable)
            )
        }
    }

    private static func unknown(_ name: String, known: Set<String>, in place: String) -> Failure {
        let inside = known.filter { $0.hasPrefix(name + ".") }.sorted()
        guard inside.isEmpty else {
            return Failure(
                .unknownSetting,
                "\"\(printable(name))\" is no setting, but has some below it (in \(printable(place))).",
                "They are: " + inside.joined(separator: ", ")
            )
        }
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

    /// The specification says to ignore a relative path in these variables.
    private static func absolute(_ path: String?) -> String? {
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    private static func home(_ environment: [String: String]) -> String {
        absolute(environment["HOME"]) ?? URL.homeDirectory.path
    }
}

enum SettingOrigin: Hashable, Sendable {
    /// `--listen`
    case option(String)
    /// `PORTICO_LISTEN`
    case variable(String)
    case file(String, key: String)

    var description: String {
        switch self {
        case .option(let name), .variable(let name): name
        case .file(let path, let key): "\(key) in \(printable(path))"
        }
    }

    /// A path in a file is relative to that file, any other to the working directory. `~/` is the home
    /// folder: a shell replaces it only where it stands bare.
    ///
    /// - Parameter home: `nil`: `~` has no meaning.
    func resolve(_ path: String, home: String? = nil) -> String {
        if let home, path == "~" || path.hasPrefix("~/") { return home + path.dropFirst() }
        guard case .file(let file, _) = self, !path.hasPrefix("/"),
            let slash = file.lastIndex(of: "/")
        else { return path }
        return file[...slash] + path
    }
}
