import PorticoBytes
import PorticoStandIns
import PorticoWeb

/// What `portico serve --demo` has besides: realms, stand-ins, and what it prints.
struct Demonstration {
    let standIns: StandInServer
    let host: DemoHost
    /// To print once the server listens. The command to try is the last one.
    let lines: [String]

    /// Prepares everything, before the server listens.
    init(_ installation: Installation) async throws {
        let publicURL = installation.settings.effectivePublicURL
        let passwords = try await DemoRealm(installation: installation).prepare()
        let host = try await DemoHost(installation)
        let handles = try await host.prepare()
        let port = try ReservedPort(ListenAddress(host: "127.0.0.1", port: 0))
        let standIns = try StandIns(
            baseURL: StandInServer.baseURL(port.address, beside: publicURL),
            clock: installation.clock
        )
        try await DemoBackend(installation: installation, standIns: standIns, host: host).prepare()
        self.standIns = StandInServer(port: port, standIns: standIns)
        self.host = host
        let issuer = "\(publicURL)/realms/\(DemoRealm.name)"
        let people = passwords.map(\.username).joined(separator: ", ")
        let program = CommandLine.arguments.first ?? "portico"
        var lines = [
            "  Demo realm   \(issuer)    "
                + "people: \(people) (new passwords at each start, printed here)"
        ]
        lines += passwords.map(Self.line)
        lines += [
            "  Sign in      \(publicURL)/login    with stand-ins for Apple, Google and Facebook",
            "  By handle    \(publicURL)/mobile-auth    "
                + "with a stand-in for a host of the AT Protocol",
        ]
        lines += handles.map(Self.line)
        lines += [
            "  Mails        \(publicURL)/_outbox    every page: \(publicURL)/_gallery",
            "  Stand-ins    \(standIns.baseURL)    the host: \(host.host.baseURL)",
            "  Try          \(program) login --issuer \(issuer) "
                + "--client-id \(SessionChoice.standardClientID)",
        ]
        self.lines = lines
    }

    private static func line(_ password: DemoPassword) -> String {
        "  Password     \(password.username)  \(password.password.reveal())"
    }

    /// The stand-ins' servers, on loopback only.
    ///
    /// - Parameter server: Serves the realm behind the host, as everything else.
    func services(before server: any Responder) -> [HTTPServer] {
        var limits = ConnectionLimits(connections: 64)
        limits.body = host.host.longestBlob
        return [
            standIns.service,
            HTTPServer(
                host: host.port.address.host,
                port: host.port.address.port,
                limits: limits,
                clock: host.host.clock,
                responder: host.host.responder(authorizationServer: server)
            ),
        ]
    }
}
