import ArgumentParser
import Portico
import PorticoOutbound
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
        let isCurrent = issuer == current?.issuer
        return SessionChoice(
            issuer: issuer,
            clientID: clientID ?? (isCurrent ? current?.clientID : nil)
                ?? SessionChoice.standardClientID,
            scopes: isCurrent ? current?.scopes ?? [] : []
        )
    }

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

    private static func notSignedIn(_ choice: SessionChoice?) -> Failure {
        let issuer = choice.map { printable($0.issuer) } ?? "URL"
        var command = "portico login --issuer \(issuer)"
        if let id = choice?.clientID, id != SessionChoice.standardClientID {
            command += " --client-id \(printable(id))"
        }
        return Failure(.notSignedIn, "You are not signed in.", "Sign in: \(command)")
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
        let client = SignInClient(
            issuer: choice.issuer,
            clientID: choice.clientID,
            redirect: .loopback(port: beginning?.callbackPort ?? 0),
            scopes: choice.scopes.map { ScopeToken($0) },
            options: options,
            storage: folder.storage(of: choice),
            transport: transport
        )
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            let failure = Failure(
                signIn: error,
                issuer: choice.issuer,
                callbackPort: beginning?.callbackPort
            )
            result = .failure(failure ?? error)
        }
        try await transport.shutdown()
        try result.get()
    }
}
