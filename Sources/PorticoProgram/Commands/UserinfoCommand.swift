import ArgumentParser
import Portico
import PorticoProtocol

/// `portico userinfo`
struct UserinfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "userinfo",
        abstract: "Fetch your claims, roles included, as JSON."
    )

    @Option(help: .value("name", "Print only this claim: text as it is, anything else as JSON."))
    var claim: String?

    @OptionGroup var session: SessionOptions
    @OptionGroup var output: ConsoleOptions

    func run() async throws {
        let console = output.console
        try await session.withSession { session, _, _ in
            let claims = try await session.userInfo().claims
            guard let claim else {
                return try console.data(console.json(.object(claims)))
            }
            switch claims[claim] {
            case .string(let text)?: try console.data(printable(text))
            case let value?: try console.data(console.json(value))
            case nil:
                throw Failure(
                    .notFound,
                    "There is no claim \"\(printable(claim))\".",
                    "Available: \(printable(claims.map(\.name).joined(separator: ", ")))"
                )
            }
        }
    }
}
