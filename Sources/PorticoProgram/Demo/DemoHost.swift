import PorticoATProtocol
import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoWeb

/// The stand-in of a host of the AT Protocol in a demo, and the realm behind it, which its people sign
/// in at.
struct DemoHost: DemoRealmMaker {
    static let name = "handles"

    let installation: Installation
    let port: ReservedPort
    let host: ATHost

    /// At the same port as last time, if no other program has it by now: people stay signed in.
    init(_ installation: Installation) async throws {
        let former = try await installation.realms.realm(named: Self.name)?.host
        port = try .onLoopback(again: former.flatMap { HTTPAddress($0.origin)?.port })
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

    var issuer: String { host.baseURL }

    /// Its name follows the server's (``StandInServer/baseURL(_:beside:)``), its port is that of before, if
    /// it is free.
    func advice(_ former: Realm) async throws -> [String] {
        if let port = HTTPAddress(former.issuer)?.port, port != self.port.address.port {
            return ["Another program has its port.", "Find it: ss -ltnp 'sport = :\(port)'"]
        }
        let realms = try await installation.realms.realms()
        guard let demo = realms.first(where: { $0.name == DemoRealm.name }) else { return [] }
        return [
            "Start it with the public URL of before:",
            porticoServing(demo.issuer, of: DemoRealm.name),
        ]
    }

    var people: [DemoPerson] { host.people.map(DemoPerson.init) }

    func new() throws -> NewRealm {
        try RealmCreation(ring: installation.ring)(
            name: Self.name,
            displayName: "Handles",
            baseURL: installation.settings.effectivePublicURL,
            host: host.baseURL,
            resource: host.baseURL,
            at: installation.clock.moment()
        )
    }

    /// Sign-in by handle, with the stand-in as the directory of all DIDs.
    func provider(ofRealm realmID: String) -> ProviderRecord {
        ProviderRecord(
            realmID: realmID,
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
