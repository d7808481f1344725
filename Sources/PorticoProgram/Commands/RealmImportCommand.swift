import ArgumentParser
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

extension RealmCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import realms from a Keycloak export.",
            discussion: """
                Prints to stdout what became of each part of the file. A realm that \
                already exists is left as it is, and the import fails. People keep their passwords.
                """
        )

        @Argument(help: "The file; - for stdin.") var file: String
        @Option(help: ArgumentHelp("The server's public address.", valueName: "url"))
        var publicURL: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            let file = try RealmFile(file)
            let names = try file.names()
            try await Administration.run(
                place,
                changing: change,
                publicURL: publicURL,
                missing: change.dryRun ? .pretend : .create,
                console
            ) { administration in
                let taken = administration.snapshot.realms.map(\.name).filter(names.contains)
                if let name = taken.first {
                    throw Failure(
                        .exists,
                        "Realm \"\(printable(name))\" already exists. Nothing was imported.",
                        "Delete it first: portico realm delete \(printable(name))"
                    )
                }
                let imported = try await file.read(into: administration.installation)
                for one in imported { show(one.report, console) }
                for one in imported {
                    let name = one.realm.realm.name
                    guard !change.dryRun else {
                        administration.dryRun("imported realm \(name)")
                        continue
                    }
                    guard
                        try await administration.installation.realms.create(one.realm) == .created
                    else {
                        throw Failure(.exists, "Realm \(name) was created in the meantime.")
                    }
                    one.realm.realm.warnWhereDisabled(console)
                    console.done(
                        "Imported realm \(name), issuer \(one.realm.realm.issuer). "
                            + "Undo: portico realm delete \(name) --confirm \(name)"
                    )
                }
            }
        }

        private func show(_ report: ImportReport, _ console: Console) {
            var table = Table("OUTCOME", "WHAT", "HOW")
            table.rows = report.lines.map { [$0.outcome.rawValue, $0.subject, $0.words] }
            let json: JSONObject = [
                "realm": .string(report.realm),
                "lines": .array(
                    report.lines.map {
                        [
                            "outcome": .string($0.outcome.rawValue),
                            "subject": .string($0.subject),
                            "words": .string($0.words),
                        ]
                    }
                ),
            ]
            console.show(table, .object(json), read)
        }
    }
}
