import ArgumentParser
import PorticoBytes
import PorticoStores

/// `portico app links`
struct AppLinksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "links",
        abstract: "Check the files that connect an app to its links.",
        subcommands: [Check.self]
    )

    struct Check: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fetch the association files as Apple's and Google's systems do.",
            discussion: """
                From the public URL, without following a redirect. Apple keeps a copy for up to a \
                day: what a device sees may be older.
                """
        )

        @Argument(help: "The name of the app.") var name: String
        @Option(help: .value("url", "The server's public address.")) var publicURL: String?
        @OptionGroup var options: ReadingOptions

        func run(_ administration: Administration) async throws {
            let app = try await administration.app(name)
            let links = AppLinks(app, publicURL: administration.publicURL)
            guard links.isInFiles else {
                throw Failure(
                    .notFound,
                    "App \(app.name) has no Apple or Android app that opens links.",
                    "For Apple: "
                        + portico("app update \(app.name) --bundle-id ID --team TEAM"),
                    "For Android: "
                        + portico(
                            "app update \(app.name) --android-package NAME --fingerprint HEX"
                        )
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
                links.app.name,
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
