package import PorticoATProtocol
package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores
package import PorticoWeb

/// Signs people in by handle, made from a provider's record and our keys.
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

    /// The limit of a host's answers to calls. Other requests have limits of their own.
    package static let longest = HTTPLimits(bytes: 16 * 1024 * 1024, seconds: 30)
    /// The bytes of all such answers together, from their arrival until the app has them.
    package static let mostAnswers = 256 * 1024 * 1024
    /// ``SidCookie/lifetime``, in seconds.
    package static let sessionLife = SidCookie.lifetime

    /// Asks hosts and the DNS. Its transport is guarded, because strangers choose every address, and
    /// accepts any media type.
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
    ///   - known: For the tokens of people who are signed in, or were.
    ///   - calls: For the calls of signed-in people: guarded too.
    ///   - life: How long a lasting session may be unused, in seconds.
    ///   - passwords: The present passwords of the cookie `sid`; `isNeeded` if a provider is set up,
    ///     so that new ones may be made.
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
        package let record: ProviderRecord
        package let provider: HandleProvider
        package let client: OwnClientDocument
        package let keys: HandleClientKeys
        /// For sign-ins.
        package let strangers: HostQuestions
        /// For the tokens of sessions.
        package let known: HostQuestions
        /// For the calls of sessions.
        package let sender: DPoPSender
        package var cookie: SidCookie
        package let rules: IdentityRules
    }

    /// Requests to hosts and their servers, on one network.
    package struct HostQuestions: Sendable {
        package let identities: IdentityResolver
        package let discovery: ServerDiscovery
        package let servers: ATClient

        /// All networks share what was found, and a server's nonces.
        package struct Found {
            let identities = AnswerCache<ATIdentity>(seconds: IdentityResolver.freshness)
            let servers = AnswerCache<AuthorizationServer>(
                seconds: ServerDiscovery.freshness,
                most: ServerDiscovery.most
            )
            let nonces = DPoPNonceMemory()
        }

        package init(
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

    /// - Throws: ``HandleProviderRefusal``, and errors of reading the passwords.
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
    /// The cookie with new passwords, if they have changed.
    ///
    /// - Throws: If they cannot be read, or there are none. None are made.
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
    /// The client that a new session begins as; `nil` while none of our keys may be used yet.
    package func newClient(at now: Int64) -> ATClientIdentity? {
        guard client.isConfidential else { return identity(client.clientID, key: nil) }
        return keys.current(at: now).map { identity(client.clientID, key: $0) }
    }

    /// The client that a session began as; `nil` if its key must no longer be used.
    ///
    /// - Parameter keyID: `nil` for a public client, whatever we are now.
    package func client(_ clientID: String, keyID: String?) -> ATClientIdentity? {
        guard let keyID else { return identity(clientID, key: nil) }
        return keys.key(keyID).map { identity(clientID, key: $0) }
    }

    private func identity(_ clientID: String, key: SigningKey?) -> ATClientIdentity {
        ATClientIdentity(clientID: clientID, redirectURI: client.redirectURI, key: key)
    }
}
