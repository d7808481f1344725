import ArgumentParser
import Portico
import PorticoProtocol
import PorticoSystem

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out on this machine, at the provider and in the browser.",
        discussion: """
            The session on this machine is deleted first, so that it ends even without a network. \
            Its tokens are revoked, and the provider's sign-out page is opened.
            """
    )

    @Flag(help: "Do not open the provider's sign-out page.") var noBrowser = false

    @Option(
        help: ArgumentHelp(
            """
            Wait until the browser is signed out and comes back, on a loopback port. The path must \
            be registered at the provider as a post-logout redirect: /signed-out for a client that \
            was made with --template cli.
            """,
            valueName: "path"
        )
    )
    var returnPath: String?

    @OptionGroup var session: SessionOptions
    @OptionGroup var output: ConsoleOptions

    func run() async throws {
        let console = output.console
        try await session.withSession { session, choice, folder in
            let name = printable(session.user.displayName)
            let report = await session.signOut(
                noBrowser ? .tokens : .everything,
                using: .systemBrowser,
                returnPath: returnPath
            )
            let wasCurrent = try await folder.current()?.isSession(of: choice) == true
            let next = try await folder.forget(choice)
            if let error = report.storageError { throw error }
            Self.tell(report, console)
            console.done("Signed out \(name).")
            if wasCurrent, let next {
                console.say(
                    "Still signed in at \(printable(next.issuer)) (\(printable(next.clientID))), which "
                        + "commands use from now on. See all: portico whoami"
                )
            }
        }
    }

    private static func tell(_ report: SignOutReport, _ console: Console) {
        switch report.revocation {
        case .revoked, .notAsked: break
        case .notOffered:
            console.warn("The provider does not revoke tokens; they are valid until they expire.")
        case .failed(let error):
            console.warn(
                "The tokens could not be revoked and are valid until they expire. \(error)"
            )
        }
        switch report.browserSession {
        case .ended: console.say("Your browser is signed out at the provider.")
        case .pageOpened: console.say("The provider's sign-out page is open in your browser.")
        case .notAsked:
            console.say("Your browser may still be signed in at the provider.")
        case .notOffered:
            console.warn("The provider has no sign-out page: your browser may still be signed in.")
        case .failed(let error):
            console.warn("Your browser may still be signed in at the provider. \(error)")
        }
    }
}

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
