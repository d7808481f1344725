import ArgumentParser
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

extension RealmCommand {
    struct Diff: DataDirectoryCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what is different in a realm and in a file.",
            discussion: """
                The file is in the format of Keycloak's exports; what it leaves out at its top is not \
                compared. Ends with 0 where nothing differs, 1 where something does, and 2 where \
                they cannot be compared. Shows what an import with --on-conflict overwrite would \
                change; what is only here stays without --prune, and people without --people overwrite.
                """
        )

        @Argument(help: "The realm.") var name: String
        @Argument(help: "The file, or a folder that Keycloak exported to.") var file: String
        @Flag(help: "Replace placeholders in the file's texts from the environment, as an import.")
        var substitute = false
        @Option(
            name: .customLong("as"),
            help: .value("name", "What the realm is called in the file, if not as here.")
        )
        var nameInFile: String?
        @OptionGroup(title: "General options") var options: ReadingOptions

        func run() async throws {
            do {
                try await administer(compare)
            } catch {
                throw Self.trouble(error)
            }
        }

        private func compare(_ administration: Administration) async throws {
            let realm = try administration.realm(name)
            let files = try RealmFiles.named(
                [file],
                RealmFiles.placeholders(substitute: substitute)
            )
            let report: RealmDiff.Report?
            do {
                let place = try place(in: try RealmSource.compared(files))
                report = try await administration.installation.registering { people in
                    let diff = RealmDiff(
                        RealmImport(of: administration.installation, people),
                        realms: administration.realms,
                        people: administration.people
                    )
                    return try await diff(realm, place, at: administration.moment)
                }
            } catch let error as RealmFileError {
                throw broken(error.reason)
            }
            guard let report else {
                throw Failure(.notFound, "Realm \(realm.name) was deleted in the meantime.")
            }
            try show(report)
        }

        private func show(_ report: RealmDiff.Report) throws {
            let differences = report.differences.sorted { $0.section < $1.section }
            var table = Table("CHANGE", "WHAT", "HERE", "FILE")
            table.rows = differences.map {
                [$0.kind.words, $0.path.description, $0.here, $0.there]
            }
            let all = report.counts.values.reduce(0, +)
            if options.read.json || all > 0 {
                try console.show(table, .object(Self.json(report, differences)), options.read)
            }
            guard all > 0 else {
                console.say(
                    "Nothing differs: realm \(printable(name)) is as \(printable(file)) has it."
                )
                return
            }
            for (section, count) in report.counts.sorted(by: { $0.key < $1.key })
            where count > RealmDiff.most {
                console.say("… and \(count - RealmDiff.most) more in \(printable(section))")
            }
            var words = ["-n", "--on-conflict", "overwrite"]
            if substitute { words.append("--substitute") }
            if nameInFile != nil { words += ["--as", name] }
            words.append(file)
            throw Failure(
                .differs,
                "Realm \(printable(name)) and \(printable(file)) differ in "
                    + "\(all == 1 ? "1 thing" : "\(all) things").",
                "What an import would write: \(portico("realm import \(words: words)"))"
            )
        }

        private static func json(_ report: RealmDiff.Report, _ differences: [RealmDifference])
            -> JSONObject
        {
            let counts = report.counts.sorted { $0.key < $1.key }.map {
                ($0.key, JSONValue.integer(Int64($0.value)))
            }
            return [
                "counts": .object(JSONObject(unique: counts) ?? JSONObject()),
                "differences": .array(
                    differences.map { difference in
                        var json: JSONObject = [
                            "change": .string(difference.kind.rawValue),
                            "path": .string(difference.path.description),
                        ]
                        json["here"] = difference.here.map(JSONValue.string)
                        json["file"] = difference.there.map(JSONValue.string)
                        return .object(json)
                    }
                ),
            ]
        }

        private func place(in places: [RealmPlace]) throws(Failure) -> RealmPlace {
            let wanted = nameInFile ?? name
            if let place = places.first(where: { sameBytes($0.name, wanted) }) { return place }
            let names = places.prefix(10).map { printable($0.name) }.joined(separator: ", ")
            throw Failure(
                .notFound,
                "\(printable(file)) has no realm \"\(printable(wanted))\".",
                "It has: \(names). If it has another name there: --as NAME"
            )
        }

        private func broken(_ reason: RealmImportError) -> Failure {
            var advice = [printable(reason.description)]
            if case .placeholders(let unfilled) = reason {
                advice += RealmFiles.advice(unfilled, substitute: substitute)
            }
            return Failure(
                .importBroken,
                "\(printable(file)) cannot be compared.",
                advice: advice
            )
        }

        /// As diff(1): 1 is an answer, so nothing else ends with it.
        private static func trouble(_ error: any Error) -> any Error {
            guard var failure = Failure(translating: error), failure.problem != .differs else {
                return error
            }
            failure.status = .usage
            return failure
        }
    }
}

extension RealmDifference.Kind {
    /// For people, who would ask: added, or removed, by whom?
    fileprivate var words: String {
        switch self {
        case .added: "only in file"
        case .removed: "only here"
        case .changed: "changed"
        }
    }
}
