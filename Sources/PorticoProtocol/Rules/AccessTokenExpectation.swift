import PorticoBytes
package import PorticoSystem

/// The requirements for an access token at one resource server (RFC 9068 §4).
package struct AccessTokenExpectation: Sendable {
    package var issuer: Issuer
    /// The required audience: this resource server.
    package var audience: String
    /// The allowed `typ` header: `at+jwt` (RFC 9068 §2.1). `JWT` is not specific, so the claim
    /// `typ` must then be `Bearer`, or `DPoP` of a bound token, as in Keycloak's.
    package var types: Set<JWTType> = [.accessToken]
    /// The allowed difference between the two clocks, in seconds.
    package var leeway: TimeInterval = 30

    package init(issuer: Issuer, audience: String) {
        self.issuer = issuer
        self.audience = audience
    }
}

/// The check that an access token failed.
package enum AccessTokenRefusal: Error, Hashable, Sendable {
    /// Another kind of token, such as an ID Token.
    case type
    case issuer
    case audience
    case subject
    case expired
    case notYetValid
    case scope
    /// Bound to a key that the request does not prove, or to none although it proves one (RFC 9449
    /// §7.1, §7.2, RFC 8705 §3).
    case bound
}

/// An access token that passed every check; only ``init(_:meeting:provenBy:at:)`` makes one.
package struct VerifiedAccessToken: Sendable {
    package let claims: JSONObject
    package let subject: String
    package let scope: Scope

    /// Checks in the order of RFC 9068 §4. A ``VerifiedJWT`` has its signature and algorithm
    /// checked already.
    ///
    /// - Parameter key: The key that the request proves to have (RFC 9449); `nil` where it proves
    ///   none.
    package init(
        _ jwt: VerifiedJWT,
        meeting expected: AccessTokenExpectation,
        provenBy key: JWKThumbprint? = nil,
        at now: Date
    ) throws(AccessTokenRefusal) {
        let claims = jwt.claims
        try expected.checkType(jwt, isBound: key != nil)
        // Exactly the issuer of the metadata.
        guard let issuer = claims.string("iss"), expected.issuer.isNamed(issuer) else {
            throw .issuer
        }
        try expected.checkAudience(claims)
        try expected.checkTimes(claims, at: now)
        guard let subject = claims.string("sub"), (1...1024).contains(subject.utf8.count) else {
            throw .subject
        }
        guard Self.isBound(claims.present("cnf"), to: key) else { throw .bound }
        self.claims = claims
        self.subject = subject
        scope = try Self.scope(claims.present("scope"))
    }

    /// A bound token is good with a proof of its key only: otherwise a stolen one would work for
    /// anyone. One that is not bound has nothing to be proven (RFC 9449 §7.1, §7.2). What else a
    /// token may be bound to is proven by none of this (RFC 8705 §3).
    private static func isBound(_ confirmation: JSONValue?, to key: JWKThumbprint?) -> Bool {
        guard let key else { return confirmation == nil }
        guard case .object(let members)? = confirmation, members.count == 1,
            let thumbprint = members.string("jkt")
        else { return false }
        return sameBytes(thumbprint, key.text)
    }

    /// What is no text allows nothing (RFC 8693 §4.2): a route that needs a scope refuses the token.
    private static func scope(_ value: JSONValue?) throws(AccessTokenRefusal) -> Scope {
        guard let text = value?.string else { return .none }
        do {
            return try Scope(text)
        } catch {
            throw .scope
        }
    }
}

extension AccessTokenExpectation {
    /// An ID Token is signed by the same key, and must not pass (RFC 9068 §5).
    fileprivate func checkType(_ jwt: VerifiedJWT, isBound: Bool) throws(AccessTokenRefusal) {
        guard types.contains(jwt.type) else { throw .type }
        switch jwt.type {
        case .accessToken: return
        case .jwt where jwt.claims.string("typ") == (isBound ? "DPoP" : "Bearer"): return
        default: throw .type
        }
    }

    /// RFC 9068 §4, RFC 7519 §4.1.3: one name, or a list with it.
    fileprivate func checkAudience(_ claims: JSONObject) throws(AccessTokenRefusal) {
        let names = claims.string("aud").map { [$0] } ?? claims.strings("aud") ?? []
        guard names.contains(where: { sameBytes($0, audience) }) else { throw .audience }
    }

    /// RFC 7519 §4.1.4, §4.1.5.
    fileprivate func checkTimes(_ claims: JSONObject, at now: Date) throws(AccessTokenRefusal) {
        let leeway = min(max(leeway, 0), 300)
        guard let expiry = claims["exp"].flatMap(NumericDate.date),
            now.timeIntervalSince(expiry) < leeway
        else { throw .expired }
        for name in ["nbf", "iat"] {
            guard let value = claims.present(name) else { continue }
            guard let start = NumericDate.date(value), start.timeIntervalSince(now) <= leeway
            else { throw .notYetValid }
        }
    }
}
