import Portico
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// A verified logout token: the sessions that are over (OpenID Connect Back-Channel Logout §2.4).
package struct LogoutNotice: Hashable, Sendable {
    /// The issuer of account keys.
    package let issuer: String
    /// The person, with all of their sessions if there is no ``providerSessionID``.
    package let subject: String?
    /// `sid`.
    package let providerSessionID: String?
    /// `jti`: accepted once.
    package let tokenID: String
    /// Seconds since 1970. The token is not accepted after that in any case, leeway included.
    package let expiresAt: Int64
}

/// The check that a logout token failed (OpenID Connect Back-Channel Logout §2.6).
package enum LogoutTokenRefusal: Error, Hashable, Sendable {
    /// Not a signed token of an allowed type.
    case malformed
    case encrypted
    case algorithm
    /// No key of the issuer fits, or the signature is wrong.
    case signature
    case issuer
    case audience
    /// `sub` is there, and is no text.
    case subject
    /// `sid` is there, and is no text.
    case sessionID
    /// `iat` or `exp` is missing or not valid now.
    case time
    case nobody
    case events
    /// It may be an ID Token (§2.6, 6).
    case nonce
    case tokenID
    /// The issuer's keys cannot be fetched now. The token may still be valid.
    case unavailable
}

extension LogoutNotice {
    /// Checks in the order of OpenID Connect Back-Channel Logout §2.6; the signature and the
    /// algorithm were verified before.
    init(_ claims: JSONObject, expecting expected: IDTokenExpectation, at now: Date)
        throws(LogoutTokenRefusal)
    {
        guard let issuer = claims.string("iss"),
            expected.isIssuer(issuer) || expected.issuer.isNamed(byResponse: issuer)
        else { throw .issuer }
        let audience = claims.string("aud").map { [$0] } ?? claims.strings("aud") ?? []
        guard audience.contains(where: { sameBytes($0, expected.clientID) }) else {
            throw .audience
        }
        let end = try Self.end(claims, expected, now)
        subject = try Self.text("sub", claims, or: .subject)
        providerSessionID = try Self.text("sid", claims, or: .sessionID)
        guard subject != nil || providerSessionID != nil else { throw .nobody }
        // An object with this member, itself an object (§2.4).
        guard let events = claims.object("events"), events.object(Self.event) != nil else {
            throw .events
        }
        // So that an ID Token, which a person may obtain, does not end sessions.
        guard claims.present("nonce") == nil else { throw .nonce }
        guard let tokenID = claims.string("jti"), (1...255).contains(tokenID.utf8.count) else {
            throw .tokenID
        }
        // A tenant's people are known under its own name.
        self.issuer = expected.isIssuer(issuer) ? expected.issuer.text : issuer
        self.tokenID = tokenID
        self.expiresAt = NumericDate.seconds(end.addingTimeInterval(expected.leeway))
    }

    /// When the token expires, leeway aside: by its age, and before that by `exp` if it has one.
    ///
    /// `exp` is required only since the errata of December 2023 (§2.4), and many providers omit it.
    /// Refusing those tokens would leave people signed in whose session has ended.
    private static func end(
        _ claims: JSONObject,
        _ expected: IDTokenExpectation,
        _ now: Date
    ) throws(LogoutTokenRefusal) -> Date {
        let age = expected.maximumTokenAge ?? 600
        guard let issuedAt = claims["iat"].flatMap(NumericDate.date),
            now.timeIntervalSince(issuedAt) >= -expected.leeway,
            now.timeIntervalSince(issuedAt) <= age
        else { throw .time }
        let oldest = issuedAt.addingTimeInterval(age)
        guard let claim = claims.present("exp") else { return oldest }
        guard let expiresAt = NumericDate.date(claim),
            now.timeIntervalSince(expiresAt) < expected.leeway
        else { throw .time }
        return min(expiresAt, oldest)
    }

    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// `null` and an empty text count as absent: one of the two claims is enough (§2.4).
    private static func text(
        _ name: String,
        _ claims: JSONObject,
        or refusal: LogoutTokenRefusal
    ) throws(LogoutTokenRefusal) -> String? {
        guard let value = claims.present(name), value != "" else { return nil }
        guard let text = value.string, text.utf8.count <= 2048 else { throw refusal }
        return text
    }
}

extension UpstreamClient {
    /// Verifies a `logout_token` (OpenID Connect Back-Channel Logout §2.6). The caller must ensure
    /// that it is accepted once, with ``LogoutNotice/tokenID``.
    package func verifyLogoutToken(_ text: String) async throws(LogoutTokenRefusal)
        -> LogoutNotice
    {
        let signed: VerifiedJWT
        do throws(SignInError) {
            // With the issuer's keys, like an ID Token; of its own type or untyped.
            signed = try await IDTokenVerifier(provider: remote, now: http.now)
                .signature(of: SecretText(text), types: [.logoutToken, .jwt])
            guard try await logoutAlgorithms().contains(signed.key.algorithm) else {
                throw SignInError(.rejected(.algorithm))
            }
        } catch {
            throw LogoutTokenRefusal(error)
        }
        var expected = IDTokenExpectation(
            issuer: provider.issuer,
            clientID: provider.clientID,
            nonce: .unchecked
        )
        expected.otherIssuerNames = provider.profile.otherIssuerNames
        return try LogoutNotice(signed.claims, expecting: expected, at: http.now())
    }

    /// The algorithms that were configured for the provider's ID Tokens; otherwise that of its last one
    /// for us, and the default RS256, if the provider has that (OpenID Connect Back-Channel Logout
    /// §2.6).
    private func logoutAlgorithms() async throws(SignInError) -> Set<SignatureAlgorithm> {
        if let configured = provider.profile.algorithms { return configured }
        let announced = try await remote.metadata().allowedAlgorithms
        let usual: Set<SignatureAlgorithm> = announced.contains(.rs256) ? [.rs256] : announced
        let last = lastAlgorithm.withLock(\.self)
        return usual.union(last.map { [$0] } ?? [])
    }
}

extension LogoutTokenRefusal {
    fileprivate init(_ error: SignInError) {
        switch error.kind {
        case .rejected(.idTokenEncrypted): self = .encrypted
        case .rejected(.algorithm): self = .algorithm
        case .rejected(.signature), .rejected(.key): self = .signature
        case .rejected(.idTokenMalformed): self = .malformed
        default: self = .unavailable
        }
    }
}
