import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// The stand-ins' state while they run; nothing is stored.
struct StandInMemory: Sendable {
    var clients: [StandInKind: [StandInClient]] = [:]
    var people: [StandInKind: [StandInPerson]] = [:]
    private var keys: [StandInKind: SigningKey]
    private var codes: [String: StandInCode] = [:]
    private var tokens: [String: StandInToken] = [:]
    /// Who has consented; whether with a relay address.
    private var consents: [Consent: Bool] = [:]

    init(keys: [StandInKind: SigningKey]) {
        self.keys = keys
    }

    private struct Consent: Hashable {
        let kind: StandInKind
        let group: String
        let personID: String
    }

    /// The result of presenting a code.
    enum Redemption {
        case redeemed(StandInCode)
        case unknown
        case expired
        /// Used before, by any client.
        case spent
    }
}

extension StandInMemory {
    func client(_ clientID: String?, at kind: StandInKind) -> StandInClient? {
        guard let clientID else { return nil }
        return clients[kind]?.first { sameBytes($0.clientID, clientID) }
    }

    /// Made on the first request: an RSA key takes some time.
    mutating func key(of kind: StandInKind, random: RandomSource) throws(JWKError) -> SigningKey {
        if let known = keys[kind] { return known }
        let key = try SigningKey(generating: .rs256, random: random)
        keys[kind] = key
        return key
    }
}

extension StandInMemory {
    /// Whether the person consents to this application's group for the first time.
    ///
    /// The choice about the address made then is kept (Sign in with Apple).
    mutating func consent(
        of person: StandInPerson,
        to client: StandInClient,
        at kind: StandInKind,
        hidingEmail: Bool
    ) -> (isFirst: Bool, hidesEmail: Bool) {
        let consent = Consent(kind: kind, group: client.group, personID: person.id)
        if let hides = consents[consent] { return (false, hides) }
        consents[consent] = hidingEmail
        return (true, hidingEmail)
    }

    /// The person will be asked again, and every token ends (RFC 7009 §2.1).
    mutating func withdraw(_ grant: StandInGrant) {
        let consent = Consent(
            kind: grant.kind,
            group: grant.client.group,
            personID: grant.person.id
        )
        consents[consent] = nil
        for (text, token) in tokens
        where token.grant.kind == grant.kind && token.grant.person.id == grant.person.id
            && token.grant.client.group == grant.client.group
        {
            tokens[text]?.isRevoked = true
        }
    }
}

extension StandInMemory {
    mutating func keep(_ code: StandInCode, as text: String, at now: Date) {
        if codes.count > 1000 {
            codes = codes.filter { $0.value.expiresAt > now }
        }
        codes[text] = code
    }

    /// A code is spent by the first known client that presents it, whether correctly or not.
    mutating func redeem(_ text: String, at now: Date) -> Redemption {
        guard let code = codes[text] else { return .unknown }
        guard !code.isSpent else { return .spent }
        codes[text]?.isSpent = true
        guard now < code.expiresAt else { return .expired }
        return .redeemed(code)
    }

    mutating func keep(_ token: StandInToken, as text: String, at now: Date) {
        if tokens.count > 1000 {
            tokens = tokens.filter { $0.value.expiresAt > now && !$0.value.isRevoked }
        }
        tokens[text] = token
    }

    /// A token of this stand-in, valid or not.
    func token(_ text: String?, at kind: StandInKind) -> StandInToken? {
        guard let text, let token = tokens[text], token.grant.kind == kind else { return nil }
        return token
    }
}

extension StandInToken {
    func isGood(at now: Date) -> Bool { !isRevoked && now < expiresAt }
}
