import ArgumentParser
import PorticoProvider
import PorticoStores

extension RealmCommand {
    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a realm with its signing keys.",
            discussion: """
                The issuer is made of the public URL and never changes. It is written to stdout.
                """
        )
        static let missing = Installation.Missing.create

        @Argument(help: "Its name in addresses: letters, digits, '-', '_' and '.'.")
        var name: String

        @Option(help: .value("text", "The name on its pages.")) var displayName: String?

        @Option(help: .value("url", "The server's public address.")) var publicURL: String?

        @OptionGroup var fields: RealmFields
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let installation = administration.installation
            var new = try RealmCreation(ring: installation.ring)(
                name: name,
                displayName: displayName,
                baseURL: installation.settings.effectivePublicURL,
                at: administration.moment
            )
            fields.apply(to: &new.realm)
            let issuer = new.realm.issuer
            let taken = Failure(
                .exists,
                "Realm \"\(printable(name))\" already exists.",
                "See it: portico realm show \(printable(name))"
            )
            guard !administration.snapshot.realms.contains(where: { $0.name == name }) else {
                throw taken
            }
            guard administration.mayWrite("created realm \(name) with issuer \(issuer)") else {
                return
            }
            guard try await installation.realms.create(new) == .created else { throw taken }
            console.done(
                "Created realm \(name). Undo: portico realm delete \(name) --confirm \(name)"
            )
            console.made("Issuer", issuer)
        }
    }
}
