import Logging
import PorticoMail
import PorticoBackend
import PorticoProtocol
import PorticoWeb

/// Everything that can be set. Each field is one setting, described in ``Setting/all`` and in
/// `docs/configuration.md`.
struct Settings: Sendable {
    var dataDirectory: String
    var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// Where people and clients reach the server. `nil`: at ``listen``, by `http`.
    var publicURL: PublicURL?
    /// Single addresses or ranges of them.
    var trustedProxies: [String] = []
    var importRealm: [String] = []
    /// `host:port` of clients that may be told of logouts at private addresses.
    var backchannelAllow: [String] = []
    var logLevel = Logger.Level.info
    var logFormat = LogFormat.logfmt
    var hashingThreads = 2
    var hashingQueue = 32
    /// `nil`: as many as the open files of the process allow.
    var limitConnections: Int?
    var limitBody = 64 * 1024
    var limitRequestSeconds = 10
    var limitIdleSeconds = 60
    /// Who mails are from. `nil`: none are sent.
    var mailFrom: MailSender?
    /// As it was set, and read.
    var mailSMTP: SMTPServer?
    var mailPasswordFile: String?
    /// `nil`: the system's.
    var mailCAFile: String?
    var mailSendmail: String?
    /// What people call the service whose accounts these are.
    var serviceName = "Portico"
    /// An e-mail address or https address where people ask for help.
    var serviceContact: String?
    /// Https addresses of its notice of privacy and of its terms.
    var servicePrivacy: String?
    var serviceTerms: String?
    var isSignUpOpen = true
    var linking = AccountRules.Linking.ask
    /// Of ``PageTheme``: by custom property.
    var pagesLight: [String: String] = [:]
    var pagesDark: [String: String] = [:]
    var pagesLogo: String?
    /// A folder with the marks of identity providers.
    var pagesBrand: String?
    /// A team's own APIs behind `/bff/…`.
    var apis: [ProxiedAPI] = []

    init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
    }

    /// The public URL that is used: the one set, else that of the address listened on.
    var effectivePublicURL: String {
        publicURL?.origin ?? "http://\(listen.text)"
    }

    /// What must hold between settings before anything listens (docs/decisions/0036).
    func checkForServing() throws(Failure) {
        if !listen.isLoopback, trustedProxies.isEmpty {
            throw Failure(
                .listenExposed,
                "Listening on \(listen.text) would serve passwords over plain HTTP to the network.",
                "Listen on 127.0.0.1, or put a proxy with TLS in front and name its address:",
                "portico serve --listen \(listen.text) --trusted-proxy 10.0.0.2 --public-url https://…"
            )
        }
        if publicURL == nil, !listen.isLoopbackLiteral {
            throw Failure(
                .publicURLMissing,
                "The address that clients use cannot be told from \(listen.text).",
                "Name it: portico serve --public-url https://id.example.com"
            )
        }
    }

    /// Browsers and clients of a public URL by the name `localhost` are to come here, passwords and
    /// all: nobody is served under a name that leads them elsewhere (RFC 6761 §6.3).
    func checkPublicName(_ localhost: LocalhostName = .system) async throws {
        guard let publicURL, let address = HTTPAddress(publicURL.origin) else { return }
        do throws(HTTPTransportError) {
            _ = try await localhost.literals(for: address)
        } catch {
            guard case .elsewhere = error else { throw error }
            throw Failure(
                .wrongValue,
                "\(publicURL.host) leads to another machine here, so that people would be sent there.",
                "See: getent ahosts \(publicURL.host)",
                "Mend /etc/hosts, or name the address: "
                    + "portico serve --public-url http://127.0.0.1:\(publicURL.port)"
            )
        }
    }

    /// A demonstration lets everybody in whom its stand-ins name, and shows its mails: it is for whoever
    /// sits at this machine.
    func checkForDemo() throws(Failure) {
        if let publicURL, let address = HTTPAddress(publicURL.origin), !address.isThisMachine {
            throw Failure(
                .wrongValue,
                "A demo is for this machine only, and \(publicURL) is for others.",
                "Leave out --public-url, or serve without --demo."
            )
        }
        guard importRealm.isEmpty else {
            throw Failure(
                .wrongValue,
                "A demo serves no realms but its own, and import-realm names others.",
                "Leave out --import-realm, or serve without --demo."
            )
        }
    }
}
