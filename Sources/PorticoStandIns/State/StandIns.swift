import Crypto
package import PorticoBytes
package import PorticoProtocol
import PorticoWeb

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Providers that behave on the wire as Google, Facebook and Apple do, and one OpenID provider
/// like any other: for `--demo`, and for tests over real sockets.
///
/// They know a handful of made-up people, whom anybody can be by pressing a button, so they answer
/// nobody but this machine (``StandInResponder``). All four stand behind one responder, each below
/// a path of its own: `/google`, `/facebook`, `/apple`, `/openid`.
package final class StandIns: Sendable {
    /// `http://localhost:9000`, without a slash at the end: another *site* than a Portico on
    /// 127.0.0.1. A port alone makes none.
    package let baseURL: String
    package let log = StandInLog()
    package let clock: Clock
    let memory: Locked<StandInMemory>

    package enum Refusal: Error, Hashable, Sendable {
        /// `baseURL` is no `http://host:port` or `https://host`.
        case notAnOrigin
    }

    /// - Parameter keys: What to sign with, where there is something already: an RSA key takes its
    ///   time to make.
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

    /// `iss` of the stand-in's tokens; every address of it begins so.
    package func issuer(of kind: StandInKind) -> String { "\(baseURL)/\(kind.rawValue)" }
}

extension StandIns {
    /// Registers an application, or registers it anew.
    package func register(_ client: StandInClient, at kind: StandInKind) {
        memory.withLock { memory in
            memory.clients[kind, default: []].removeAll { $0.clientID == client.clientID }
            memory.clients[kind, default: []].append(client)
        }
    }

    /// Registers an application as the real provider's pages for developers would, with an id and
    /// a secret of the right kind, made up here.
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

    /// What a relying party has to know, for the application that was registered last.
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
    /// Changes what a stand-in does wrong; it holds from the next request on.
    package func configure(_ kind: StandInKind, _ change: (inout StandInFaults) -> Void) {
        memory.withLock { change(&$0.faults[kind, default: StandInFaults()]) }
    }

    /// Everything right again, everywhere.
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
