import ArgumentParser
import Portico
import PorticoProtocol
import PorticoSystem

/// `portico whoami`
struct WhoamiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Show who is signed in (offline, from the stored session)."
    )

    @OptionGroup var session: SessionOptions
    @OptionGroup var read: ReadOptions
    @OptionGroup var output: ConsoleOptions

    func run() async throws {
        let console = output.console
        try await session.withSession { session, choice, folder in
            let user = session.user
            let file = folder.file(of: choice)
            let expiry = session.accessTokenExpiry.flatMap {
                Int64(exactly: $0.timeIntervalSince1970.rounded())
            }
            var table = Table("ACCOUNT", "ISSUER", "CLIENT", "EXPIRES", "STORED IN")
            let now = Int64(Date().timeIntervalSince1970)
            let shown = expiry.map {
                console.showsDataOnTerminal
                    ? Times.relative($0, at: now) + (session.isRefreshable ? " (↻)" : "")
                    : Times.standard($0)
            }
            table.rows = [
                [user.email ?? user.displayName, choice.issuer, choice.clientID, shown, file]
            ]
            let json: JSONObject = [
                "subject": .string(user.subject),
                "name": user.name.map(JSONValue.string) ?? .null,
                "username": user.preferredUsername.map(JSONValue.string) ?? .null,
                "email": user.email.map(JSONValue.string) ?? .null,
                "issuer": .string(choice.issuer),
                "client_id": .string(choice.clientID),
                "scope": .string(session.scope.text),
                "expires_at": expiry.map { .string(Times.standard($0)) } ?? .null,
                "refreshable": .bool(session.isRefreshable),
                "stored_in": .string(file),
            ]
            console.show(table, .object(json), read)
        }
    }
}
