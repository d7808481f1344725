import PorticoProtocol
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
