import ArgumentParser
import PorticoProtocol
import PorticoSystem

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the settings.",
        subcommands: [Show.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show every setting and, with --origin, where its value comes from.",
            discussion: """
                Options override the environment, which overrides ./portico.yaml, which overrides \
                $XDG_CONFIG_HOME/portico/config.yaml. No setting is a secret.
                """
        )

        @Flag(help: "Show where each value comes from.")
        var origin = false

        @OptionGroup var settings: SettingOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let reader = try SettingsReader(options: settings.values, file: settings.config)
            let (values, origins) = try reader.settings()
            var items: [JSONValue] = []
            var rows: [[String?]] = []
            for setting in Setting.all {
                let shown = setting.texts(values)
                let source = origins[setting.key]?.description ?? "default"
                items.append(Self.item(setting, shown, source))
                let text = shown.isEmpty ? nil : shown.joined(separator: ", ")
                rows.append([setting.key, text] + (origin ? [source] : []))
            }
            var table = origin ? Table("SETTING", "VALUE", "ORIGIN") : Table("SETTING", "VALUE")
            table.rows = rows
            try output.console.show(table, .object(["items": .array(items)]), read)
        }

        private static func item(_ setting: Setting, _ shown: [String], _ source: String)
            -> JSONValue
        {
            let value: JSONValue =
                setting.isList
                ? .array(shown.map(JSONValue.string))
                : shown.first.map(JSONValue.string) ?? .null
            return .object(["key": .string(setting.key), "value": value, "origin": .string(source)])
        }
    }
}
