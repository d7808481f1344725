import ArgumentParser
import Foundation
import PorticoBytes
import PorticoKeycloak
import PorticoProvider
import PorticoStandIns
import PorticoStores

/// `portico serve`
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the OpenID Provider.",
        discussion: """
            Prints to stdout where it listens, and logs to stderr. SIGTERM and Ctrl-C let it finish \
            what is under way, for ten seconds at most. /healthz answers while it runs, /readyz \
            while it takes work. Settings come from these options, from PORTICO_… variables, from \
            portico.yaml: see portico config show --origin.
            """
    )

    @Flag(
        help: """
            Serve a realm to try things in, with new passwords at each start, printed. Its data is \
            in the folder demo within the data directory, or in the one that --data-directory names.
            """
    )
    var demo = false

    @OptionGroup var settings: SettingOptions
    @OptionGroup var output: ConsoleOptions

    func run() async throws {
        let console = output.console
        let clock = Clock.system
        var settings = try await readSettings()
        let look = try PageLook(settings)
        for warning in look.warnings { console.warn(warning) }
        let directory = DataDirectory(path: settings.dataDirectory)
        try directory.create()
        let lock = try ServerLock(directory)
        if demo { try await checkDemoFolder(settings, clock) }
        let port = try ReservedPort(settings.listen)
        settings.listen = port.address
        lock.note(publicURL: settings.effectivePublicURL)
        let installation = try Installation.open(settings, missing: .create, clock: clock)
        let log = ServerLog(settings, clock: clock)
        let result: Result<Void, any Error>
        do {
            var lines = try await prepare(installation, console)
            var wiring = Wiring(
                installation: installation,
                address: settings.listen,
                log: log,
                look: look
            )
            if demo {
                let server = try await standIns(installation, log)
                wiring.standIns = server
                // What to try stays last.
                lines.insert(
                    contentsOf: Self.demoLines(server, settings.effectivePublicURL),
                    at: lines.count - 1
                )
            }
            let said = lines.joined(separator: "\n")
            try await wiring.serve {
                guard !console.isQuiet else { return }
                console.data(said)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await installation.close()
        log.flush()
        withExtendedLifetime((lock, port)) {}
        try result.get()
    }

    private func readSettings() async throws -> Settings {
        let reader = try await SettingsReader(
            options: settings.values,
            file: settings.place.config,
            environment: ProcessInfo.processInfo.environment
        )
        var (settings, origins) = try reader.settings()
        if demo, origins["data-directory"] != .option("--data-directory") {
            settings.dataDirectory += "/demo"
        }
        try settings.checkForServing()
        try await settings.checkPublicName()
        if demo { try settings.checkForDemo() }
        return settings
    }

    /// Before anything is written, a newer version's schema included.
    private func checkDemoFolder(_ settings: Settings, _ clock: Clock) async throws {
        guard DataDirectory(path: settings.dataDirectory).hasDatabase else { return }
        let installation = try Installation.open(
            settings,
            missing: .fail,
            isDryRun: true,
            clock: clock
        )
        let result: Result<Void, any Error>
        do {
            result = .success(try await DemoFolder(installation: installation).check())
        } catch {
            result = .failure(error)
        }
        try await installation.close()
        try result.get()
    }

    /// Everything that may stop the start, before anything listens.
    ///
    /// - Returns: What is said once the server listens.
    private func prepare(_ installation: Installation, _ console: Console) async throws -> [String]
    {
        let settings = installation.settings
        for path in settings.importRealm {
            try await importRealms(RealmFile(path), into: installation, console)
        }
        var lines = ["Portico is listening on \(settings.effectivePublicURL)"]
        if settings.effectivePublicURL != "http://\(settings.listen.text)" {
            lines[0] += " (\(settings.listen.text))"
        }
        if demo {
            try DemoFolder(installation: installation).claim()
            let passwords = try await DemoRealm(installation: installation).prepare()
            lines += Self.demoLines(passwords, settings.effectivePublicURL)
        }
        let realms = try await installation.realms.snapshot().realms
        for realm in realms { try checkIssuer(of: realm, settings.effectivePublicURL) }
        for app in try await installation.backend.configuration().apps {
            guard let warning = app.sessionWarning else { continue }
            console.warn(
                "App \(app.name) \(warning). Mend it: portico app update \(app.name) --hand-off code"
            )
        }
        if realms.isEmpty {
            // Its issuer is made of the public URL, and never changes.
            let command = "portico realm create NAME --public-url \(settings.effectivePublicURL)"
            lines.append("  No realms yet. Create one: \(command)")
        }
        return lines
    }

    private func importRealms(
        _ file: RealmFile,
        into installation: Installation,
        _ console: Console
    ) async throws {
        let there = Set(try await installation.realms.snapshot().realms.map(\.name))
        let names = try file.names()
        guard !names.allSatisfy(there.contains) else { return }
        for imported in try await file.read(into: installation)
        where !there.contains(imported.realm.realm.name) {
            guard try await installation.realms.create(imported.realm) == .created else { continue }
            let name = imported.realm.realm.name
            imported.realm.realm.warnWhereDisabled(console)
            console.done("Imported realm \(name) from \(printable(file.path)).")
            let left = imported.report.lines(.skipped).count
            if left > 0 {
                console.warn(
                    "\(left) parts of it were left out. Which: "
                        + "portico realm import -n \(printable(file.path))"
                )
            }
        }
    }

    /// An issuer never changes: every token and every app names it (docs/decisions/0036).
    private func checkIssuer(of realm: Realm, _ publicURL: String) throws {
        let expected = try RealmCreation.issuer(of: realm.name, baseURL: publicURL)
        guard !sameBytes(realm.issuer, expected) else { return }
        let suffix = "/realms/\(realm.name)"
        let base = realm.issuer.hasSuffix(suffix) ? realm.issuer.dropLast(suffix.count) : "…"
        throw Failure(
            .issuerMismatch,
            "Realm \(realm.name) is \(realm.issuer), which does not lie under \(publicURL).",
            "An issuer never changes: apps and tokens name it. Serve it where it is:",
            "portico serve --public-url \(base)",
            "If the realm is not in use yet, create it again: portico realm delete \(realm.name) "
                + "--confirm \(realm.name), then portico realm create \(realm.name) --public-url \(publicURL)"
        )
    }

    /// Stand-ins for providers, on a free port of 127.0.0.1, and what the backend knows of them.
    private func standIns(_ installation: Installation, _ log: ServerLog) async throws
        -> StandInServer
    {
        let port = try ReservedPort(ListenAddress(host: "127.0.0.1", port: 0))
        let standIns = try StandIns(
            baseURL: StandInServer.baseURL(
                port.address,
                beside: installation.settings.effectivePublicURL
            ),
            clock: installation.clock
        )
        try await DemoBackend(installation: installation, standIns: standIns).prepare()
        return StandInServer(
            port: port,
            standIns: standIns
        )
    }

    private static func demoLines(_ standIns: StandInServer, _ publicURL: String) -> [String] {
        [
            "  Sign in      \(publicURL)/login    with stand-ins for Apple, Google and Facebook",
            "  Mails        \(publicURL)/_outbox    every page: \(publicURL)/_gallery",
            "  Stand-ins    \(standIns.standIns.baseURL)",
        ]
    }

    private static func demoLines(
        _ passwords: [(username: String, password: SecretText)],
        _ publicURL: String
    ) -> [String] {
        let issuer = "\(publicURL)/realms/\(DemoRealm.name)"
        let people = passwords.map(\.username).joined(separator: ", ")
        let program = CommandLine.arguments.first ?? "portico"
        return [
            "  Demo realm   \(issuer)    "
                + "people: \(people) (new passwords at each start, printed here)"
        ]
            + passwords.map { "  Password     \($0.username)  \($0.password.reveal())" }
            + [
                "  Try          \(program) login --issuer \(issuer) "
                    + "--client-id \(SessionChoice.standardClientID)"
            ]
    }
}
