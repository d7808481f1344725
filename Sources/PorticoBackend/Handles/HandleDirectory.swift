package import PorticoATProtocol
package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
import PorticoStores
package import PorticoWeb

/// What signs people in by handle: makes it from a provider's record and our keys.
package struct HandleDirectory: Sendable {
    private let ring: KeyRing
    private let clock: Clock
    private let publicURL: PublicURL
    let strangers: Network
    let known: Network
    let calls: any HTTPTransport
    private let rules: IdentityRules
    private let life: Int64
    private let passwords: @Sendable (_ isNeeded: Bool) throws -> IronPasswords?

    /// Of a host's answers to its people. Whatever else is asked has limits of its own.
    package static let longest = HTTPLimits(bytes: 16 * 1024 * 1024, seconds: 30)
    /// The bytes of all of them together, from their arrival until the app has them.
    package static let mostAnswers = 256 * 1024 * 1024
    /// ``SidCookie/lifetime``, in seconds.
    package static let sessionLife = SidCookie.lifetime

    /// Asks hosts and the DNS. Its transport is guarded, because strangers choose every address, and
    /// of no particular media type.
    package struct Network: Sendable {
        let transport: any HTTPTransport
        let names: any TextRecordResolver

        package init(transport: any HTTPTransport, names: any TextRecordResolver) {
            self.transport = transport
            self.names = names
        }
    }

    /// The two networks and the transport have connections and look-ups of their own, so that none
    /// waits for another (docs/decisions/0067).
    ///
    /// - Parameters:
    ///   - strangers: For people who begin a sign-in.
    ///   - known: For the tokens of those who are signed in, or were.
    ///   - calls: For the calls of those who are signed in: guarded, too.
    ///   - life: How long a session that is to last does so unused, in seconds.
    ///   - passwords: Of the cookie `sid`, as they are now; `isNeeded` when a provider is set up, and new
    ///     ones may be made.
    package init(
        ring: KeyRing,
        clock: Clock,
        publicURL: PublicURL,
        strangers: Network,
        known: Network,
        calls: any HTTPTransport,
        rules: IdentityRules,
        sessionsLast life: Int64 = HandleDirectory.sessionLife,
        passwords: @escaping @Sendable (_ isNeeded: Bool) throws -> IronPasswords?
    ) {
        self.ring = ring
        self.clock = clock
        self.publicURL = publicURL
        self.strangers = strangers
        self.known = known
        self.calls = calls
        self.rules = rules
        self.life = life
        self.passwords = passwords
    }

    /// The enabled provider, ready for sign-ins.
    package struct Live: Sendable {
        let record: ProviderRecord
        let provider: HandleProvider
        let client: OwnClientDocument
        let keys: HandleClientKeys
        /// For sign-ins.
        let strangers: HostQuestions
        /// For the tokens of sessions.
        let known: HostQuestions
        /// For the calls of sessions.
        let sender: DPoPSender
        var cookie: SidCookie
        let rules: IdentityRules
    }

    /// What hosts and their servers are asked, on one network.
    struct HostQuestions: Sendable {
        let identities: IdentityResolver
        let discovery: ServerDiscovery
        let servers: ATClient

        /// What was found is the same for everybody, and so are a server's nonces.
        struct Found {
            let identities = AnswerCache<ATIdentity>(seconds: IdentityResolver.freshness)
            let servers = AnswerCache<AuthorizationServer>(
                seconds: ServerDiscovery.freshness,
                most: ServerDiscovery.most
            )
            let nonces = DPoPNonceMemory()
        }

        init(
            _ network: Network,
            _ found: Found = Found(),
            directory: ServerOrigin,
            rules: IdentityRules,
            clock: Clock
        ) {
            let transport = network.transport
            identities = IdentityResolver(
                transport: transport,
                names: network.names,
                directory: directory,
                cache: found.identities,
                rules: rules,
                clock: clock
            )
            discovery = ServerDiscovery(
                transport: transport,
                cache: found.servers,
                rules: rules,
                clock: clock
            )
            servers = ATClient(
                sender: DPoPSender(transport: transport, nonces: found.nonces, clock: clock),
                rules: rules
            )
        }
    }

    /// - Throws: ``HandleProviderRefusal``, and what keeps the passwords from being read.
    func live(_ record: ProviderRecord, _ keys: [HandleClientKey]) throws -> Live {
        let provider = try HandleProvider(record, rules)
        guard let passwords = try passwords(true) else { throw HandleProviderRefusal.noPasswords }
        guard let client = OwnClientDocument(provider, at: publicURL.origin, rules)
        else { throw HandleProviderRefusal.publicAddress }
        let found = HostQuestions.Found()
        func questions(_ network: Network) -> HostQuestions {
            HostQuestions(network, found, directory: provider.directory, rules: rules, clock: clock)
        }
        return Live(
            record: record,
            provider: provider,
            client: client,
            keys: HandleClientKeys(keys, ring: ring),
            strangers: questions(strangers),
            known: questions(known),
            sender: DPoPSender(transport: calls, nonces: found.nonces, clock: clock),
            cookie: cookie(passwords),
            rules: rules
        )
    }
}

extension HandleDirectory {
    /// The cookie with other passwords, if there are others by now.
    ///
    /// - Throws: What keeps them from being read, or that there are none. None are made.
    func cookie(replacing known: SidCookie) throws -> SidCookie? {
        guard let passwords = try passwords(false) else { throw HandleProviderRefusal.noPasswords }
        guard passwords != known.passwords else { return nil }
        return cookie(passwords)
    }

    private func cookie(_ passwords: IronPasswords) -> SidCookie {
        SidCookie(CookiePolicy(publicURL), passwords: passwords, lasting: life)
    }
}

extension HandleDirectory.Live {
    /// As whom a new session begins; `nil` while no key of ours may be used yet.
    func newClient(at now: Int64) -> ATClientIdentity? {
        guard client.isConfidential else { return identity(client.clientID, key: nil) }
        return keys.current(at: now).map { identity(client.clientID, key: $0) }
    }

    /// As whom a session began; `nil` where its key must not be used any more.
    ///
    /// - Parameter keyID: `nil` of a public client, whatever we are by now.
    func client(_ clientID: String, keyID: String?) -> ATClientIdentity? {
        guard let keyID else { return identity(clientID, key: nil) }
        return keys.key(keyID).map { identity(clientID, key: $0) }
    }

    private func identity(_ clientID: String, key: SigningKey?) -> ATClientIdentity {
        ATClientIdentity(clientID: clientID, redirectURI: client.redirectURI, key: key)
    }
}
