import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoUpstream

extension ProviderCommand {
    struct Test: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fetch an identity provider's metadata and keys, and check them.",
            discussion: """
                Settings and secret are read as the server reads them. Only a sign-in can show \
                whether the provider knows our client id, secret and redirect URIs.
                """
        )

        @OptionGroup var name: Name
        @OptionGroup var options: ReadingOptions

        func run(_ administration: Administration) async throws {
            let record = try await administration.provider(name.name)
            let clock = administration.installation.clock
            let report = try await Administration.withOutbound { outbound in
                await ProviderCheck(administration: administration, record: record)(
                    over: ObservedTransport(outbound, now: { clock.moment().now })
                )
            }
            var findings = Findings()
            findings.add("\(record.name) (\(record.kind))", report.findings)
            try console.show(findings, options.read)
            if let failure = failure(report) { throw failure }
        }

        private func failure(_ report: ProviderCheck.Report) -> Failure? {
            let name = printable(name.name)
            guard report.isUsable else {
                return Failure(.misconfigured, "Provider \(name) cannot be used as it is.")
            }
            guard case .down(_, let reason) = report.health else {
                var findings = Findings()
                findings.add(name, report.findings)
                return findings.failure
            }
            switch reason {
            case .unreachable, .timedOut, .failing:
                return Failure(
                    .unreachable,
                    "Provider \(name) does not answer as it should.",
                    "People see its button with a note until it does."
                )
            case .unusable:
                return Failure(
                    .rejected,
                    "The metadata of provider \(name) cannot be used.",
                    "No one can sign in with it."
                )
            }
        }
    }
}
