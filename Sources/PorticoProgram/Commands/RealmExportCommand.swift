import ArgumentParser
import PorticoBytes
import PorticoKeycloak
import PorticoStores
import PorticoSystem

extension RealmCommand {
    struct Export: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a realm as a file in the format of Keycloak's exports.",
            discussion: """
                Without switches the file has no people, no private keys, and masks in place of \
                secrets. A file is readable by its owner only, and is there as a whole or not at all.
                """
        )

        @Argument(help: "The realm.") var name: String
        @Option(
            name: [.customShort("o"), .customLong("output")],
            help: .value("path", "The file; - for stdout.")
        )
        var path = "-"
        @Flag(help: "Write people, with the hashes of their passwords and their second factors.")
        var withUsers = false
        @Flag(help: "Write private keys, and the secrets of clients and identity providers.")
        var withKeys = false
        @OptionGroup(title: "General options") var options: PlaceOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(name)
            if path == "-" {
                let summary = try await export(realm, administration) { bytes in
                    try console.piece(bytes)
                }
                warn(summary)
                return
            }
            let summary: RealmExport.Summary
            do {
                let draft = try OwnerOnlyDraft(path, random: administration.moment.random)
                summary = try await export(realm, administration) { try draft.write($0) }
                try draft.finish()
            } catch let refusal as OwnerOnlyFile.Refusal {
                throw Self.unwritable(path, refusal)
            }
            warn(summary)
            console.done("Wrote realm \(realm.name) to \(printable(path)), \(words(of: summary)).")
        }

        private func export(
            _ realm: Realm,
            _ administration: Administration,
            write: ([UInt8]) throws -> Void
        ) async throws -> RealmExport.Summary {
            let export = RealmExport(
                realms: administration.realms,
                people: administration.people,
                ring: administration.installation.ring
            )
            let summary = try await export(
                realm.id,
                RealmExport.Contents(people: withUsers, secrets: withKeys),
                at: administration.moment.seconds,
                write: write
            )
            guard let summary else {
                throw Failure(.notFound, "Realm \(realm.name) was deleted in the meantime.")
            }
            return summary
        }

        private func words(of summary: RealmExport.Summary) -> String {
            let people = summary.people == 1 ? "1 person" : "\(summary.people) people"
            let who = withUsers ? "with \(people)" : "without people (--with-users)"
            return who + (withKeys ? " and with its secrets" : " and without secrets (--with-keys)")
        }

        /// What is kept as a hash is not there to be written.
        private func warn(_ summary: RealmExport.Summary) {
            guard withKeys, !summary.hashedSecrets.isEmpty else { return }
            let names = summary.hashedSecrets.prefix(10).map(printable).joined(separator: ", ")
            console.warn(
                "The secrets of \(summary.hashedSecrets.count) clients are kept as hashes, and are "
                    + "masked in the file: \(names)"
            )
        }

        private static func unwritable(_ path: String, _ refusal: OwnerOnlyFile.Refusal) -> Failure
        {
            let reason =
                if case .system(let reason) = refusal { systemReason(reason) } else {
                    "\(refusal)"
                }
            return Failure(.refused, "\(printable(path)) cannot be written: \(reason).")
        }
    }
}
