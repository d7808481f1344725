import PorticoATProtocol
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStandIns
import PorticoStores
import PorticoWeb

/// The stand-in of a host of the AT Protocol in a demo, and the realm behind it, which its people sign
/// in at.
struct DemoHost {
    /// Of the realm.
    static let name = "handles"

    let installation: Installation
    let port: ReservedPort
    let host: ATHost

    /// At the same port as last time, if no other program has it by now: people stay signed in.
    init(_ installation: Installation) async throws {
        let former = try await Self.realm(installation)?.host
        port = try Self.port(former.flatMap { HTTPAddress($0.origin)?.port })
        host = try ATHost(
            baseURL: StandInServer.baseURL(
                port.address,
                beside: installation.settings.effectivePublicURL
            ),
            clock: installation.clock,
            nonces: DPoPNonces(ring: installation.ring)
        )
        self.installation = installation
    }

    private static func port(_ former: Int?) throws(Failure) -> ReservedPort {
        if let former {
            // `try?`: who has it by now keeps it.
            let reserved = try? ReservedPort(ListenAddress(host: "127.0.0.1", port: former))
            if let reserved { return reserved }
        }
        return try ReservedPort(ListenAddress(host: "127.0.0.1", port: 0))
    }

    private static func realm(_ installation: Installation) async throws -> Realm? {
        try await installation.realms.snapshot().realms.first { $0.name == name }
    }

    /// Creates the realm, or again where the host is at another address than last time, and sets new
    /// passwords. People sign in there with their handles.
    ///
    /// - Returns: The new passwords.
    func prepare() async throws -> [DemoPassword] {
        let realm: Realm
        let former = try await Self.realm(installation)
        if let former, sameBytes(former.issuer, host.baseURL) {
            realm = former
        } else {
            if let former { _ = try await installation.realms.deleteRealm(id: former.id) }
            let new = try RealmCreation(ring: installation.ring)(
                name: Self.name,
                displayName: "Handles",
                baseURL: installation.settings.effectivePublicURL,
                host: host.baseURL,
                resource: host.baseURL,
                at: installation.clock.moment()
            )
            _ = try await installation.realms.create(new)
            realm = new.realm
        }
        return try await installation.prepare(host.people.map(DemoPerson.init), in: realm)
    }

    /// Sign-in by handle, with the stand-in as the directory of all DIDs.
    var provider: ProviderRecord {
        ProviderRecord(
            name: HandleProvider.kind,
            kind: HandleProvider.kind,
            place: 3,
            isEnabled: true,
            settings: [
                HandleSetting.directory.rawValue: .string(host.baseURL),
                HandleSetting.defaultDomain.rawValue: .string(ATHost.domain),
            ],
            sealedSecret: nil
        )
    }
}

extension DemoPerson {
    fileprivate init(_ person: ATHostPerson) {
        let name = person.handle.prefix { $0 != "." }
        self.init(
            username: person.handle,
            givenName: name.prefix(1).uppercased() + name.dropFirst(),
            email: person.email,
            attributes: ["did": [person.did]]
        )
    }
}

extension IdentityRules {
    /// What a demo takes besides: names under `.test`, and its host by plain http on this machine.
    mutating func admitDemo(at origin: String) {
        allowsTest = true
        plainOrigins.insert(origin)
    }
}
