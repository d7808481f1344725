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
        try await finally(installation.close) {
            let administration = Administration(
                installation: installation,
                realmList: Self.holdsRealms ? try await installation.realms.realms() : [],
                console: console,
                isDryRun: isDryRun
            )
            try await body(administration)
        }
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

/// A kind of thing that is administered and that `list` shows.
protocol ListedResource {
    /// The options of `list`.
    associatedtype Selection: ParsableArguments
    static var listAbstract: String { get }
    static func list(_ selection: Selection, _ administration: Administration) async throws
        -> Listing
}

/// A kind of thing of which one is named on the command line.
protocol NamedResource {
    /// The arguments and options that name it.
    associatedtype Name: ParsableArguments
}

/// One that `show` describes.
protocol ShownResource: NamedResource {
    static var showAbstract: String { get }
    static func show(_ name: Name, _ administration: Administration) async throws -> Description
}

/// One that `delete` deletes, or `remove` removes.
protocol DeletedResource: NamedResource {
    static var deleteConfiguration: CommandConfiguration { get }
    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion
}

struct ListCommand<Resource: ListedResource>: AdministrationCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "list", abstract: Resource.listAbstract)
    }

    @OptionGroup var selection: Resource.Selection
    @OptionGroup var options: ReadingOptions

    func run(_ administration: Administration) async throws {
        try administration.console.show(
            try await Resource.list(selection, administration),
            options.read
        )
    }
}

struct ShowCommand<Resource: ShownResource>: AdministrationCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "show", abstract: Resource.showAbstract)
    }

    @OptionGroup var name: Resource.Name
    @OptionGroup var options: ReadingOptions

    func run(_ administration: Administration) async throws {
        try administration.console.show(try await Resource.show(name, administration), options.read)
    }
}

struct DeleteCommand<Resource: DeletedResource>: AdministrationCommand {
    static var configuration: CommandConfiguration { Resource.deleteConfiguration }

    @OptionGroup var name: Resource.Name
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var options: ChangingOptions

    func run(_ administration: Administration) async throws {
        let deletion = try await Resource.deletion(name, administration)
        guard administration.mayWrite(deletion.summary) else { return }
        try confirmation.check(deletion.name, warning: deletion.warning, administration.console)
        try administration.expectChanged(await deletion.write(), deletion.subject)
        administration.console.done(deletion.done)
    }
}

/// What `delete` is about to do, in the words for each step.
struct Deletion {
    /// Typed once more to confirm.
    let name: String
    /// As a sentence begins: `Client notes`.
    let subject: String
    /// What a dry run would have done: `deleted client notes of acme`.
    let summary: String
    let warning: String
    let done: String
    let write: () async throws -> Change
}
