import ArgumentParser
import Dispatch
import Portico
import PorticoProtocol
import PorticoSystem

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in at an OpenID provider, in the browser.",
        discussion: """
            Works with any provider that has a public client with the redirect URI \
            http://127.0.0.1/callback (any port). The session is kept in a file that only you can \
            read; token, userinfo, whoami and logout use it.
            """
    )

    @Option(help: .value("url", "The provider; by default that of the last sign-in."))
    var issuer: String?

    @Option(
        help: .value("id", "The client id; by default that of the last sign-in, or portico-cli.")
    )
    var clientID: String?

    @Option(help: .value("scopes", "The scopes to ask for, instead of openid, profile and email."))
    var scope: [String] = []

    @Flag(help: "Only print the address; do not start a browser.")
    var noBrowser = false

    @Option(help: .value("time", "How long to wait for you, such as 90s or 3m."))
    var timeout = DurationText(seconds: 180)

    @Option(
        help: .value("port", "The port of 127.0.0.1 to wait on, for ssh -L; else any free one.")
    )
    var callbackPort: UInt16 = 0

    @Flag(help: "Accept a provider that does not announce PKCE. S256 is still sent.")
    var pkceUnannounced = false

    @Option(
        help: .value(
            "id",
            "What ID Tokens may name as audience beside the client. Repeat for several."
        )
    )
    var trustedAudience: [String] = []

    @Option(
        help: .value(
            "url",
            "The issuer in the provider's metadata, if it has {tenantid}: any tenant's ID Tokens are taken."
        )
    )
    var tenantIssuers: String?

    @Flag(help: "Sign in even if you are signed in already.") var force = false

    @OptionGroup var output: ConsoleOptions

    func run() async throws {
        let console = output.console
        let folder = SessionFolder(environment: ProcessInfo.processInfo.environment)
        let choice = try await choice(in: folder)
        try await ClientConnection.run(
            choice,
            folder,
            beginning: SessionBeginning(
                callbackPort: callbackPort,
                isPKCEUnannounced: pkceUnannounced
            )
        ) { client in
            // More scopes than it has need the person again.
            let wanted = isScopeAsked ? choice.scopes : []
            if !force, let session = await Self.live(client),
                Scope(tokens: wanted).isSubset(of: session.scope)
            {
                try await folder.use(choice)
                console.done("Already signed in as \(await Self.person(session)).")
                console.say("  Sign in again: portico login --force")
                return
            }
            guard !output.noInput else {
                throw Failure(
                    .needsPerson,
                    "Signing in needs a person, and --no-input is set.",
                    "For scripts create a client of its own, which signs in by client_credentials:",
                    portico("client create NAME --template service")
                )
            }
            // Not told only after the person has signed in.
            try await folder.check()
            let session = try await signIn(client, console)
            try await folder.use(choice)
            console.say("")
            console.done("Signed in as \(await Self.person(session))")
            console.say("  \(Self.life(of: session)) · stored in \(folder.file(of: choice))")
            console.say("Try: portico userinfo · portico token · portico logout")
        }
    }

    private var isScopeAsked: Bool { !scope.isEmpty }

    private func choice(in folder: SessionFolder) async throws -> SessionChoice {
        let options = SessionOptions(issuer: issuer, clientID: clientID)
        guard var choice = try await options.choice(in: folder) else {
            throw Failure(
                .usage,
                "Which provider?",
                "Name it: portico login --issuer https://id.example.com"
            )
        }
        let asked = scope.flatMap { $0.split(separator: " ").map(String.init) }
        if isScopeAsked {
            choice.scopes = asked
        } else if choice.scopes.isEmpty {
            choice.scopes = SessionChoice.standardScopes
        }
        // What is left out stays as it was at the last sign-in; empty clears it.
        if !trustedAudience.isEmpty {
            choice.trust.audiences = trustedAudience.filter { !$0.isEmpty }
        }
        if let tenantIssuers {
            guard tenantIssuers.isEmpty || IssuerTemplate(tenantIssuers) != nil else {
                throw Failure(
                    .usage,
                    "--tenant-issuers needs an https URL with {tenantid} as a part of its path.",
                    "Such as: 'https://login.microsoftonline.com/{tenantid}/v2.0'"
                )
            }
            choice.trust.tenantIssuers = tenantIssuers.isEmpty ? nil : tenantIssuers
        }
        return choice
    }

    private func signIn(_ client: SignInClient, _ console: Console) async throws -> Session {
        let pasted = console.mayAsk ? PastedCallback() : nil
        let limit = Times.duration(timeout.seconds)
        let browser = AnnouncedBrowser(
            console: console,
            host: HTTPAddress(client.issuer)?.authority ?? client.issuer,
            opens: !noBrowser,
            isRemote: ProcessInfo.processInfo.environment["SSH_CONNECTION"] != nil,
            callbackPort: callbackPort,
            afterwards: pasted == nil
                ? "Waiting for you to finish (\(limit) at most)"
                : "Waiting for you to finish (\(limit) at most, or paste the address you were sent to). "
                    + "If the page shows an error, press Ctrl-C."
        )
        if let pasted { Self.readPastedLines(into: pasted, console) }
        let interruption = Self.interruption(console)
        defer { interruption.cancel() }
        return try await client.signIn(
            using: .loopback(open: browser, timeout: .seconds(timeout.seconds), pasted: pasted)
        )
    }

    /// Ctrl-C while the person is in the browser: says that nothing is kept, and ends by the signal.
    private static func interruption(_ console: Console) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(
            signal: SIGINT,
            queue: DispatchQueue(label: "interruption")
        )
        source.setEventHandler {
            console.say("\nStopped. Nothing was stored.")
            signal(SIGINT, SIG_DFL)
            // To the process: the threads of queues take no signals.
            kill(getpid(), SIGINT)
        }
        source.setCancelHandler { signal(SIGINT, SIG_DFL) }
        source.resume()
        return source
    }

    /// On a thread of its own, which waits for the terminal as long as the program runs.
    private static func readPastedLines(into pasted: PastedCallback, _ console: Console) {
        DispatchQueue(label: "pasted lines").async {
            while let line = readLine() {
                guard !line.isEmpty, !pasted.offer(line) else { continue }
                console.warn("That is not the address of this sign-in. Still waiting.")
            }
        }
    }

    private static func live(_ client: SignInClient) async -> Session? {
        guard case .signedIn(let session) = await client.restore() else { return nil }
        do {
            _ = try await session.token()
            return session
        } catch {
            // Whatever is wrong with it, a new sign-in replaces it.
            return nil
        }
    }

    /// `Ann Example <ann@example.com>`
    private static func person(_ session: Session) async -> String {
        var user = session.user
        if user.name == nil || user.email == nil {
            // `try?`: the ID Token has less to say, but the sign-in stands.
            user = (try? await session.userInfo()) ?? user
        }
        let name = printable(user.displayName)
        guard let email = user.email, email != user.displayName else { return name }
        return "\(name) <\(printable(email))>"
    }

    private static func life(of session: Session) -> String {
        let expiry = session.accessTokenExpiry.map {
            "Access \(Times.duration(Int64(max(0, $0.timeIntervalSinceNow.rounded()))))"
        }
        let refreshes = session.isRefreshable ? "refreshes itself" : "does not refresh itself"
        return [expiry, refreshes].compactMap { $0 }.joined(separator: ", ")
    }
}

/// Prints the address before it opens the browser: one that "opened" may not have.
struct AnnouncedBrowser: ExternalBrowser {
    let console: Console
    let host: String
    let opens: Bool
    /// Whether the person is at another machine, by SSH.
    let isRemote: Bool
    /// The one that was asked for; 0: any.
    let callbackPort: UInt16
    let afterwards: String

    func open(_ address: String) async throws {
        console.say(
            opens
                ? "Opening your browser to sign in to \(printable(host))"
                : "To sign in to \(printable(host)), open this address in a browser:"
        )
        console.say("  \(printable(address))")
        if opens {
            do {
                try await SystemBrowser().open(address)
            } catch {
                // The person can still open the address.
                console.warn("\(error) Open the address yourself.")
            }
        }
        if isRemote { adviseRemote() }
        console.say(afterwards)
    }

    /// The answer comes to a port of this machine, which a browser elsewhere does not reach.
    private func adviseRemote() {
        console.say(
            "  In a browser on another machine the last page is an error page: copy its address, and "
                + "paste it here."
        )
        guard callbackPort == 0 else {
            return console.say(
                "  Or forward the port, on that machine: "
                    + "ssh -L \(callbackPort):127.0.0.1:\(callbackPort) HOST"
            )
        }
        console.say("  Or forward a port, on that machine, and sign in again with it:")
        console.say("    ssh -L 8085:127.0.0.1:8085 HOST")
        console.say("    portico login --callback-port 8085")
    }
}
