import ArgumentParser
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

extension RealmCommand {
    struct Import: DataDirectoryCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import realms from a Keycloak export.",
            discussion: """
                Prints to stdout what became of each part of the files, losses of protection first. \
                New realms of them are imported together, or none. People keep their passwords.
                A realm that exists is refused. --on-conflict skip adds what is missing in it and changes \
                nothing else. --on-conflict overwrite makes its settings, clients, scopes, roles and groups \
                what the file says and adds new people. Preview with -n, or with portico realm diff. If it \
                is interrupted, run it again:
                  portico realm import -n --on-conflict overwrite acme.json
                """
        )
        static let missing = Installation.Missing.create
        static let holdsRealms = false

        @Argument(help: "Files, or the folder of an export; - for stdin.") var files: [String]
        @Option(help: .value("url", "The server's public address.")) var publicURL: String?
        @Option(help: "What to do with a realm that already exists.") var onConflict =
            OnConflict.fail
        @Option(help: "With overwrite: what to do with people that already exist.") var people =
            People.keep
        @Flag(
            help: """
                With overwrite: delete what the file does not have; people only with --people overwrite.
                """
        )
        var prune = false
        @Flag(help: "Import even if something would be less protected.") var acceptWeaker =
            false
        @Flag(
            help: """
                Replace placeholders in the files' texts from the environment: ${NAME}, \
                ${NAME:default}, $(env:NAME).
                """
        )
        var substitute = false
        @Option(
            name: .customLong("as"),
            help: .value("name", "Another name for the one realm of the files.")
        )
        var newName: String?
        @OptionGroup var swap: TokenSwapFields
        @OptionGroup var options: ChangingAndReadingOptions

        enum OnConflict: String, ExpressibleByArgument, CaseIterable {
            case fail
            case skip
            case overwrite
        }

        enum People: String, ExpressibleByArgument, CaseIterable {
            case keep
            case overwrite
        }

        func validate() throws {
            guard onConflict == .overwrite || people == .keep && !prune else {
                throw ValidationError("--people and --prune belong to --on-conflict overwrite.")
            }
        }

        private var conflict: ImportConflict {
            switch onConflict {
            case .fail: .fail
            case .skip: .skip
            case .overwrite: .overwrite(people: people == .overwrite, prune: prune)
            }
        }

        func run() async throws {
            try await administer { administration in
                let run = RealmImportRun(
                    installation: administration.installation,
                    isDryRun: administration.isDryRun,
                    conflict: conflict,
                    substitutes: substitute,
                    newName: newName
                )
                var more: [ImportReport] = []
                let imported = try await run(files) { staged in
                    try show(staged.map(\.report))
                    if !acceptWeaker { try RealmImportRun.expectProtected(staged) }
                } telling: { news in
                    more.append(news)
                }
                for news in more {
                    console.warn("More came up while realm \(news.realm) was written over:")
                    try show([news])
                }
                for one in imported { try await finish(one, administration) }
            }
        }

        private func finish(_ one: RealmImporter.Staged, _ administration: Administration)
            async throws
        {
            let realm = one.realm
            let name = realm.name
            if let differences = one.differences {
                let what = "\(differences.things) things and \(differences.people) people"
                if differences.isEmpty {
                    console.say("Nothing to change in realm \(name).")
                } else if onConflict == .skip {
                    guard administration.mayWrite("added \(what) to realm \(name)") else { return }
                    console.done("Added \(what) to realm \(name).")
                } else {
                    guard administration.mayWrite("written \(what) over realm \(name)") else {
                        return
                    }
                    console.done("Wrote \(what) over realm \(name).")
                }
                return try await swap.turnOn(in: name, administration)
            }
            guard administration.mayWrite("imported realm \(name)") else { return }
            realm.warnWhereDisabled(console)
            console.done(
                "Imported realm \(name), issuer \(realm.issuer). "
                    + "Undo: \(portico("realm delete \(name) --confirm \(name)"))"
            )
            administration.warn(ofIssuer: realm.issuer, of: name, again: "import")
            administration.installation.warnOfMail(in: realm, replacing: nil, console)
            try await swap.turnOn(in: name, administration)
        }

        private func show(_ reports: [ImportReport]) throws(Failure) {
            for report in reports {
                var table = Table("OUTCOME", "COUNT", "HOW", "WHAT")
                table.rows = report.groups.map { group in
                    [group.outcome.rawValue, "\(group.count)", group.words, group.listed]
                }
                try console.show(table, report.json, options.read)
            }
        }
    }
}

extension ImportReport.Group {
    /// `client shop, client till, and 3 more`
    fileprivate var listed: String {
        let rest = count - named.count
        return (named.map(\.whole) + (rest > 0 ? ["and \(rest) more"] : []))
            .joined(separator: ", ")
    }
}

extension ImportReport.Thing {
    fileprivate var whole: String { detail.map { "\(subject): \($0)" } ?? subject }
}

extension ImportReport {
    fileprivate var json: JSONValue {
        [
            "realm": .string(realm),
            "groups": .array(
                groups.map { group in
                    [
                        "outcome": .string(group.outcome.rawValue),
                        "words": .string(group.words),
                        "count": .integer(Int64(group.count)),
                        "named": .array(group.named.map { .string($0.whole) }),
                    ]
                }
            ),
        ]
    }
}
