import ArgumentParser
import PorticoBytes
import PorticoKeycloak
import PorticoProvider
import PorticoStores
import PorticoSystem
import PorticoWeb

/// `portico serve`
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server.",
        discussion: """
            Prints its address to stdout and logs to stderr. After SIGTERM or Ctrl-C, open requests \
            have ten seconds to finish. /healthz answers while the server runs, /readyz while it \
            accepts work. Settings come from these options, PORTICO_… variables and portico.yaml: \
            see portico config show --origin.
            """
    )

    @Flag(
        help: """
            Serve a demo realm, and print its new passwords at each start. Its data is in the folder \
            demo inside the data directory, or exactly in --data-directory if that is given.
            """
    )
    var demo = false

    @OptionGroup var settings: SettingOptions
    @OptionGroup var output: ConsoleOptions

    func run() async throws {
        OpenFiles.raise()
        let console = output.console
        let clock = Clock.system
        var settings = try await readSettings()
        let network = try settings.network()
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
            try network?.check(try await installation.realms.snapshot().realms)
            let (lines, demonstration) = try await prepare(installation, console)
            let wiring = Wiring(
                installation: installation,
                address: settings.listen,
                log: log,
                look: look,
                network: network,
                demonstration: demonstration
            )
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
        let reader = try SettingsReader(
            options: settings.values,
            file: settings.config,
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

    /// Before anything is written, including a migration.
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

    /// Does everything that may fail, before the server listens.
    ///
    /// - Returns: The lines to print once the server listens, and the demo, if it is one.
    private func prepare(_ installation: Installation, _ console: Console) async throws
        -> (lines: [String], Demonstration?)
    {
        let settings = installation.settings
        for path in settings.importRealm {
            try await importRealms(path, into: installation, console)
        }
        if settings.adminMaster {
            let master = MasterRealm(ring: installation.ring, baseURL: settings.effectivePublicURL)
            if try await master.create(in: installation.realms, at: installation.clock.moment()) {
                console.done("Created realm \(MasterRealm.name). \(MasterRealm.advice)")
            }
        }
        var lines = ["Portico is listening on \(settings.effectivePublicURL)"]
        if settings.effectivePublicURL != "http://\(settings.listen.text)" {
            lines[0] += " (\(settings.listen.text))"
        }
        var demonstration: Demonstration?
        if demo {
            try DemoFolder(installation: installation).claim()
            let prepared = try await Demonstration(installation)
            lines += prepared.lines
            demonstration = prepared
        }
        let realms = try await installation.realms.snapshot().realms
        for realm in realms { try checkIssuer(of: realm, settings.effectivePublicURL) }
        for app in try await installation.backend.configuration().apps {
            guard let warning = app.sessionWarning else { continue }
            console.warn(
                "App \(app.name) \(warning). Fix: portico app update \(app.name) --hand-off code"
            )
        }
        if realms.isEmpty {
            // Its issuer begins with the public URL and never changes.
            let command = "portico realm create NAME --public-url \(settings.effectivePublicURL)"
            lines.append("  No realms yet. Create one: \(command)")
        }
        return (lines, demonstration)
    }

    private func importRealms(
        _ path: String,
        into installation: Installation,
        _ console: Console
    ) async throws {
        let run = RealmImportRun(installation: installation)
        let imported = try await run([path]) { places, there in
            places.filter { !there.contains($0.name) }
        } judging: { staged in
            try RealmImportRun.expectProtected(staged)
        }
        for one in imported {
            one.realm.warnWhereDisabled(console)
            console.done("Imported realm \(one.realm.name) from \(printable(path)).")
            let left = one.report.count(.skipped) + one.report.count(.disabled)
            if left > 0 {
                console.warn(
                    "\(left) parts of it were not imported. See which: "
                        + "portico realm import -n \(printable(path))"
                )
            }
        }
    }

    /// An issuer never changes, because tokens and apps contain it (docs/decisions/0036).
    private func checkIssuer(of realm: Realm, _ publicURL: String) throws {
        let expected = try RealmCreation.issuer(
            of: realm.name,
            baseURL: publicURL,
            host: realm.host?.origin
        )
        guard !sameBytes(realm.issuer, expected) else { return }
        let suffix = "/realms/\(realm.name)"
        let base = realm.issuer.hasSuffix(suffix) ? realm.issuer.dropLast(suffix.count) : "…"
        throw Failure(
            .issuerMismatch,
            "Realm \(realm.name) has the issuer \(realm.issuer), which is not below \(publicURL).",
            "An issuer never changes, because apps and tokens contain it. Serve it at its own address:",
            "portico serve --public-url \(base)",
            "Or, if the realm is not in use yet, create it again: portico realm delete \(realm.name) "
                + "--confirm \(realm.name), then portico realm create \(realm.name) --public-url \(publicURL)"
        )
    }
}
