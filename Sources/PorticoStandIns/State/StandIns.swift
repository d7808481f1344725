import Crypto
package import PorticoBytes
package import PorticoProtocol
import PorticoSystem
import PorticoWeb

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

extension StandIns {
    func newCode(
        for grant: StandInGrant,
        redirectURI: String,
        challenge: CodeChallenge?,
        isOffline: Bool,
        _ moment: Moment
    ) -> String {
        let text = "code-" + moment.random.text(24)
        let code = StandInCode(
            grant: grant,
            redirectURI: redirectURI,
            challenge: challenge,
            isOffline: isOffline,
            expiresAt: moment.now + grant.kind.codeLife
        )
        memory.withLock { $0.keep(code, as: text, at: moment.now) }
        return text
    }

    /// - Parameter life: In seconds.
    package func newToken(
        for grant: StandInGrant,
        isRefreshToken: Bool = false,
        life: Double,
        _ moment: Moment
    ) -> String {
        let text = (isRefreshToken ? "refresh-" : "access-") + moment.random.text(32)
        let token = StandInToken(
            grant: grant,
            isRefreshToken: isRefreshToken,
            issuedAt: moment.now,
            expiresAt: moment.now + life
        )
        memory.withLock { $0.keep(token, as: text, at: moment.now) }
        return text
    }
}

extension StandIns {
    /// An ID Token (OpenID Connect Core §2).
    ///
    /// - Parameter accessToken: For `at_hash`.
    package func idToken(
        for grant: StandInGrant,
        accessToken: String? = nil,
        _ moment: Moment
    ) throws -> String {
        let kind = grant.kind
        let base = issuer(of: kind)
        var claims = StandInClaims(grant: grant, base: base).idToken
        claims["iss"] = .string(base)
        claims["aud"] = .string(grant.client.clientID)
        if let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
        if let accessToken {
            claims["at_hash"] = .string(SignatureAlgorithm.rs256.leftHalfHash(of: accessToken))
        }
        if kind == .openID {
            claims["sid"] = .string(grant.sessionID)
            claims["auth_time"] = NumericDate.value(grant.authTime)
        }
        if kind == .facebook { claims["jti"] = .string(moment.random.text(16)) }
        claims["iat"] = NumericDate.value(moment.now)
        // Apple's live a day, the others' an hour.
        claims["exp"] = NumericDate.value(moment.now + (kind == .apple ? 86_400 : 3600))
        return try key(of: kind).sign(claims: claims, type: .jwt)
    }
}

/// A stand-in's claims about a person, in the form of the real provider.
struct StandInClaims {
    let grant: StandInGrant
    let base: String

    /// The claims of an ID Token, without those about time and the request.
    var idToken: JSONObject {
        switch grant.kind {
        case .google:
            var claims: JSONObject = ["azp": .string(grant.client.clientID)]
            merge(profile, into: &claims)
            return claims
        case .apple: return apple
        case .facebook, .openID: return profile
        }
    }

    /// The claims of UserInfo (OpenID Connect Core §5.1), as far as requested.
    var profile: JSONObject {
        let person = grant.person
        var claims: JSONObject = ["sub": .string(grant.subject)]
        if let email = grant.email {
            claims["email"] = .string(email)
            // Facebook verifies no address (PRV-F-6).
            if grant.kind != .facebook {
                claims["email_verified"] = .bool(person.isEmailVerified)
            }
        }
        if grant.kind == .google, let domain = person.hostedDomain {
            claims["hd"] = .string(domain)
        }
        if showsName, !person.name.isEmpty {
            claims["name"] = .string(person.name)
            claims["given_name"] = .string(person.givenName)
            claims["family_name"] = .string(person.familyName)
            if grant.kind != .openID { claims["picture"] = .string("\(base)/picture/\(person.id)") }
        }
        return claims
    }

    /// Apple writes flags as texts; the name is never in the token (PRV-A-5, A-7).
    private var apple: JSONObject {
        var claims: JSONObject = [
            "sub": .string(grant.subject), "nonce_supported": true,
            "auth_time": NumericDate.value(grant.authTime),
        ]
        guard let email = grant.email else { return claims }
        claims["email"] = .string(email)
        claims["email_verified"] = grant.person.isEmailVerified ? "true" : "false"
        if grant.hidesEmail { claims["is_private_email"] = "true" }
        return claims
    }

    private var showsName: Bool {
        switch grant.kind {
        case .facebook: true
        case .google, .apple, .openID: grant.scopes.contains("profile")
        }
    }

    private func merge(_ other: JSONObject, into claims: inout JSONObject) {
        for (name, value) in other { claims[name] = value }
    }
}
