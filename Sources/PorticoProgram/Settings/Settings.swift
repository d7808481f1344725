import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// The values of all settings: `settings.limitBody` is that of ``SettingTable/limitBody``.
@dynamicMemberLookup
struct Settings: Sendable {
    /// By key; without those that have their default.
    private var values: [String: any Sendable] = [:]

    init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
    }

    subscript<Value: Sendable>(key: String, or standard: Value) -> Value {
        get { values[key] as? Value ?? standard }
        set { values[key] = newValue }
    }

    subscript<Value>(dynamicMember path: KeyPath<SettingTable, SettingTable.Entry<Value>>) -> Value
    {
        get {
            let entry = SettingTable.entries[keyPath: path]
            return self[entry.setting.key, or: entry.standard]
        }
        set {
            let entry = SettingTable.entries[keyPath: path]
            self[entry.setting.key, or: entry.standard] = newValue
        }
    }

    /// The public URL: the one set, or else the address listened on.
    var effectivePublicURL: String {
        self.publicURL?.origin ?? "http://\(self.listen.text)"
    }

    /// What must hold between settings before anything listens (docs/decisions/0036).
    func checkForServing() throws(Failure) {
        let listen = self.listen
        if !listen.isLoopback, self.trustedProxies.isEmpty {
            throw Failure(
                .listenExposed,
                "Listening on \(listen.text) would serve passwords over plain HTTP to the network.",
                "Listen on 127.0.0.1, or put a proxy with TLS in front and name its address:",
                portico(
                    "serve --listen \(listen.text) --trusted-proxy 10.0.0.2 --public-url https://…"
                )
            )
        }
        if self.publicURL == nil, !listen.isLoopbackLiteral {
            throw Failure(
                .publicURLMissing,
                "The address that clients use does not follow from \(listen.text).",
                "Set it: \(portico("serve --public-url https://id.example.com"))"
            )
        }
    }

    /// Browsers and clients send passwords to the public URL. If its name is `localhost`, or below
    /// it, that name must lead to this machine (RFC 6761 §6.3).
    func checkPublicName(_ localhost: LocalhostName = .system) async throws {
        guard let publicURL = self.publicURL, let address = HTTPAddress(publicURL.origin) else {
            return
        }
        do throws(HTTPTransportError) {
            _ = try await localhost.literals(for: address)
        } catch {
            guard case .elsewhere = error else { throw error }
            let local = "http://127.0.0.1:\(publicURL.port)"
            throw Failure(
                .wrongValue,
                "\(publicURL.host) leads to another machine, which would get people's passwords.",
                "See: getent ahosts \(publicURL.host)",
                "Fix /etc/hosts, or use the address: \(portico("serve --public-url \(local)"))"
            )
        }
    }

    /// A demo signs in anyone its stand-ins name, and shows its emails: it must be for this machine
    /// only.
    func checkForDemo() throws(Failure) {
        if let publicURL = self.publicURL, let address = HTTPAddress(publicURL.origin),
            !address.isThisMachine
        {
            throw Failure(
                .wrongValue,
                "A demo is for this machine only, and \(publicURL) is not.",
                "Leave out --public-url, or serve without --demo."
            )
        }
        guard self.importRealm.isEmpty else {
            throw Failure(
                .wrongValue,
                "A demo serves only its own realm, and import-realm names others.",
                "Leave out --import-realm, or serve without --demo."
            )
        }
    }
}

extension AccountRules {
    /// Who may sign up and how providers are connected, as the settings have it.
    init(_ settings: Settings) {
        self.init(isSignUpOpen: settings.isSignUpOpen, linking: settings.linking)
    }
}

extension Settings {
    /// The test network, if there is one (docs/decisions/0058).
    ///
    /// - Throws: where its file says what it must not, or where others could reach this server:
    ///   to them it would be another host than it is.
    /// What asks an identity provider: one of a realm's file, which people other than the operator can change,
    /// not at private addresses, but for this server and the hosts that the operator names.
    func transport(
        of record: ProviderRecord,
        over plain: any HTTPTransport,
        otherwise guarded: GuardedTransport
    ) -> any HTTPTransport {
        guard record.isOfFile else { return plain }
        let own = HTTPAddress(self.effectivePublicURL).map { [NamedHost(of: $0)] } ?? []
        let named = (self.providersAllow + [self.listen.text]).compactMap(NamedHost.init)
        return OperatorsExceptions(Set(named + own), by: plain, otherwise: guarded)
    }

    func network() throws(Failure) -> TestNetwork? {
        guard let file = self.testNetwork else { return nil }
        let network = try TestNetwork(file: file)
        guard self.listen.isLoopback else {
            throw .exposed(
                "The server would listen on \(self.listen.text).",
                "Listen on this machine only: --listen 127.0.0.1:8080"
            )
        }
        if let publicURL = self.publicURL, !network.isOwn(publicURL.origin) {
            throw .exposed(
                "The public URL is \(publicURL), which is neither this machine nor in the file.",
                "Name it under hosts, or leave out --public-url."
            )
        }
        return network
    }
}

extension TestNetwork {
    /// - Throws: where a realm has a host of its own that the file does not name.
    func check(_ realms: [Realm]) throws(Failure) {
        for realm in realms {
            guard let host = realm.host, !isOwn(host.origin) else { continue }
            throw .exposed(
                "Realm \(realm.name) is at \(host), which is neither this machine nor in the file.",
                "Name it under hosts, or serve without --test-network."
            )
        }
    }

    fileprivate func isOwn(_ origin: String) -> Bool {
        guard let address = HTTPAddress(origin) else { return false }
        return address.isThisMachine || hosts[address.host] != nil
    }

    /// - Parameter file: In YAML: `hosts`, `plain`, `txt` and `ca`.
    fileprivate init(file path: String) throws(Failure) {
        let values: [String: SettingsFile.Value]
        do {
            values = try SettingsFile(path).values
        } catch {
            throw Failure(
                .wrongValue,
                "The test network \(printable(path)) cannot be read.",
                advice: error.lines
            )
        }
        var hosts: [String: String] = [:]
        var texts: [String: [String]] = [:]
        var plain: [String] = []
        var authority: String?
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            switch (key, value) {
            case ("ca", .text(let file)):
                authority = SettingOrigin.file(path, key: key).resolve(file)
            case ("plain", .list(let names)): plain = names
            case (let key, .text(let address)) where key.hasPrefix("hosts."):
                hosts[String(key.dropFirst("hosts.".count))] = address
            case (let key, .list(let records)) where key.hasPrefix("txt."):
                texts[String(key.dropFirst("txt.".count))] = records
            default: throw .network(path, "\(printable(key)) is not one of its values.")
            }
        }
        do {
            try self.init(hosts: hosts, plain: plain, texts: texts, authority: authority)
        } catch {
            throw .network(path, error.explanation)
        }
    }
}

extension TestNetwork.Refusal {
    fileprivate var explanation: String {
        switch self {
        case .name(let name): "\(printable(name)) is no name of a public host, or under .test."
        case .address(let name):
            "\(printable(name)) must have an address of this machine with its port."
        case .plain(let name): "\(printable(name)) stands under plain, and not under hosts."
        case .text(let name): "\(printable(name)) is no name of a handle's record."
        }
    }
}

extension Failure {
    fileprivate static func network(_ path: String, _ what: String) -> Failure {
        Failure(
            .wrongValue,
            "The test network \(printable(path)) is refused: \(what)",
            "See docs/configuration.md. Such as: hosts: {pds.example.com: 127.0.0.1:8443}"
        )
    }

    fileprivate static func exposed(_ what: String, _ advice: String) -> Failure {
        Failure(.wrongValue, "A test network is for this machine only. \(what)", advice)
    }
}
