import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProvider
import PorticoStores
import PorticoSystem
import PorticoWeb

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server.",
        discussion: """
            Prints its address to stdout and logs to stderr. After SIGTERM or Ctrl-C, open requests \
            have ten seconds to finish. /healthz answers while the server runs, /readyz while it \
            accepts work. Settings come from these options, PORTICO_… variables and portico.yaml. \
            Where each comes from:
              portico config show --origin
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
    @OptionGroup(title: "General options") var output: ConsoleOptions

    func run() async throws {
        OpenFiles.raise()
        let console = output.console
        let clock = Clock.system
        var settings = try await readSettings()
        let network = try settings.network()
        let look = try PageLook(settings)
        for warning in look.warnings { console.warn(warning) }
        try OutgoingMail.checkProgram(settings)
        let directory = DataDirectory(path: settings.dataDirectory)
        try directory.create()
        let lock = try ServerLock(directory)
        for exposure in directory.exposures { console.warn("\(exposure.what) \(exposure.remedy)") }
        if demo { try await checkDemoFolder(settings, clock) }
        let port = try ReservedPort(settings.listen)
        settings.listen = port.address
        lock.note(publicURL: settings.effectivePublicURL)
        let installation = try Installation.open(settings, missing: .create, clock: clock)
        let log = ServerLog(settings, clock: clock)
        defer {
            log.flush()
            withExtendedLifetime((lock, port)) {}
        }
        try await finally(installation.close) {
            try network?.check(try await installation.realms.realms())
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
                do throws(Failure) {
                    try console.data(said)
                } catch {
                    console.warn("\(error.what) The server runs on.")
                }
            }
        }
    }

    private func readSettings() async throws -> Settings {
        let reader = try SettingsReader(options: settings.values, file: settings.config)
        var (settings, origins) = try reader.settings()
        if demo, origins["data-directory"] != .option("--data-directory") {
            settings.dataDirectory = DataDirectory(path: settings.dataDirectory).ofDemo.path
        }
        try settings.checkForServing()
        try await settings.checkPublicName()
        if demo { try settings.checkForDemo() }
        return settings
    }

    private func checkDemoFolder(_ settings: Settings, _ clock: Clock) async throws {
        guard try DataDirectory(path: settings.dataDirectory).hasDatabase() else { return }
        let installation = try Installation.open(
            settings,
            missing: .fail,
            isDryRun: true,
            clock: clock
        )
        try await finally(installation.close) {
            try await DemoFolder(installation: installation).check()
        }
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
            let isMade = try await installation.changing { operations in
                try await MasterRealm.create(
                    by: operations,
                    baseURL: settings.effectivePublicURL,
                    at: installation.clock.moment()
                )
            }
            if isMade {
                console.done(
                    "Created realm \(MasterRealm.name). Add an administrator: "
                        + portico("user create NAME --realm \(MasterRealm.name) --role admin")
                )
            }
        }
        try await FirstAdministrator(ProcessInfo.processInfo.environment)?
            .create(in: installation, console)
        if settings.adminREST, settings.adminMaster {
            let names = try await MasterAdministrators(installation).named()
            if let names { console.warn(names) }
        }
        var lines = ["Portico is listening on \(settings.effectivePublicURL)"]
        if settings.effectivePublicURL != "http://\(settings.listen.text)" {
            lines[0] += " (\(settings.listen.text))"
        }
        var demonstration: Demonstration?
        if demo {
            try DemoFolder(installation: installation).claim()
            for realm in try await installation.realms.realms()
            where !Demonstration.realms.contains(realm.name) {
                try await settleIssuer(of: realm, settings, installation, console)
            }
            let prepared = try await Demonstration(installation)
            for text in prepared.renewals { console.warn(text) }
            lines += prepared.lines
            demonstration = prepared
        }
        let realms = try await installation.realms.realms()
        let backend = try await installation.backend.configuration()
        for realm in realms {
            try await settleIssuer(of: realm, settings, installation, console)
        }
        for app in backend.apps {
            guard let warning = app.sessionWarning, !(demo && DemoRealm.made(app)) else {
                continue
            }
            let fix = app.update("--hand-off code", in: backend.realm?.name)
            console.warn("App \(app.clientID) \(warning). Fix: \(fix)")
        }
        let providers = backend.providers.filter(\.isEnabled).map(\.name)
        if !providers.isEmpty, demonstration == nil {
            lines.append(
                "  Sign in      \(settings.effectivePublicURL)/login    "
                    + "(\(providers.joined(separator: ", ")))"
            )
        } else if realms.isEmpty {
            // Its issuer begins with the public URL and never changes.
            let command = portico("realm create NAME --public-url \(settings.effectivePublicURL)")
            lines.append("  No realms yet. Create one: \(command)")
        }
        return (lines, demonstration)
    }

    private func importRealms(
        _ path: String,
        into installation: Installation,
        _ console: Console
    ) async throws {
        let run = RealmImportRun(
            installation: installation,
            passesOver: true,
            substitutes: installation.settings.importSubstitute,
            substituting: "--import-substitute on"
        )
        let imported = try await run([path]) { staged in
            try RealmImportRun.expectProtected(staged)
        }
        for one in imported {
            one.realm.warnWhereDisabled(console)
            installation.warnOfMail(in: one.realm, replacing: nil, console)
            console.done("Imported realm \(one.realm.name) from \(printable(path)).")
            for group in one.report.groups where group.outcome == .administers {
                let names = group.named.prefix(5).map(\.subject).joined(separator: ", ")
                let more = group.count > 5 ? " and \(group.count - 5) more" : ""
                console.warn("\(names)\(more): \(group.words).")
            }
            let left = one.report.count(.skipped) + one.report.count(.disabled)
            if left > 0 {
                // It is here by now.
                var words = ["-n", "--on-conflict", "overwrite"]
                if run.substitutes { words.append("--substitute") }
                words.append(path)
                console.warn(
                    "\(left.counting("part")) of it \(left == 1 ? "was" : "were") not imported. "
                        + "See which: \(portico("realm import \(words: words)"))"
                )
            }
        }
    }

    /// An issuer never changes, because tokens and apps contain it (docs/decisions/0036). That of the
    /// backend's realm, which the first provider makes, follows the server until there is a client.
    private func settleIssuer(
        of realm: Realm,
        _ settings: Settings,
        _ installation: Installation,
        _ console: Console
    ) async throws {
        let publicURL = settings.effectivePublicURL
        let expected = try RealmCreation.issuer(
            of: realm.name,
            baseURL: publicURL,
            host: realm.host?.origin
        )
        guard !sameBytes(realm.issuer, expected) else { return }
        if try await installation.backend.configuration().realm?.id == realm.id,
            try await installation.realms.readdress(realm.id, to: expected) == .changed
        {
            return console.say("Realm \(realm.name) has the issuer \(expected) from now on.")
        }
        throw Failure(
            .issuerMismatch,
            "Realm \(realm.name) has the issuer \(realm.issuer), which is not below \(publicURL).",
            "An issuer never changes, because apps and tokens contain it. Serve it at its own address:",
            porticoServing(realm.issuer, of: realm.name),
            "Or, if the realm is not in use yet, create it again: "
                + portico("realm delete \(realm.name) --confirm \(realm.name)") + ", then "
                + portico("realm create \(realm.name) --public-url \(publicURL)")
        )
    }
}
