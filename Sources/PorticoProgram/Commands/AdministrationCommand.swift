import ArgumentParser
import PorticoAdministration
import PorticoStores
import PorticoSystem

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
        return try SettingsReader(options: options, file: config)
    }
}

protocol AdministrationOptions: ParsableArguments {
    var place: DataDirectoryOptions { get }
    var output: ConsoleOptions { get }
    var isDryRun: Bool { get }
}

extension AdministrationOptions {
    var isDryRun: Bool { false }
}

struct ReadingOptions: AdministrationOptions {
    @OptionGroup var place: DataDirectoryOptions
    @OptionGroup var read: ReadOptions
    @OptionGroup var output: ConsoleOptions
}

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

struct PlaceOptions: AdministrationOptions {
    @OptionGroup var place: DataDirectoryOptions
    @OptionGroup var output: ConsoleOptions
}

/// A kind of thing that is administered and that `list` shows.
protocol ListedResource {
    associatedtype Selection: ParsableArguments
    static var listAbstract: String { get }
    static func list(_ selection: Selection, _ administration: Administration) async throws
        -> Listing
}

/// A kind of thing of which one is named on the command line.
protocol NamedResource {
    associatedtype Name: ParsableArguments
}

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
    @OptionGroup(title: "General options") var options: ReadingOptions

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
    @OptionGroup(title: "General options") var options: ReadingOptions

    func run(_ administration: Administration) async throws {
        try administration.console.show(try await Resource.show(name, administration), options.read)
    }
}

struct DeleteCommand<Resource: DeletedResource>: AdministrationCommand {
    static var configuration: CommandConfiguration { Resource.deleteConfiguration }

    @OptionGroup var name: Resource.Name
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup(title: "General options") var options: ChangingOptions

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

/// What `create` is about to make in a realm, in the words for each step.
struct Creation {
    /// Within a sentence: `client scope`.
    let kind: String
    let name: String
    /// The command that shows one of that name.
    let see: CommandWords
    /// What to do with it, and how.
    let next: (String, CommandWords)
    let isTaken: Bool

    /// - Returns: `false` in a dry run.
    @discardableResult
    func write(
        in realm: Realm,
        _ administration: Administration,
        _ make: (RealmAdministration) async throws -> Void
    ) async throws -> Bool {
        let name = printable(name)
        let taken = Failure(
            .exists,
            "\(kind.prefix(1).uppercased())\(kind.dropFirst()) \"\(name)\" already exists.",
            "See it: \(portico(see))"
        )
        guard !isTaken else { throw taken }
        guard administration.mayWrite("created \(kind) \(name) in \(realm.name)") else {
            return false
        }
        try await administration.creating(or: taken, make)
        administration.console.done(
            "Created \(kind) \(name) in realm \(realm.name). \(next.0): \(portico(next.1))"
        )
        return true
    }
}

/// Something that is one way or the other, and is switched by a command for each.
struct Switching {
    let isOnAlready: Bool
    /// That it is on, or is so no longer, as a sentence begins.
    let on: String
    let off: String
    /// What is said where it was not on.
    let notOn: String
    /// What a dry run would have done.
    let summary: String
    let undo: CommandWords

    /// - Parameter write: `false`: it was so already. Not called in a dry run.
    func callAsFunction(
        to isOn: Bool,
        in realm: Realm,
        _ administration: Administration,
        _ write: (RealmAdministration) async throws -> Bool
    ) async throws {
        let console = administration.console
        let already = isOn ? "\(on) already." : notOn
        guard isOnAlready != isOn else { return console.say(already) }
        guard administration.mayWrite(summary) else { return }
        guard try await administration.changing(write) else { return console.say(already) }
        console.done("\(isOn ? on : off) in realm \(realm.name). Undo: \(portico(undo))")
    }
}

extension Deletion {
    /// Of something in a realm.
    ///
    /// - Parameters:
    ///   - thing: Within a sentence: `client notes`.
    ///   - loss: What ends the warning: ` and takes it from everyone.`
    init(
        _ thing: String,
        named name: String,
        of realm: Realm,
        loss: String,
        _ administration: Administration,
        _ delete: @escaping (RealmAdministration) async throws -> Void
    ) {
        self.init(
            name: name,
            subject: thing.prefix(1).uppercased() + thing.dropFirst(),
            summary: "deleted \(thing) of \(realm.name)",
            warning: "This deletes \(printable(thing)) of realm \(realm.name)\(loss)",
            done: "Deleted \(thing) of realm \(realm.name)."
        ) {
            try await administration.changing(delete)
            return .changed
        }
    }
}
