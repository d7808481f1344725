import ArgumentParser
import Portico
import PorticoProtocol
import PorticoSystem

/// `portico whoami`
struct WhoamiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Show who is signed in (offline, from the stored sessions).",
        discussion: """
            Lists every sign-in, the current one first: commands use that one unless --issuer names \
            another. In JSON the members of the current one come first, and all are in items.
            """
    )

    @OptionGroup var session: SessionOptions
    @OptionGroup var read: ReadOptions
    @OptionGroup var output: ConsoleOptions

    func run() async throws {
        let console = output.console
        let folder = SessionFolder(environment: ProcessInfo.processInfo.environment)
        let current = try await session.choice(in: folder)
        let first = try await folder.current()
        let others =
            session.isNamed
            ? [] : try await folder.all().filter { !($0.isSession(of: current ?? $0)) }
        var table = Table("ACCOUNT", "ISSUER", "CLIENT", "ACCESS TOKEN UNTIL")
        var items: [JSONObject] = []
        for choice in [current].compactMap(\.self) + others {
            try await ClientConnection.run(choice, folder) { client in
                switch await client.restore() {
                case .signedOut: break
                case .signedIn(let session):
                    let isCurrent = first?.isSession(of: choice) == true
                    table.rows.append(row(session, choice, console))
                    items.append(json(session, choice, folder, isCurrent: isCurrent))
                case .locked(let problem):
                    // Of several the others are shown.
                    guard !others.isEmpty else { throw SignInError.storage(problem) }
                    console.warn("\(printable(choice.issuer)): \(problem)")
                }
            }
        }
        guard var json = items.first else { throw SessionOptions.notSignedIn(current) }
        json["items"] = .array(items.map(JSONValue.object))
        try console.show(table, .object(json), read)
    }

    private static func expiry(_ session: Session) -> Int64? {
        session.accessTokenExpiry.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded()) }
    }

    private func row(_ session: Session, _ choice: SessionChoice, _ console: Console) -> [String?] {
        let now = Int64(Date().timeIntervalSince1970)
        let shown = Self.expiry(session).map {
            console.showsDataOnTerminal
                ? Times.relative($0, at: now) + (session.isRefreshable ? ", then a new one" : "")
                : Times.standard($0)
        }
        let user = session.user
        return [user.email ?? user.displayName, choice.issuer, choice.clientID, shown]
    }

    private func json(
        _ session: Session,
        _ choice: SessionChoice,
        _ folder: SessionFolder,
        isCurrent: Bool
    ) -> JSONObject {
        let user = session.user
        return [
            "subject": .string(user.subject),
            "name": user.name.map(JSONValue.string) ?? .null,
            "username": user.preferredUsername.map(JSONValue.string) ?? .null,
            "email": user.email.map(JSONValue.string) ?? .null,
            "issuer": .string(choice.issuer),
            "client_id": .string(choice.clientID),
            "scope": .string(session.scope.text),
            "expires_at": Self.expiry(session).map { .string(Times.standard($0)) }
                ?? .null,
            "refreshable": .bool(session.isRefreshable),
            "stored_in": .string(folder.file(of: choice)),
            "current": .bool(isCurrent),
        ]
    }
}
