import ArgumentParser
import Portico

/// `portico logout`
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out on this machine, at the provider and in the browser.",
        discussion: """
            The session on this machine is deleted first, so that it ends even without a network. \
            Its tokens are revoked, and the provider's sign-out page is opened.
            """
    )

    @Flag(name: .long, help: "Do not open the provider's sign-out page.") var noBrowser = false

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
