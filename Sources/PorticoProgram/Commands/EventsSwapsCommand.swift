import ArgumentParser
import PorticoProtocol
import PorticoStores

extension EventsCommand {
    /// What became of the refresh tokens of the servers that realms come from (docs/decisions/0051).
    struct Swaps: DataDirectoryCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count the refresh tokens of a former Keycloak: swapped, refused."
        )

        @OptionGroup var options: ReadingOptions

        func run() async throws {
            try await administer { administration in
                let names = Dictionary(
                    administration.realmList.map { ($0.id, $0.name) }
                ) { first, _ in first }
                let counts = try await administration.installation.grants.swapCounts()
                var table = Table("REALM", "CLIENT", "OUTCOME", "COUNT", "LAST")
                table.rows = counts.map {
                    [
                        names[$0.realmID], $0.clientID, $0.outcome, "\($0.count)",
                        Times.standard($0.lastAt),
                    ]
                }
                let json = counts.map { count -> JSONValue in
                    [
                        "realm": names[count.realmID].map(JSONValue.string) ?? .null,
                        "client": .string(count.clientID),
                        "outcome": .string(count.outcome),
                        "count": .integer(count.count),
                        "last_at": .string(Times.standard(count.lastAt)),
                    ]
                }
                try console.show(table, .array(json), options.read)
            }
        }
    }
}
