import ArgumentParser
import PorticoATProtocol
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStores

struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Bring in sessions from another system.",
        subcommands: [Import.self]
    )
}

extension SessionCommand {
    struct Import: DataDirectoryCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring in sessions by internet handle from another system.",
            discussion: """
                The file has one session a line, as JSON: what the library stored, or did, host, \
                refresh_token, dpop_key and more. The other system must not use the tokens any more. \
                Its seals of the cookie sid open the session for 14 days, if its password is in the \
                file that sid.password-file names. A line that is not taken is reported, and the \
                others are taken. Of each DID one session comes in, once, so the command can be run again.
                """
        )
        static let holdsRealms = false

        @Argument(help: "The file; - for stdin.") var file: String
        @Option(help: .value("name", "The app whose sessions they are, if it is one."))
        var app: String?
        @OptionGroup(title: "General options") var options: ChangingAndReadingOptions

        func run() async throws {
            let lines = try FileLines(file, limit: HandleSessionImport.longestLine)
            try await administer { administration in
                let importing = try await sessionImport(administration)
                var report = SessionImportReport(clientID: importing.clientID)
                var number = 0
                while let line = try lines.next() {
                    number += 1
                    switch line {
                    case .tooLong: report.add(.refused(.tooLong), line: number)
                    case .text(let bytes) where bytes.allSatisfy({ $0 <= 0x20 }): continue
                    case .text(let bytes):
                        report.add(
                            try await importing(bytes, at: administration.moment),
                            line: number
                        )
                    }
                }
                try finish(report, administration)
            }
        }

        private func sessionImport(_ administration: Administration) async throws
            -> HandleSessionImport
        {
            let record = try await administration.provider(HandleProvider.kind)
            // Where there is a provider, there is its realm.
            guard let realm = try await administration.backend().realm else {
                throw MissingReference()
            }
            if let app { _ = try await administration.app(app) }
            let (installation, rules) = (administration.installation, administration.identityRules)
            let provider = try HandleProvider(record, rules)
            guard !provider.isConfidential else {
                throw Failure(
                    .refused,
                    "The provider atproto is a client with keys. These sessions are of one without.",
                    "Hosts would take none of their tokens. Nothing was written.",
                    "Until they are over: \(portico("provider update atproto --public"))"
                )
            }
            guard let client = OwnClientDocument(provider, at: administration.publicURL, rules)
            else { throw HandleProviderRefusal.publicAddress }
            // An administrator who means the client for development sets `public-url`.
            guard
                HTTPAddress(client.clientID)?.isSecure == true
                    || installation.settings.publicURL != nil
            else {
                throw Failure(
                    .refused,
                    "public-url is not set, so it is unclear which client the sessions belong to.",
                    "Hosts end a session whose tokens another client brings. Nothing was written.",
                    "The former address, in portico.yaml: public-url: https://app.example.com"
                )
            }
            if installation.settings.sidPasswordFile == nil {
                console.warn(
                    "The other system's seals do not open: name a file with its password in "
                        + "sid.password-file."
                )
            }
            // One that cannot be read is found before anything is written.
            _ = try installation.sealPasswords(isNeeded: false)
            return HandleSessionImport(
                accounts: installation.accounts,
                realmID: realm.id,
                ring: installation.ring,
                provider: provider,
                client: client,
                network: HandleDirectory.Network(in: try installation.settings.network()),
                rules: rules,
                clock: installation.clock,
                app: app,
                sessionsLast: Int64(installation.settings.sidDays) * 86_400,
                isDryRun: administration.isDryRun
            )
        }

        private func finish(_ report: SessionImportReport, _ administration: Administration)
            throws(Failure)
        {
            try console.show(report.table, report.json, options.read)
            console.say("Hosts know them as sessions of the client \(report.clientID)")
            let count = report.taken.counting("session")
            if administration.mayWrite("brought in \(count)") {
                console.done("Brought in \(count).")
            }
            guard report.refusals > 0 else { return }
            throw Failure(
                .refused,
                report.refusals == 1
                    ? "1 line was not taken." : "\(report.refusals) lines were not taken.",
                "Each reason is in the report. The other lines need no second run."
            )
        }
    }
}

/// What became of each line of a file of sessions. Nothing of a line is in it but its number.
struct SessionImportReport {
    let clientID: String
    private(set) var taken = 0
    private var known = 0
    private var refused: [HandleSessionImport.Refusal: (count: Int, lines: [Int])] = [:]

    /// Of so many lines with one reason the numbers are kept.
    private static let most = 100

    init(clientID: String) { self.clientID = clientID }

    var refusals: Int { refused.values.reduce(0) { $0 + $1.count } }

    mutating func add(_ outcome: HandleSessionImport.Outcome, line: Int) {
        switch outcome {
        case .taken: taken += 1
        case .known: known += 1
        case .refused(let refusal):
            var lines = refused[refusal]?.lines ?? []
            if lines.count < Self.most { lines.append(line) }
            refused[refusal] = ((refused[refusal]?.count ?? 0) + 1, lines)
        }
    }

    private var reasons: [(refusal: HandleSessionImport.Refusal, count: Int, lines: [Int])] {
        HandleSessionImport.Refusal.allCases.compactMap { refusal in
            refused[refusal].map { (refusal, $0.count, $0.lines) }
        }
    }

    var table: Table {
        var table = Table("OUTCOME", "COUNT", "LINES", "WHY")
        table.rows =
            [["taken", "\(taken)", nil, nil], ["here already", "\(known)", nil, nil]]
            + reasons.map { reason in
                let rest = reason.count - reason.lines.count
                let lines =
                    reason.lines.map(String.init) + (rest > 0 ? ["and \(rest) more"] : [])
                return [
                    "not taken", "\(reason.count)", lines.joined(separator: ", "),
                    reason.refusal.description,
                ]
            }
        return table
    }

    var json: JSONValue {
        [
            "client_id": .string(clientID),
            "taken": .integer(Int64(taken)),
            "here_already": .integer(Int64(known)),
            "not_taken": .array(
                reasons.map { reason in
                    [
                        "reason": .string(reason.refusal.description),
                        "count": .integer(Int64(reason.count)),
                        "lines": .array(reason.lines.map { .integer(Int64($0)) }),
                    ]
                }
            ),
        ]
    }
}
