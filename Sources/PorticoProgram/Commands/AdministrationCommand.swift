import ArgumentParser
import PorticoStores
import PorticoSystem

/// A command that runs while the data directory is open.
protocol AdministrationCommand: DataDirectoryCommand {
    func run(_ administration: Administration) async throws
}

extension AdministrationCommand {
    func run() async throws {
        try await administer(run)
    }
}

/// A command that does something before it opens the data directory by ``administer(_:)``.
protocol DataDirectoryCommand: AsyncParsableCommand {
    associatedtype Options: AdministrationOptions

    /// Declared last, so that `--help` lists them after the command's own.
    var options: Options { get }
    /// The server's public address, where the command takes it as an option.
    var publicURL: String? { get }
    /// What to do without a data directory; a dry run never creates one.
    static var missing: Installation.Missing { get }
    /// Whether it works with the realms that are there: they may be many, and are held to its end.
    static var holdsRealms: Bool { get }
}

extension DataDirectoryCommand {
    var publicURL: String? { nil }
    static var missing: Installation.Missing { .fail }
    static var holdsRealms: Bool { true }
    var console: Console { options.output.console }

    /// Opens the data directory for `body`, and closes it whatever happens.
    func administer(_ body: (Administration) async throws -> Void) async throws {
        let isDryRun = options.isDryRun
        let reader = try options.place.reader(publicURL: publicURL)
        let installation = try Installation.open(
            reader.settings().settings,
            missing: isDryRun && Self.missing == .create ? .pretend : Self.missing,
            isDryRun: isDryRun
        )
        let result: Result<Void, any Error>
        do {
            let administration = Administration(
                installation: installation,
                realmList: Self.holdsRealms ? try await installation.realms.realms() : [],
                console: console,
                isDryRun: isDryRun
            )
            result = .success(try await body(administration))
        } catch {
            result = .failure(error)
        }
        try await installation.close()
        try result.get()
    }
}

extension DataDirectoryOptions {
    func reader(publicURL: String?) throws -> SettingsReader {
        var options = values
        options["public-url"] = publicURL.map { [$0] }
        return try SettingsReader(
            options: options,
            file: config,
            environment: ProcessInfo.processInfo.environment
        )
    }
}

/// The options that every command of a sort has.
protocol AdministrationOptions: ParsableArguments {
    var place: DataDirectoryOptions { get }
    var output: ConsoleOptions { get }
    var isDryRun: Bool { get }
}

extension AdministrationOptions {
    var isDryRun: Bool { false }
}

/// Of a command that shows something.
struct ReadingOptions: AdministrationOptions {
    @OptionGroup var place: DataDirectoryOptions
    @OptionGroup var read: ReadOptions
    @OptionGroup var output: ConsoleOptions
}

/// Of a command that changes something.
struct ChangingOptions: AdministrationOptions {
    @OptionGroup var change: ChangeOptions
    @OptionGroup var place: DataDirectoryOptions
    @OptionGroup var output: ConsoleOptions

    var isDryRun: Bool { change.dryRun }
}

/// Of a command that changes something and shows what came of it.
struct ChangingAndReadingOptions: AdministrationOptions {
    @OptionGroup var change: ChangeOptions
    @OptionGroup var place: DataDirectoryOptions
    @OptionGroup var read: ReadOptions
    @OptionGroup var output: ConsoleOptions

    var isDryRun: Bool { change.dryRun }
}

/// Of a command with an output of its own.
struct PlaceOptions: AdministrationOptions {
    @OptionGroup var place: DataDirectoryOptions
    @OptionGroup var output: ConsoleOptions
}
