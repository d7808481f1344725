import ArgumentParser
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

extension RealmCommand {
    struct Import: DataDirectoryCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import realms from a Keycloak export.",
            discussion: """
                Prints to stdout what became of each part of the file. A realm that \
                already exists is left as it is, and the import fails. People keep their passwords.
                """
        )
        static let missing = Installation.Missing.create

        @Argument(help: "The file; - for stdin.") var file: String
        @Option(help: .value("url", "The server's public address.")) var publicURL: String?
        @OptionGroup var swap: TokenSwapFields
        @OptionGroup var options: ChangingAndReadingOptions

        func run() async throws {
            let file = try RealmFile(file)
            let names = try file.names()
            try await administer { administration in
                let taken = administration.snapshot.realms.map(\.name).filter(names.contains)
                if let name = taken.first {
                    throw Failure(
                        .exists,
                        "Realm \"\(printable(name))\" already exists. Nothing was imported.",
                        "Delete it first: portico realm delete \(printable(name))"
                    )
                }
                let imported = try await file.read(into: administration.installation)
                for one in imported { show(one.report) }
                for one in imported { try await create(one.realm, administration) }
            }
        }

        private func create(_ new: NewRealm, _ administration: Administration) async throws {
            let name = new.realm.name
            guard administration.mayWrite("imported realm \(name)") else { return }
            guard try await administration.realms.create(new) == .created else {
                throw Failure(.exists, "Realm \(name) was created in the meantime.")
            }
            new.realm.warnWhereDisabled(console)
            console.done(
                "Imported realm \(name), issuer \(new.realm.issuer). "
                    + "Undo: portico realm delete \(name) --confirm \(name)"
            )
            try await swap.turnOn(in: new, administration)
        }

        private func show(_ report: ImportReport) {
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
            console.show(table, .object(json), options.read)
        }
    }
}
