import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoSystem

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
        @OptionGroup(title: "Token swap") var swap: TokenSwapFields
        @OptionGroup(title: "General options") var options: ChangingAndReadingOptions

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

/// An import of realm files into a data directory, by a command or at the start of a server.
struct RealmImportRun {
    let installation: Installation
    var isDryRun = false
    var conflict = ImportConflict.fail
    /// Whether a realm that is here already is left wholly alone, as Keycloak does at its start.
    var passesOver = false
    /// Whether placeholders in the files are replaced from the environment.
    var substitutes = false
    /// Another name for the one realm of the files; `nil`: their own.
    var newName: String?
    /// The option that lets placeholders be replaced.
    var substituting = "--substitute"

    /// - Parameters:
    ///   - judge: Sees what became of them before anyone else does; what it throws stops the import.
    ///   - tell: Gets what is found only when realms are written over.
    func callAsFunction(
        _ paths: [String],
        judging judge: ([RealmImporter.Staged]) throws -> Void,
        telling tell: (ImportReport) -> Void = { _ in }
    ) async throws -> [RealmImporter.Staged] {
        do {
            let files = try RealmFiles.named(
                paths,
                RealmFiles.placeholders(substitute: substitutes)
            )
            var source = try RealmSource(files)
            if let newName, !source.rename(to: newName) {
                throw Failure(
                    .wrongValue,
                    "--as names one realm, and these files have \(source.realms.count).",
                    "Import each of them by itself."
                )
            }
            let there = Set(try await installation.realms.realms().map(\.name))
            let places = source.realms.filter { !passesOver || !there.contains($0.name) }
            guard !places.isEmpty else { return [] }
            let lock = isDryRun ? nil : try ImportLock.take(installation.directory)
            defer { withExtendedLifetime(lock) {} }
            return try await installation.registering { registration in
                try await stage(places, registration, judge, tell)
            }
        } catch let weaker as Weaker {
            throw refusal(weaker, paths)
        } catch let error as RealmFileError {
            throw Failure(
                .importBroken,
                "\(printable(error.file)) cannot be imported. Nothing was imported.",
                advice: [printable(error.reason.description)] + advice(for: error.reason, paths)
            )
        } catch let unfinished as RealmImporter.Unfinished {
            throw Self.unfinished(unfinished.reason)
        } catch let taken as RealmStore.TakenName {
            throw exists(taken.name, paths)
        } catch let last as RealmImporter.LastAdministrator {
            throw Failure(
                .refused,
                "No one would administer realm \"\(printable(last.name))\" any more. Nothing was "
                    + "imported.",
                "Make someone in the file an administrator, or leave the people as they are: without "
                    + "--people overwrite."
            )
        }
    }

    private func advice(for reason: RealmImportError, _ paths: [String]) -> [String] {
        switch reason {
        case .placeholders(let unfilled):
            RealmFiles.advice(unfilled, substitute: substitutes, by: substituting)
        case .realm(_, .name):
            ["Give it another name here: \(again(paths, ["--as", "NAME"]))"]
        default: []
        }
    }

    private func again(_ paths: [String], _ options: [String]) -> String {
        var words = paths
        switch conflict {
        case .fail: break
        case .skip: words += ["--on-conflict", "skip"]
        case .overwrite(let people, let prune):
            words += ["--on-conflict", "overwrite"]
            if people { words += ["--people", "overwrite"] }
            if prune { words.append("--prune") }
        }
        if substitutes { words.append("--substitute") }
        if let newName, options.first != "--as" { words += ["--as", newName] }
        return portico("realm import \(words: words + options)")
    }

    private static func unfinished(_ reason: any Error) -> any Error {
        let again = "Run it again: it does the rest."
        if let error = reason as? RealmFileError {
            return Failure(
                .importBroken,
                "\(printable(error.file)) was not imported to its end.",
                printable(error.reason.description),
                again
            )
        }
        if let last = reason as? RealmImporter.LastAdministrator {
            return Failure(
                .refused,
                "No one would administer realm \"\(printable(last.name))\" any more: others changed it "
                    + "meanwhile. The file was not imported to its end.",
                "See what it would do now: \(portico("realm import -n"))"
            )
        }
        if let deleted = reason as? RealmImporter.Deleted {
            return Failure(
                .changedMeanwhile,
                "Realm \"\(printable(deleted.name))\" was deleted meanwhile. "
                    + "The file was not imported to its end.",
                "Importing it again makes the realm anew."
            )
        }
        if reason is ChangedMeanwhile || reason is StoreConflict || reason is MissingReference {
            return Failure(
                .changedMeanwhile,
                "Others keep changing the realm. The file was not imported to its end.",
                again
            )
        }
        return reason
    }

    private func stage(
        _ places: [RealmPlace],
        _ registration: PersonRegistration,
        _ judge: ([RealmImporter.Staged]) throws -> Void,
        _ tell: (ImportReport) -> Void
    ) async throws -> [RealmImporter.Staged] {
        let importer = RealmImporter(
            RealmImport(of: installation, registration),
            store: installation.realms,
            people: installation.people,
            isDryRun: isDryRun,
            conflict: conflict
        )
        do {
            let moment = installation.clock.moment()
            let staged = try await importer.stage(places, at: moment)
            if staged.contains(where: { $0.differences == nil }) {
                try await installation.expectOneAddress()
            }
            try judge(staged)
            try await importer.publish(staged, at: moment, telling: tell)
            if !isDryRun { try await note(staged, registration) }
            return staged
        } catch {
            // `try?`: why the import failed is what matters, and the next one removes it, too.
            try? await importer.abandon()
            throw error
        }
    }

    private func note(_ staged: [RealmImporter.Staged], _ registration: PersonRegistration)
        async throws
    {
        for one in staged {
            try await installation.administration(registration).noteImport(
                of: one.realm,
                isNew: one.differences == nil,
                by: .commandLine
            )
        }
    }

    /// A realm would be less protected than it was.
    struct Weaker: Error {
        fileprivate let first: RealmImporter.Staged
    }

    static func expectProtected(_ staged: [RealmImporter.Staged]) throws(Weaker) {
        guard let first = staged.first(where: { $0.report.count(.weaker) > 0 }) else { return }
        throw Weaker(first: first)
    }

    private func refusal(_ weaker: Weaker, _ paths: [String]) -> Failure {
        let losses = weaker.first.report.groups.filter { $0.outcome == .weaker }
        let name = weaker.first.realm.name
        return Failure(
            .refused,
            "Realm \(name) would be less protected than it was. Nothing was imported.",
            advice: losses.prefix(5).map { group in
                let subject = group.named.first?.subject ?? ""
                let more = group.count > 1 ? " and \(group.count - 1) more" : ""
                return "\(subject)\(more): \(group.words)"
            } + ["To accept it: \(again(paths, ["--accept-weaker"]))"]
        )
    }

    private func exists(_ name: String, _ paths: [String]) -> Failure {
        Failure(
            .exists,
            "Realm \"\(printable(name))\" already exists. Nothing was imported.",
            "Add what is missing in it: \(again(paths, ["--on-conflict", "skip"]))",
            "Write the file over it: \(again(paths, ["--on-conflict", "overwrite"]))",
            "Or delete it first, for good: \(portico("realm delete \(name) --confirm \(name)"))"
        )
    }
}

/// Lets one import at a time into a data directory: it may remove what others left behind.
final class ImportLock: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// `nil` where an import is under way, or the folder cannot be written.
    static func attempt(_ directory: DataDirectory) -> ImportLock? {
        guard case .taken(let descriptor) = FileLock.attempt(directory.importLock) else {
            return nil
        }
        return ImportLock(descriptor)
    }

    static func take(_ directory: DataDirectory) throws(Failure) -> ImportLock {
        switch FileLock.attempt(directory.importLock) {
        case .taken(let descriptor): return ImportLock(descriptor)
        case .held:
            throw Failure(
                .alreadyRunning,
                "Another import into \(printable(directory.path)) is under way.",
                "Wait until it has ended."
            )
        case .impossible(let reason):
            throw Failure(
                .dataDirectory,
                "\(printable(directory.importLock)) cannot be written: "
                    + "\(systemReason(reason))."
            )
        }
    }

    deinit {
        FileLock.release(descriptor)
    }
}

extension Realm {
    func warnWhereDisabled(_ console: Console) {
        guard !isEnabled else { return }
        console.warn("Realm \(name) is disabled, as in the file: no one can sign in.")
    }
}

extension RealmImport {
    /// Into a data directory.
    init(of installation: Installation, _ people: PersonRegistration) {
        self.init(
            creation: RealmCreation(ring: installation.ring),
            clients: ClientRegistration(ring: installation.ring),
            people: people,
            ring: installation.ring,
            baseURL: installation.publicURL
        )
    }
}
