import ArgumentParser
import PorticoStores
import PorticoProvider

extension RealmCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a realm with its signing keys.",
            discussion: """
                The issuer is made of the public URL and never changes. It is written to stdout.
                """
        )

        @Argument(help: "Its name in addresses: letters, digits, '-', '_' and '.'.")
        var name: String

        @Option(help: ArgumentHelp("What people read on its pages.", valueName: "text"))
        var displayName: String?

        @Option(help: ArgumentHelp("The server's public address.", valueName: "url"))
        var publicURL: String?

        @OptionGroup var fields: RealmFields
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(
                place,
                changing: change,
                publicURL: publicURL,
                missing: change.dryRun ? .pretend : .create,
                console
            ) { administration in
                let installation = administration.installation
                var new = try RealmCreation(ring: installation.ring)(
                    name: name,
                    displayName: displayName,
                    baseURL: installation.settings.effectivePublicURL,
                    at: administration.moment
                )
                fields.apply(to: &new.realm)
                let taken = Failure(
                    .exists,
                    "Realm \"\(printable(name))\" already exists.",
                    "See it: portico realm show \(printable(name))"
                )
                guard !administration.snapshot.realms.contains(where: { $0.name == name }) else {
                    throw taken
                }
                guard !change.dryRun else {
                    return administration.dryRun(
                        "created realm \(name) with issuer \(new.realm.issuer)"
                    )
                }
                guard try await installation.realms.create(new) == .created else { throw taken }
                console.done(
                    "Created realm \(name). Undo: portico realm delete \(name) --confirm \(name)"
                )
                console.made("Issuer", new.realm.issuer)
            }
        }
    }
}
