import Crypto
package import PorticoBytes
package import PorticoProtocol
import PorticoWeb
import PorticoSystem

/// Stand-ins for Google, Facebook and Apple with their behaviour on the wire, and an ordinary
/// OpenID provider.
///
/// They have a few invented people, whom anyone can choose with a button, so they serve only this
/// machine (``StandInResponder``). All four have one responder, each below its own path: `/google`,
/// `/facebook`, `/apple`, `/openid`.
package final class StandIns: Sendable {
    /// `http://localhost:9000`, without a trailing slash: a different *site* from a Portico on
    /// 127.0.0.1. A different port alone would be the same site.
    package let baseURL: String
    package let clock: Clock
    let hook: StandInHook<StandInCall>
    let memory: Locked<StandInMemory>

    package enum Refusal: Error, Hashable, Sendable {
        /// `baseURL` is not `http://host:port` or `https://host`.
        case notAnOrigin
    }

    /// - Parameters:
    ///   - keys: Existing signing keys, if any: an RSA key takes some time to make.
    ///   - hook: Sees each request that has an endpoint.
    package init(
        baseURL: String,
        clock: Clock = .system,
        keys: [StandInKind: SigningKey] = [:],
        hook: @escaping StandInHook<StandInCall> = { call, answer in await answer(call) }
    ) throws(Refusal) {
        guard let address = HTTPAddress(baseURL), address.path.isEmpty, address.query == nil else {
            throw .notAnOrigin
        }
        self.baseURL = baseURL
        self.clock = clock
        self.hook = hook
        var memory = StandInMemory(keys: keys)
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
    package func registerDemo(at kind: StandInKind, redirectURIs: [String]) throws
        -> StandInSettings
    {
        let random = clock.moment().random
        if kind == .apple { return try registerAppleDemo(redirectURIs, random) }
        let secret = SecretText(Hexadecimal.text(random.bytes(16)))
        register(
            StandInClient(
                clientID: kind.demoClientID,
                redirectURIs: redirectURIs,
                authentication: .secret(secret)
            ),
            at: kind
        )
        return StandInSettings(
            issuer: issuer(of: kind),
            clientID: kind.demoClientID,
            secret: secret,
            team: nil
        )
    }

    /// Registers a Services ID, with a team's key (Sign in with Apple).
    private func registerAppleDemo(_ redirectURIs: [String], _ random: RandomSource) throws
        -> StandInSettings
    {
        let team = StandInSettings.Team(id: "STANDINTEA", keyID: "STANDIN001")
        let signing = try SigningKey(generating: .es256, keyID: team.keyID, random: random)
        let key = try P256.Signing.PrivateKey(rawRepresentation: signing.revealStored())
        let client = StandInClient(
            clientID: StandInKind.apple.demoClientID,
            redirectURIs: redirectURIs,
            authentication: .teamKey(teamID: team.id, key: signing.verificationKey)
        )
        register(client, at: .apple)
        return StandInSettings(
            issuer: issuer(of: .apple),
            clientID: client.clientID,
            secret: SecretText(key.pemRepresentation),
            team: team
        )
    }

    package func client(_ clientID: String?, at kind: StandInKind) -> StandInClient? {
        memory.withLock { $0.client(clientID, at: kind) }
    }

    package func setPeople(_ people: [StandInPerson], at kind: StandInKind) {
        memory.withLock { $0.people[kind] = people }
    }

    func people(at kind: StandInKind) -> [StandInPerson] {
        memory.withLock { $0.people[kind] ?? [] }
    }

    /// What signs its tokens.
    package func key(of kind: StandInKind) throws -> SigningKey {
        let random = clock.moment().random
        return try memory.withLock { try $0.key(of: kind, random: random) }
    }
}
