import ArgumentParser
import PorticoStores

extension RealmCommand {
    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a realm. What you leave out stays."
        )

        @Argument(help: "The realm.") var name: String
        @OptionGroup var fields: RealmFields
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let former = try administration.realm(name)
                var realm = former
                fields.apply(to: &realm)
                guard realm != former else {
                    return console.say(
                        "Nothing to change: realm \(realm.name) is already like that."
                    )
                }
                guard !change.dryRun else {
                    return administration.dryRun("changed realm \(realm.name)")
                }
                try administration.expectChanged(
                    await administration.installation.realms.update(realm, replacing: former),
                    "Realm \(realm.name)"
                )
                console.done(
                    "Changed realm \(realm.name). See it: portico realm show \(realm.name)"
                )
            }
        }
    }
}
