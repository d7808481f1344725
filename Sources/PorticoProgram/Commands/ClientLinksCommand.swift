import ArgumentParser
import PorticoBytes
import PorticoStores

extension ClientCommand {
    struct Links: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check the files that connect an app of the backend to its links.",
            discussion: """
                They are fetched from the public URL as Apple's and Google's systems do, without \
                following a redirect. Apple keeps a copy for up to a day: what a device sees may be \
                older.
                """
        )

        @OptionGroup var name: Name
        @Option(help: .value("url", "The server's public address.")) var publicURL: String?
        @OptionGroup(title: "General options") var options: ReadingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(name.realm.realm)
            let client = try await administration.client(name.clientID, in: realm)
            let links = AppLinks(client, in: realm.name, publicURL: administration.publicURL)
            guard client.handOff.form != .none, links.isInFiles else {
                throw Failure(
                    .notFound,
                    "Client \(client.clientID) is no app of the backend that opens links.",
                    "Name what opens them: \(client.update("--apple-app TEAM.BUNDLE", in: realm.name))"
                )
            }
            var findings = try await look(links, administration)
            if findings.failure != nil {
                // The server sees within about a second what was changed just now.
                try await Task.sleep(for: .milliseconds(1500))
                findings = try await look(links, administration)
            }
            try console.show(findings, options.read)
            if let failure = findings.failure { throw failure }
        }

        private func look(_ links: AppLinks, _ administration: Administration) async throws
            -> Findings
        {
            let clock = administration.installation.clock
            var findings = Findings()
            findings.add(
                links.app.clientID,
                try await Administration.withOutbound { outbound in
                    await links.check(
                        over: ObservedTransport(outbound, now: { clock.moment().now })
                    )
                }
            )
            return findings
        }
    }
}
