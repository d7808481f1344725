package import HTTPTypes
package import PorticoBytes
import PorticoPages
import PorticoSeals
package import PorticoStores
import PorticoUpstream
import PorticoWeb

/// A proven but unknown person, who must decide before an account is made or joined
/// (docs/decisions/0030). Kept, sealed, in their browser for ten minutes.
package struct PendingIdentity: Sendable {
    /// The attempt that proved it, spent when the answer is accepted.
    let attemptID: UniqueID
    let signInReturn: SignInReturn
    let identity: Identity
    let name: String?
    let picture: String?
    let providerSessionID: String?
    /// `auth_time`, if the provider returned it at the sign-in.
    let provenAt: Int64?
    /// The accounts with the same address.
    let matches: [AccountMatch]
    /// When it was proven: seconds since 1970.
    let askedAt: Int64

    package init(
        _ subject: SignInCompletion.Subject,
        _ attemptID: UniqueID,
        _ signInReturn: SignInReturn,
        _ matches: [AccountMatch],
        at now: Int64
    ) {
        askedAt = now
        self.attemptID = attemptID
        self.signInReturn = signInReturn
        identity = subject.identity
        name = subject.name
        picture = subject.picture
        providerSessionID = subject.providerSessionID
        provenAt = subject.provenAt
        self.matches = matches
    }

    /// What the person's decision spends: once, and only if the callback has asked the question
    /// about this very identity. So the key ring alone cannot make a valid decision.
    func claim(at now: Int64) -> SpentOnce {
        SpentOnce(
            hash: Hash256(of: Array("pending ".utf8) + attemptID.bytes),
            expiresAt: now + Self.life,
            after: Self.question(attemptID, identity, at: now).hash
        )
    }

    /// What a callback spends when it asks.
    package static func question(_ attemptID: UniqueID, _ identity: Identity, at now: Int64)
        -> SpentOnce
    {
        var writer = ByteWriter()
        writer.fixed(attemptID.bytes)
        writer.text(identity.issuer ?? "")
        writer.text(identity.subject)
        writer.text(identity.provider)
        writer.optionalText(identity.email?.address)
        writer.byte(identity.email?.verification.rawValue ?? 0)
        return SpentOnce(
            hash: Hash256(of: Array("question ".utf8) + writer.bytes),
            expiresAt: now + life
        )
    }

    /// Longer than the cookie's, in seconds.
    private static let life: Int64 = 1200
}

extension PendingIdentity {
    /// Whose it is, as far as a person at this browser is shown: by the provider's name for them, and the
    /// address, mostly hidden. `nil` where the provider says neither.
    var shown: String? {
        let address = (identity.email?.address).map { EmailCodePage.masked($0) }
        guard let name, !name.isEmpty else { return address }
        return address.map { "\(name) (\($0))" } ?? name
    }

    var subject: SignInCompletion.Subject {
        SignInCompletion.Subject(
            identity: identity,
            name: name,
            picture: picture,
            providerSessionID: providerSessionID,
            provenAt: provenAt
        )
    }

    /// The account that the mailbox proves: the one with the strongest claim to the address, and of
    /// several the oldest.
    var claimable: AccountMatch? {
        matches.first { match in !matches.contains { $0.verification > match.verification } }
    }
}

extension SpentOnce {
    /// The use of an attempt at its callback.
    package static func attempt(_ id: UniqueID, at now: Int64) -> SpentOnce {
        SpentOnce(
            hash: Hash256(of: Array("attempt ".utf8) + id.bytes),
            expiresAt: now + Int64(AttemptCookies.lifetime) * 2
        )
    }
}

/// The cookie that holds a ``PendingIdentity``.
package struct PendingCookie: Sendable {
    private let policy: CookiePolicy
    private let directory: ProviderDirectory
    private let seal: Seal

    /// In seconds.
    static let lifetime = 600
    private var name: CookieName { directory.place.pending }

    init(_ policy: CookiePolicy, ring: KeyRing, directory: ProviderDirectory) {
        self.policy = policy
        self.directory = directory
        seal = Seal(
            ring: ring,
            purpose: "pending identity",
            realm: directory.place.sealRealm
        )
    }

    /// - Throws: `tooLong` if the provider's data exceeds a cookie, even without its token and picture.
    package func set(_ pending: PendingIdentity, at moment: Moment) throws -> HTTPField {
        do {
            return try policy.set(
                name,
                to: seal.seal(
                    pending.encoded(whole: true),
                    at: moment.now,
                    random: moment.random
                ),
                for: Self.lifetime
            )
        } catch CookiePolicy.Refusal.tooLong {
            // A token that only a later revocation needs, and a picture, are less important than the sign-in.
            return try policy.set(
                name,
                to: seal.seal(
                    pending.encoded(whole: false),
                    at: moment.now,
                    random: moment.random
                ),
                for: Self.lifetime
            )
        }
    }

    /// - Throws: `invalid_app` and `not_found` where it could not begin today, or the provider of that
    ///   name is another by now.
    func pending(_ headers: HTTPFields, at moment: Moment) throws(ServiceError) -> PendingIdentity?
    {
        guard let text = policy.value(of: name, in: headers),
            // `try?`: a text that does not open is ignored.
            let bytes = try? seal.open(text, at: moment.now, within: Double(Self.lifetime))
        else { return nil }
        do {
            return try PendingIdentity(encoded: bytes, by: directory)
        } catch let refusal as ServiceError {
            throw refusal
        } catch {
            // Only another version of the program writes other fields.
            return nil
        }
    }

    var remove: HTTPField { policy.remove(name) }
}

extension PendingIdentity {
    private static let version: UInt8 = 5

    fileprivate func encoded(whole: Bool) -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(Self.version)
        writer.fixed(attemptID.bytes)
        writer.sized(signInReturn.encoded)
        writer.text(identity.issuer ?? "")
        writer.text(identity.subject)
        writer.text(identity.provider)
        writer.optionalText(identity.email?.address)
        writer.byte(identity.email?.verification.rawValue ?? 0)
        writer.byte(identity.email?.isRelay == true ? 1 : 0)
        writer.optionalText(whole ? identity.sealedToken : nil)
        writer.optionalText(name)
        writer.optionalText(picture.flatMap { whole && $0.utf8.count <= 500 ? $0 : nil })
        writer.optionalText(providerSessionID)
        writer.integer(provenAt ?? -1)
        writer.integer(askedAt)
        writer.byte(UInt8(clamping: matches.count))
        for match in matches.prefix(255) {
            writer.text(match.personID)
            writer.byte(match.verification.rawValue)
            writer.text(match.providers.joined(separator: " "))
            writer.byte(match.hasPassword ? 1 : 0)
        }
        return writer.bytes
    }

    /// - Throws: ``ServiceError`` where today's register does not have what it is for.
    fileprivate init(encoded: [UInt8], by directory: ProviderDirectory) throws {
        var reader = ByteReader(encoded)
        guard try reader.byte() == Self.version,
            let attemptID = UniqueID(bytes: try reader.fixed(16))
        else { throw ByteReader.Malformed() }
        self.attemptID = attemptID
        signInReturn = try SealedReturn(encoded: try reader.sized()).judged(by: directory)
        let key = IdentityKey(issuer: try reader.text(), subject: try reader.text())
        let provider = try reader.text()
        let issuer = directory.provider(named: provider)?.client.provider.canonicalIssuer
        guard let issuer, sameBytes(issuer, key.issuer) else {
            throw ServiceError(.notFound, "The sign-in was at a provider that is gone.")
        }
        let address = try reader.optionalText()
        let verification = try EmailVerification(from: &reader)
        let isRelay = try reader.byte() == 1
        identity = Identity(
            key: key,
            provider: provider,
            email: address.map {
                Mailbox(address: $0, verification: verification, isRelay: isRelay)
            },
            linkedAt: 0,
            lastUsedAt: 0,
            sealedToken: try reader.optionalText()
        )
        name = try reader.optionalText()
        picture = try reader.optionalText()
        providerSessionID = try reader.optionalText()
        let provenAt = try reader.integer()
        self.provenAt = provenAt < 0 ? nil : provenAt
        askedAt = try reader.integer()
        var matches: [AccountMatch] = []
        for _ in 0..<(try reader.byte()) {
            matches.append(
                AccountMatch(
                    personID: try reader.text(),
                    verification: try EmailVerification(from: &reader),
                    providers: try reader.text().split(separator: " ").map(String.init),
                    hasPassword: try reader.byte() == 1
                )
            )
        }
        self.matches = matches
        try reader.end()
    }
}

extension EmailVerification {
    fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        let byte = try reader.byte()
        guard let verification = Self.allCases.first(where: { $0.rawValue == byte }) else {
            throw ByteReader.Malformed()
        }
        self = verification
    }
}
