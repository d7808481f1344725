import Crypto
package import PorticoBytes
package import PorticoProtocol
import PorticoWeb
import PorticoSystem

/// Stand-ins for Google, Facebook and Apple with their behaviour on the wire, and an ordinary
/// OpenID provider: for `--demo`, and for tests over real sockets.
///
/// They have a few invented people, whom anyone can choose with a button, so they serve only this
/// machine (``StandInResponder``). All four have one responder, each below its own path: `/google`,
/// `/facebook`, `/apple`, `/openid`.
package final class StandIns: Sendable {
    /// `http://localhost:9000`, without a trailing slash: a different *site* from a Portico on
    /// 127.0.0.1. A different port alone would be the same site.
    package let baseURL: String
    package let log = StandInLog()
    package let clock: Clock
    let memory: Locked<StandInMemory>

    package enum Refusal: Error, Hashable, Sendable {
        /// `baseURL` is not `http://host:port` or `https://host`.
        case notAnOrigin
    }

    /// - Parameter keys: Existing signing keys, if any: an RSA key takes some time to make.
    package init(
        baseURL: String,
        clock: Clock = .system,
        keys: [StandInKind: SigningKey] = [:]
    ) throws(Refusal) {
        guard let address = HTTPAddress(baseURL), address.path.isEmpty, address.query == nil else {
            throw .notAnOrigin
        }
        self.baseURL = baseURL
        self.clock = clock
        var memory = StandInMemory(keys: keys.mapValues { [$0] })
        for kind in StandInKind.allCases {
            memory.people[kind] = StandInPerson.everybody(at: kind)
        }
        self.memory = Locked(memory)
    }

    /// `iss` of the stand-in's tokens; every address of it begins with it.
    package func issuer(of kind: StandInKind) -> String { "\(baseURL)/\(kind.rawValue)" }
}

extension StandIns {
    /// Registers an application, or replaces it.
    package func register(_ client: StandInClient, at kind: StandInKind) {
        memory.withLock { memory in
            memory.clients[kind, default: []].removeAll { $0.clientID == client.clientID }
            memory.clients[kind, default: []].append(client)
        }
    }

    /// Registers an application as on the real provider's developer pages, with an invented id and
    /// secret of the right kind.
    ///
    /// - Returns: What the operator would copy from those pages.
    @discardableResult
    package func registerDemo(
        at kind: StandInKind,
        redirectURIs: [String]
    ) throws -> StandInSettings {
        let random = clock.moment().random
        if kind == .apple { return try registerAppleDemo(redirectURIs: redirectURIs) }
        let clientID =
            switch kind {
            case .google: "stand-in.apps.googleusercontent.com"
            case .facebook: "1000000000000001"
            case .apple, .openID: "portico"
            }
        let client = StandInClient(
            clientID: clientID,
            redirectURIs: redirectURIs,
            authentication: .secret(SecretText(Hexadecimal.text(random.bytes(16))))
        )
        register(client, at: kind)
        return settings(of: client, at: kind)
    }

    /// Registers a Services ID, with a team's key (Sign in with Apple).
    package func registerAppleDemo(redirectURIs: [String]) throws -> StandInSettings {
        let random = clock.moment().random
        let keyID = "STANDIN001"
        let signing = try SigningKey(generating: .es256, keyID: keyID, random: random)
        let key = try P256.Signing.PrivateKey(rawRepresentation: signing.revealStored())
        let client = StandInClient(
            clientID: "com.example.stand-in.web",
            redirectURIs: redirectURIs,
            authentication: .teamKey(teamID: "STANDINTEA", key: signing.verificationKey)
        )
        register(client, at: .apple)
        let kept = StandInSettings.AppleKey(
            teamID: "STANDINTEA",
            keyID: keyID,
            privateKey: SecretText(key.pemRepresentation)
        )
        memory.withLock { $0.appleKeys[client.clientID] = kept }
        return settings(of: client, at: .apple)
    }

    /// The settings of a relying party, for the application that was registered last.
    package func settings(for kind: StandInKind) -> StandInSettings? {
        let client = memory.withLock { $0.clients[kind]?.last }
        return client.map { settings(of: $0, at: kind) }
    }

    private func settings(of client: StandInClient, at kind: StandInKind) -> StandInSettings {
        let base = issuer(of: kind)
        let addresses = StandInAddresses(kind, base: base)
        var secret: SecretText?
        if case .secret(let text) = client.authentication { secret = text }
        return StandInSettings(
            kind: kind,
            issuer: base,
            legacyIssuer: kind == .google ? addresses.withoutScheme : nil,
            authorizationEndpoint: addresses.authorization,
            tokenEndpoint: addresses.token,
            keySetURI: addresses.keys,
            userInfoEndpoint: addresses.userInfo,
            revocationEndpoint: addresses.revocation,
            endSessionEndpoint: addresses.endSession,
            graphURL: kind == .facebook ? base : nil,
            clientID: client.clientID,
            clientSecret: secret,
            appleKey: memory.withLock { $0.appleKeys[client.clientID] }
        )
    }
}

extension StandIns {
    /// Changes a stand-in's faults, from the next request on.
    package func configure(_ kind: StandInKind, _ change: (inout StandInFaults) -> Void) {
        memory.withLock { change(&$0.faults[kind, default: StandInFaults()]) }
    }

    /// Removes all faults, at all stand-ins.
    package func repair() {
        memory.withLock { $0.faults = [:] }
    }

    package func setPeople(_ people: [StandInPerson], at kind: StandInKind) {
        memory.withLock { $0.people[kind] = people }
    }

    package func people(at kind: StandInKind) -> [StandInPerson] {
        memory.withLock { $0.people[kind] ?? [] }
    }

    /// Signs with a new key from now on.
    ///
    /// - Parameter keepingOld: Whether the old one stays published.
    package func rotateKeys(at kind: StandInKind, keepingOld: Bool = true) throws {
        let random = clock.moment().random
        try memory.withLock { _ = try $0.rotate(kind, keepingOld: keepingOld, random: random) }
    }

    func faults(of kind: StandInKind) -> StandInFaults {
        memory.withLock { $0.faults[kind] ?? StandInFaults() }
    }

    func keys(of kind: StandInKind) throws -> [SigningKey] {
        let random = clock.moment().random
        return try memory.withLock { try $0.keys(of: kind, random: random) }
    }
}
