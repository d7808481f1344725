import PorticoBackend
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
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

    func provider(_ name: String) async throws -> ProviderRecord {
        let providers = try await backend().providers
        return try find("provider", name, among: providers, by: \.name, portico("provider list"))
    }

    func app(_ name: String) async throws -> App {
        try find("app", name, among: try await backend().apps, by: \.name, portico("app list"))
    }

    /// The account of that id, as it was typed.
    func account(_ text: String) async throws -> Account {
        guard let account = try await accounts.account(UniqueID(account: text)) else {
            throw missing("account", text, among: [], portico("account list"))
        }
        return account
    }

    /// Stand-ins are admitted where a demonstration made the data, and nowhere else.
    var allowsStandIns: Bool { installation.directory.isOfDemo }

    /// What speaks to a provider.
    ///
    /// - Throws: Where its settings or its secret are not usable.
    func client(of record: ProviderRecord, over transport: any HTTPTransport) throws
        -> UpstreamClient
    {
        let clock = installation.clock
        return try UpstreamClient(
            record,
            ring: installation.ring,
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

extension UniqueID {
    /// - Parameters:
    ///   - typed: What stands on the command line.
    ///   - kind: What has such ids, with its article.
    ///   - list: The command that shows them.
    init(_ typed: String, of kind: String, find list: String) throws(Failure) {
        guard let id = UniqueID(typed) else {
            throw Failure(
                .wrongValue,
                "\"\(printable(typed))\" is not the id of \(kind).",
                "Find it: \(list)"
            )
        }
        self = id
    }

    init(account typed: String) throws(Failure) {
        try self.init(typed, of: "an account", find: portico("account list --email ADDRESS"))
    }
}

extension BackendConfiguration {
    /// Whether the server serves a backend at all.
    var isInUse: Bool {
        providers.contains(where: \.isEnabled) || apps.contains(where: \.isEnabled)
    }
}

extension App {
    /// Why an app that gets its session in an address is warned about (docs/decisions/0013).
    var sessionWarning: String? {
        guard isEnabled, handOff == .sessionToken else { return nil }
        return
            "gets its session in the address it is opened with: anyone who sees that address has "
            + "the session"
    }
}
