import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoUpstream
import PorticoWeb
import PorticoSystem

extension Administration {
    func backend() async throws -> BackendConfiguration {
        try await installation.backend.configuration()
    }

    var publicURL: String { installation.publicURL }

    /// An issuer never changes, and one of this machine that no one chose is good there only.
    ///
    /// - Parameter again: How the realm is had once more: `make`, `import`.
    func warn(ofIssuer issuer: String, of realm: String, again: StaticString = "make") {
        guard installation.settings.publicURL == nil, !allowsStandIns, !console.isQuiet,
            HTTPAddress(issuer)?.isThisMachine == true
        else { return }
        console.warn(
            "No public-url is set: the issuer is \(issuer), for good. For another, delete realm "
                + "\(realm) and \(again) it again with --public-url https://HOST"
        )
    }

    /// - Parameter realm: `nil`: the backend's.
    func provider(_ name: String, in realm: String? = nil) async throws -> ProviderRecord {
        let providers = try await providers(in: realm)
        let list = portico("provider \(words: ["list"] + (realm.map { ["--realm", $0] } ?? []))")
        return try find("provider", name, among: providers, by: \.name, list)
    }

    /// - Parameter realm: `nil`: the backend's, if it has one.
    func providers(in realm: String?) async throws -> [ProviderRecord] {
        guard let realm else {
            let backend = try await backend()
            guard backend.realm == nil, realmList.count == 1 else { return backend.providers }
            // There is no other that could be meant.
            return backend.allProviders
        }
        return try await installation.backend.providers(realmID: self.realm(realm).id)
    }

    /// The realm whose people sign in at the backend. At first use it is the only realm, or else `home`,
    /// which is still to be made where it is not there (``make(_:)``).
    func backendRealm() async throws -> (realm: Realm, new: NewRealm?) {
        let known = try await backend().realm
        if let realm = realmList.first(where: { $0.id == known?.id }) { return (realm, nil) }
        if let name = installation.settings.backendRealm { return (try realm(name), nil) }
        // No one registers with the administration by themselves, or at a host by a provider.
        let others = realmList.filter {
            $0.name != AdminRights.master && $0.profile.scopeRule != .atProtocol
        }
        if others.count == 1 { return (others[0], nil) }
        if let realm = realmList.first(where: { $0.name == Realm.home }) { return (realm, nil) }
        try await installation.expectOneAddress()
        var new = try RealmCreation(ring: installation.ring)(
            name: Realm.home,
            baseURL: publicURL,
            at: moment
        )
        // No one in it has a password, until the operator wants that.
        new.realm.signsInWithPassword = false
        return (new.realm, new)
    }

    func make(_ home: NewRealm) async throws {
        try await changing { try await $0.create(home, by: .commandLine) }
        console.done("Created realm \(home.realm.name) for the people who sign in.")
    }

    func app(_ name: String) async throws -> Client {
        let backend = try await backend()
        let list = backend.realm.map { portico("client list --realm \($0.name)") }
        return try find(
            "app",
            name,
            among: backend.apps,
            by: \.clientID,
            list ?? portico("client list")
        )
    }

    /// Checks that a client which hands off is of the backend's realm, and warns of what is newly allowed but
    /// unwise.
    ///
    /// - Parameter former: What the client was before.
    func checkHandOff(of client: Client, _ former: Client?, in realm: Realm) async throws {
        guard client.handOff.form != .none else { return }
        let backend = try await backend()
        if let other = backend.realm, other.id != realm.id {
            throw Failure(
                .refused,
                "The backend's apps are of realm \(other.name).",
                "Register it there: --realm \(other.name)"
            )
        }
        let providers = backend.providers.map(\.name)
        let known = former?.handOffHints(publicURL, providers) ?? []
        for hint in client.handOffHints(publicURL, providers) where !known.contains(hint) {
            console.warn(hint)
        }
    }

    /// Says what to enter in Xcode and Android Studio.
    func sayDomains(of client: Client, in realm: Realm) {
        let links = AppLinks(client, in: realm.name, publicURL: publicURL)
        guard client.handOff.form != .none, links.isInFiles, let host = links.hosts.first else {
            return
        }
        if !client.handOff.appleAppIDs.isEmpty {
            console.say("  Xcode, Associated Domains: webcredentials:\(host)  applinks:\(host)")
        }
        if !client.handOff.androidApps.isEmpty {
            console.say("  Android, intent filter with autoVerify: https://\(host)")
        }
        console.say(
            "Check: \(portico("client links \(client.clientID) --realm \(realm.name)"))"
        )
    }

    /// Stand-ins are admitted where a demonstration made the data, and nowhere else.
    var allowsStandIns: Bool { installation.directory.isOfDemo }

    /// What asks a provider.
    func transport(of record: ProviderRecord, over plain: any HTTPTransport) -> any HTTPTransport {
        let settings = installation.settings
        // `try?`: a test network that cannot be used is reported where the server starts.
        let network = try? settings.network()
        return settings.transport(
            of: record,
            over: plain,
            otherwise: GuardedTransport(in: network)
        )
    }

    /// What speaks to a provider.
    ///
    /// - Throws: Where its settings or its secret are not usable.
    func client(of record: ProviderRecord, over transport: any HTTPTransport) throws
        -> UpstreamClient
    {
        let clock = installation.clock
        return try UpstreamClient(
            record,
            secrets: installation.providerSecrets,
            transport: transport,
            allowingStandIns: allowsStandIns,
            now: { clock.moment().now }
        )
    }

    /// Lends an HTTP client, and shuts it down whatever happens.
    static func withOutbound<Value>(_ body: (OutboundClient) async throws -> Value) async throws
        -> Value
    {
        let outbound = OutboundClient()
        return try await finally(outbound.shutdown) { try await body(outbound) }
    }
}

extension Realm {
    /// Of the backend's people, where no other is named.
    static let home = "home"
}

extension BackendConfiguration {
    /// Whether the server serves a backend at all.
    var isInUse: Bool {
        providers.contains(where: \.isEnabled) || apps.contains(where: \.isEnabled)
    }
}

extension Client {
    /// Why an app that gets its session in an address is warned about (docs/decisions/0013).
    var sessionWarning: String? {
        guard isEnabled, handOff.form == .sessionToken else { return nil }
        return
            "gets its session in the address it is opened with: anyone who sees that address has "
            + "the session"
    }

    /// The command that changes it.
    func update(_ option: CommandWords, in realm: String?) -> String {
        guard let realm else { return portico("client update \(clientID) \(option)") }
        return portico("client update \(clientID) --realm \(realm) \(option)")
    }

    /// What an app of the backend lacks, each in one line.
    fileprivate func handOffHints(_ publicURL: String, _ providers: [String]) -> [String] {
        var hints: [String] = []
        let origins = Set(redirectURIs.compactMap(\.httpsOrigin))
        if !origins.isEmpty, handOff.appleAppIDs.isEmpty, handOff.androidApps.isEmpty {
            hints.append(
                "Nothing says which app opens its https redirect: add --apple-app or --android-app."
            )
        }
        hints += origins.sorted().filter { !sameBytes($0, publicURL) }.map {
            "\($0) is not the public URL \(publicURL): Apple and Google look for the association "
                + "files there."
        }
        let unknown = Set(handOff.audiences.map(\.provider)).subtracting(providers)
        return hints
            + unknown.sorted().map {
                "--native-audience names provider \(printable($0)), which does not exist yet."
            }
    }
}
