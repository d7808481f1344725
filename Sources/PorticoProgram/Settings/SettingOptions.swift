import ArgumentParser

/// The settings as options of a command: one for each entry of ``SettingTable``.
///
/// ArgumentParser finds the options of a type by reflection and decodes them by name, so
/// `customMirror` and `init(from:)` take the place of a property for each setting.
struct SettingOptions: ParsableArguments, CustomReflectable {
    /// By option.
    private(set) var values: [String: [String]] = [:]
    private(set) var config: String?

    init() {}

    /// The first entry is the data directory, which ``DataDirectoryOptions`` has.
    private static var settings: some Sequence<Setting> { Setting.all.dropFirst() }

    var customMirror: Mirror {
        let options = Self.settings.map { setting -> (String?, Any) in
            let name = NameSpecification.customLong(setting.option)
            let help = setting.argumentHelp
            return setting.isList
                ? (setting.option, Option<[String]>(wrappedValue: [], name: name, help: help))
                : (setting.option, Option<String?>(name: name, help: help))
        }
        return Mirror(self, children: [("place", OptionGroup<DataDirectoryOptions>())] + options)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionKey.self)
        let place = try container.decode(
            OptionGroup<DataDirectoryOptions>.self,
            forKey: OptionKey(stringValue: "place")
        ).wrappedValue
        config = place.config
        values = place.values
        for setting in Self.settings {
            let name = OptionKey(stringValue: setting.option)
            values[setting.option] =
                setting.isList
                ? try container.decode([String].self, forKey: name)
                : try container.decodeIfPresent(String.self, forKey: name).map { [$0] }
        }
    }
}

/// Where the server's data and settings are: all that the commands which administer it need.
struct DataDirectoryOptions: ParsableArguments {
    @Option(help: SettingTable.entries.dataDirectory.setting.argumentHelp) var dataDirectory:
        String?

    @Option(help: ArgumentHelp("The settings file instead of ./portico.yaml.", valueName: "path"))
    var config: String?

    /// By option.
    var values: [String: [String]] {
        dataDirectory.map { ["data-directory": [$0]] } ?? [:]
    }
}
