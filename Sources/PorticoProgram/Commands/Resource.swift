import ArgumentParser
import PorticoStores

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
