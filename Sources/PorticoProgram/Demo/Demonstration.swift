import PorticoBytes
import PorticoStandIns
import PorticoStores
import PorticoWeb

/// What `portico serve --demo` has besides: realms, stand-ins, and what it prints.
struct Demonstration {
    let standIns: StandInServer
    let host: DemoHost
    /// To print once the server listens. The command to try is the last one.
    let lines: [String]
    /// That realms were made anew, because the server is at another address.
    let renewals: [String]

    static let realms: Set = [DemoRealm.name, DemoHost.name, DemoArticle.name]

    init(_ installation: Installation) async throws {
        let publicURL = installation.settings.effectivePublicURL
        let former = try await installation.realms.realms()
        // Known before a realm is made anew, and its providers with it.
        let formerPort = try await DemoBackend.formerPort(installation)
        let realm = DemoRealm(installation: installation)
        let host = try await DemoHost(installation)
        let keycloak = DemoArticle(installation: installation)
        // All of them before the first is made anew.
        try await realm.check()
        try await host.check()
        try await keycloak.check()
        let passwords = try await realm.prepare()
        let handles = try await host.prepare()
        let article = try await keycloak.prepare()
        renewals = try await installation.realms.realms()
            .filter { now in
                former.contains { $0.name == now.name && !sameBytes($0.issuer, now.issuer) }
            }
            .map { "Made realm \($0.name) anew: its issuer is now \($0.issuer)." }
        // At the same port, the people of a stand-in are those who signed in before.
        let port = try ReservedPort.onLoopback(again: formerPort)
        let standIns = try StandIns(
            baseURL: StandInServer.baseURL(port.address, beside: publicURL),
            clock: installation.clock
        )
        try await DemoBackend(
            installation: installation,
            realm: installation.demoRealm(),
            standIns: standIns,
            host: host
        ).prepare()
        self.standIns = StandInServer(port: port, standIns: standIns)
        self.host = host
        let issuer = "\(publicURL)/realms/\(DemoRealm.name)"
        let people = passwords.map(\.username).joined(separator: ", ")
        // As this one was started: it may be no installed one.
        let program = shellWord(CommandLine.arguments.first ?? "portico")
        var lines = [
            "  Demo realm   \(issuer)    "
                + "people: \(people) (new passwords at each start, printed here)"
        ]
        lines += passwords.map(Self.line)
        lines += [
            "  Sign in      \(publicURL)/login    with stand-ins for Apple, Google and Facebook",
            "  By handle    \(publicURL)/mobile-auth?return_to=/dashboard    "
                + "with a stand-in for a host of the AT Protocol",
        ]
        lines += handles.map(Self.line)
        if !article.isEmpty {
            lines.append(
                "  As Keycloak  \(publicURL)/realms/\(DemoArticle.name)    client rn-expo-app, exp://…"
            )
            lines += article.map(Self.line)
        }
        lines += [
            "  Mails        \(publicURL)/_outbox",
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
