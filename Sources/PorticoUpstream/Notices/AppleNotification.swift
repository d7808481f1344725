import Portico
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// Apple's notification to a server about one of its users (PRV-A-20).
package struct AppleNotification: Hashable, Sendable {
    package let kind: Kind
    package let subject: String
    /// The relay's address, if the event is about it.
    package let email: String?
    /// `jti`: accepted once.
    package let tokenID: String
    /// `iat`. Seconds since 1970.
    package let issuedAt: Int64
    /// Seconds since 1970. The notification is not accepted after that in any case.
    package let expiresAt: Int64

    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The relay no longer forwards mail.
        case emailDisabled = "email-disabled"
        case emailEnabled = "email-enabled"
        /// The person stopped using Apple for this app: its sessions are over.
        case consentRevoked = "consent-revoked"
        /// The person deleted their Apple Account.
        case accountDeleted = "account-delete"
    }

    package enum Refusal: Error, Hashable, Sendable {
        /// Not a token that Apple signed for us.
        case forged
        case malformed
        /// Verified, but of an unknown kind.
        case unknownEvent
        /// Apple's keys cannot be fetched now, or the provider is not Apple.
        case unavailable
    }

    /// Apple retries delivery for a while.
    private static let life: TimeInterval = 24 * 3600

    init(_ claims: JSONObject, expecting expected: IDTokenExpectation, at now: Date)
        throws(Refusal)
    {
        let audience = claims.string("aud").map { [$0] } ?? claims.strings("aud") ?? []
        guard let issuer = claims.string("iss"), expected.isIssuer(issuer),
            audience.contains(where: { name in
                sameBytes(name, expected.clientID)
                    || expected.trustedAudiences.contains { sameBytes($0, name) }
            })
        else { throw .forged }
        guard let issuedAt = claims["iat"].flatMap(NumericDate.date),
            now.timeIntervalSince(issuedAt) >= -expected.leeway,
            now.timeIntervalSince(issuedAt) <= Self.life
        else { throw .forged }
        guard let tokenID = claims.string("jti"), (1...255).contains(tokenID.utf8.count) else {
            throw .malformed
        }
        let event = try Self.event(claims["events"])
        guard let subject = event.string("sub"), (1...255).contains(subject.utf8.count),
            let name = event.string("type")
        else { throw .malformed }
        guard let kind = Kind(wire: sameBytes(name, "account-deleted") ? "account-delete" : name)
        else {
            throw .unknownEvent
        }
        self.kind = kind
        self.subject = subject
        self.tokenID = tokenID
        self.issuedAt = NumericDate.seconds(issuedAt)
        email = event.string("email").flatMap { $0.utf8.count <= 254 ? $0 : nil }
        expiresAt = NumericDate.seconds(issuedAt.addingTimeInterval(Self.life + expected.leeway))
    }

    /// JSON in a text, as Apple writes it.
    private static func event(_ value: JSONValue?) throws(Refusal) -> JSONObject {
        if let object = value?.object { return object }
        do {
            return try JSONObject(parsing: Array((value?.string ?? "").utf8))
        } catch {
            throw .malformed
        }
    }
}

extension UpstreamClient {
    /// Verifies the `payload` of a server-to-server notification. The caller must ensure that it is
    /// processed once, with ``AppleNotification/tokenID``.
    ///
    /// - Parameter audiences: The IDs of apps, in addition to the provider's own.
    package func verifyNotification(_ payload: String, audiences: [String] = [])
        async throws(AppleNotification.Refusal) -> AppleNotification
    {
        guard provider.kind == .apple else { throw .unavailable }
        let signed: VerifiedJWT
        do {
            signed = try await IDTokenVerifier(provider: remote, now: http.now)
                .signature(of: SecretText(payload))
        } catch {
            guard case .rejected = error.kind else { throw .unavailable }
            throw .forged
        }
        var expected = IDTokenExpectation(
            issuer: provider.issuer,
            clientID: provider.clientID,
            nonce: .unchecked
        )
        expected.otherIssuerNames = provider.profile.otherIssuerNames
        expected.trustedAudiences = Set(audiences)
        return try AppleNotification(signed.claims, expecting: expected, at: http.now())
    }
}
