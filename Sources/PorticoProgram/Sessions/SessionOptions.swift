import ArgumentParser
import Portico
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoSystem

/// Which session a command is about; by default the last sign-in.
struct SessionOptions: ParsableArguments {
    @Option(help: .value("url", "The provider; by default that of the last sign-in."))
    var issuer: String?

    @Option(help: .value("id", "The client id; by default that of the last sign-in."))
    var clientID: String?

    init() {}

    init(issuer: String?, clientID: String?) {
        self.issuer = issuer
        self.clientID = clientID
    }

    /// - Returns: `nil` where there was no sign-in yet and no issuer is named.
    func choice(in folder: SessionFolder) async throws -> SessionChoice? {
        let current = try await folder.current()
        guard let issuer = issuer ?? current?.issuer else { return nil }
        try Self.check(issuer)
        let isCurrent = issuer == current?.issuer
        var choice = SessionChoice(
            issuer: issuer,
            clientID: clientID ?? (isCurrent ? current?.clientID : nil)
                ?? SessionChoice.standardClientID,
            scopes: isCurrent ? current?.scopes ?? [] : []
        )
        choice.trust = try await folder.trust(of: choice)
        return choice
    }

    /// What is typed without a scheme is most likely a host.
    private static func check(_ issuer: String) throws(Failure) {
        guard !issuer.utf8.starts(with: "https:".utf8), !issuer.utf8.starts(with: "http:".utf8)
        else { return }
        // What may be a token is not repeated.
        let isShown = issuer.utf8.count <= 253 && !TokenForm.isToken(issuer)
        let isHere = HTTPAddress("http://" + issuer)?.isThisMachine ?? false
        let guess = (isHere ? "http://" : "https://") + issuer
        throw Failure(
            .wrongValue,
            "The issuer has no scheme.",
            isShown && HTTPAddress(guess) != nil
                ? "Did you mean: --issuer \(guess)" : "Such as: --issuer https://id.example.com"
        )
    }

    var isNamed: Bool { issuer != nil || clientID != nil }

    /// Opens the session for `body`.
    ///
    /// - Throws: not-signed-in without a session.
    func withSession(
        _ body: (Session, SessionChoice, SessionFolder) async throws -> Void
    ) async throws {
        let folder = SessionFolder(environment: ProcessInfo.processInfo.environment)
        guard let choice = try await choice(in: folder) else { throw Self.notSignedIn(nil) }
        try await ClientConnection.run(choice, folder) { client in
            switch await client.restore() {
            case .signedIn(let session): try await body(session, choice, folder)
            case .signedOut: throw Self.notSignedIn(choice)
            case .locked(let problem): throw SignInError.storage(problem)
            }
        }
    }

    static func notSignedIn(_ choice: SessionChoice?) -> Failure {
        let command = login(choice?.issuer ?? "URL", choice?.clientID)
        return Failure(.notSignedIn, "You are not signed in.", "Sign in: \(command)")
    }

    static func login(_ issuer: String, _ clientID: String?) -> String {
        let command = "portico login --issuer \(shellWord(issuer))"
        guard let clientID, clientID != SessionChoice.standardClientID else { return command }
        return command + " --client-id \(shellWord(clientID))"
    }
}

/// What a new session needs beyond what restoring one does.
struct SessionBeginning {
    /// 0: any free one.
    var callbackPort: UInt16
    /// Whether to accept a provider that does not announce PKCE.
    var isPKCEUnannounced: Bool
}

/// The client library over the program's own HTTP client, for as long as a command runs.
enum ClientConnection {
    static func run(
        _ choice: SessionChoice,
        _ folder: SessionFolder,
        beginning: SessionBeginning? = nil,
        _ body: (SignInClient) async throws -> Void
    ) async throws {
        let transport = OutboundClient()
        // The library takes http on this machine only.
        var options = SignInClient.Options.allowInsecureLoopback
        // Restoring a session needs no PKCE.
        options.pkceUnannounced = beginning?.isPKCEUnannounced ?? true
        options.trustedAudiences = Set(choice.trust.audiences)
        options.tenantIssuers = choice.trust.tenantIssuers
        let client = SignInClient(
            issuer: choice.issuer,
            clientID: choice.clientID,
            redirect: .loopback(port: beginning?.callbackPort ?? 0),
            scopes: choice.scopes.map { ScopeToken($0) },
            options: options,
            storage: folder.storage(of: choice),
            transport: transport
        )
        do {
            try await finally(transport.shutdown) { try await body(client) }
        } catch {
            throw Failure(
                signIn: error,
                issuer: choice.issuer,
                clientID: choice.clientID,
                callbackPort: beginning?.callbackPort
            ) ?? error
        }
    }
}

extension Failure {
    /// What the client library throws, in words for the command line; `nil`: something else.
    ///
    /// - Parameters:
    ///   - clientID: Of the sign-in; `nil`: the standard one.
    ///   - callbackPort: The one that was asked for, where one was.
    init?(
        signIn error: any Error,
        issuer: String,
        clientID: String? = nil,
        callbackPort: UInt16? = nil
    ) {
        guard let error = error as? SignInError else { return nil }
        let words = error.providerError.map { ["The provider says: \(Self.text(of: $0))"] } ?? []
        let again = SessionOptions.login(issuer, clientID)
        let login = "Sign in again: \(again)"
        switch error.kind {
        case .cancelled(.timedOut):
            self.init(
                .timedOut,
                error.description,
                "Nothing was stored. Run the same command to try again, or allow more time:",
                "\(again) --timeout 10m"
            )
        case .denied:
            self.init(.declined, error.description, advice: words + ["Nothing was stored."])
        case .cancelled: self.init(.interrupted, error.description)
        case .interactionRequired(.signedOut): self.init(.notSignedIn, error.description, login)
        case .interactionRequired: self.init(.sessionEnded, error.description, login)
        case .transient(_, let retryAfter):
            let wait = retryAfter.map { " in \(Times.duration($0.components.seconds))" } ?? ""
            self.init(
                .unreachable,
                "\(printable(issuer)): \(error.description)",
                "Nothing was lost. Try again\(wait)."
            )
        case .misconfigured(.issuerInsecure):
            self.init(
                .misconfigured,
                "The issuer must be https; http only on 127.0.0.1, [::1] or localhost."
            )
        case .misconfigured(.pkceNotAnnounced):
            self.init(
                .misconfigured,
                "The provider does not announce PKCE with S256.",
                "If it accepts PKCE anyway: \(again) --pkce-unannounced"
            )
        case .misconfigured(.loopbackPortInUse):
            let port = callbackPort ?? 0
            self.init(
                .portInUse,
                "Another program is already listening on 127.0.0.1:\(port).",
                "Find it: ss -ltnp 'sport = :\(port)'",
                "Or use another port that the provider knows: \(again) --callback-port PORT"
            )
        case .misconfigured(.discoveryNotFound):
            self.init(
                .misconfigured,
                error.description,
                advice: words + ["Asked: \(printable(issuer))/.well-known/openid-configuration"]
            )
        case .misconfigured(.certificateUntrusted):
            self.init(
                .misconfigured,
                "\(printable(issuer)): \(error.description)",
                advice: ["A CA of your own belongs among those of the system."]
                    + (Self.plain(issuer).map {
                        ["If it speaks http there: \(SessionOptions.login($0, clientID))"]
                    } ?? [])
            )
        case .misconfigured: self.init(.misconfigured, error.description, advice: words)
        case .rejected(.metadataIssuer):
            self.init(
                .rejected,
                error.description,
                "It must match exactly: check for an extra or a missing slash.",
                "If the metadata has {tenantid} in it, name that: \(again) --tenant-issuers URL"
            )
        case .rejected(.audience):
            self.init(
                .rejected,
                error.description,
                "If it names us and others that you know, name those: "
                    + "\(again) --trusted-audience ID",
                "All of the answer was discarded."
            )
        case .rejected:
            let discarded = "All of the answer was discarded."
            self.init(.rejected, error.description, advice: words + [discarded])
        case .storage: self.init(.storage, error.description)
        }
    }
    private static func plain(_ issuer: String) -> String? {
        guard let rest = issuer.dropping("https://") else { return nil }
        let plain = "http://\(rest)"
        return HTTPAddress(plain)?.isThisMachine == true ? plain : nil
    }

    private static func text(of error: SignInError.ProviderError) -> String {
        [error.code, error.description, error.address].compactMap(\.self).map(printable)
            .joined(separator: " · ")
    }
}
