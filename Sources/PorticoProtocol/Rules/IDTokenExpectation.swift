package import PorticoBytes
package import PorticoSystem

/// The requirements for the ID Token that answers a certain request (OpenID Connect Core §3.1.3.7,
/// §12.2).
package struct IDTokenExpectation: Sendable {
    package var issuer: Issuer
    /// Other spellings of `iss` for the same issuer. No standard defines any; some providers have
    /// one.
    package var otherIssuerNames: Set<String> = []
    package var clientID: String
    /// Other audiences allowed in addition to the client; any further one is refused.
    package var trustedAudiences: Set<String> = []
    /// Other clients that the token may have been issued to, for this one: an app's client ID when
    /// its server is the audience.
    package var trustedParties: Set<String> = []
    package var nonce: Nonce
    /// The `max_age` of the request, in seconds.
    package var maxAge: Int64?
    /// The allowed values of `acr`; empty for any value.
    package var acr: [String] = []
    /// The access token of the same answer.
    package var accessToken: SecretText?
    /// The allowed difference between the two clocks, in seconds; at most five minutes.
    package var leeway: TimeInterval = 60
    /// The maximum age of the token; `nil` if it need not be fresh.
    package var maximumTokenAge: TimeInterval? = 600
    /// The token of the sign-in that a refreshed one continues (§12.2).
    package var original: IDTokenClaims?

    package enum Nonce: Sendable {
        /// The nonce of the request, present and equal (§3.1.3.7, 11).
        case equal(SecretText)
        /// The same, unless the token has `nonce_supported: false`, as Apple's from old systems do.
        case equalWhereSupported(SecretText)
        /// On refresh: absent, or that of the sign-in; if the sign-in had none, absent (§12.2).
        case absentOr(String?)
        /// Another program made the request, as for an adopted session.
        case unchecked
    }

    package init(issuer: Issuer, clientID: String, nonce: Nonce) {
        self.issuer = issuer
        self.clientID = clientID
        self.nonce = nonce
    }
}

/// An ID Token that passed every check; only ``init(_:meeting:at:)`` makes one.
package struct VerifiedIDToken: Sendable, Hashable {
    package let claims: IDTokenClaims
    /// What it was signed with.
    package let algorithm: SignatureAlgorithm

    /// Checks in the order of OpenID Connect Core §3.1.3.7, but the times (9, 10) last: a token that
    /// is refused for them is the right person's. A ``VerifiedJWT`` has its signature and algorithm
    /// (6, 7, 8) checked already.
    package init(_ jwt: VerifiedJWT, meeting expected: IDTokenExpectation, at now: Date)
        throws(IDTokenRefusal)
    {
        let claims = try IDTokenClaims(jwt.claims)
        // (2): exactly the issuer of the metadata.
        guard expected.isIssuer(claims.issuer) || expected.issuer.issued(claims) else {
            throw .issuer
        }
        try expected.checkAudience(claims)
        try expected.checkNonce(claims)
        try expected.checkAuthentication(claims, at: now)
        // §3.1.3.8, with the hash of the token's own algorithm.
        if let accessToken = expected.accessToken,
            let hash = try claims.text("at_hash", or: .accessTokenHash)
        {
            let own = jwt.key.algorithm.leftHalfHash(of: accessToken.reveal())
            guard ConstantTime.equal(hash, own) else { throw .accessTokenHash }
        }
        if let original = expected.original { try claims.checkContinues(original) }
        try expected.checkTimes(claims, at: now)
        self.claims = claims
        algorithm = jwt.key.algorithm
    }
}

extension IDTokenExpectation {
    package func isIssuer(_ name: String) -> Bool {
        issuer.isNamed(name) || otherIssuerNames.contains { sameBytes($0, name) }
    }

    private func isParty(_ name: String) -> Bool {
        sameBytes(name, clientID) || trustedParties.contains { sameBytes($0, name) }
    }

    /// OpenID Connect Core §3.1.3.7 (3), (4), (5).
    fileprivate func checkAudience(_ claims: IDTokenClaims) throws(IDTokenRefusal) {
        guard claims.audience.contains(where: { sameBytes($0, clientID) }) else { throw .audience }
        guard
            claims.audience.allSatisfy({ name in
                sameBytes(name, clientID) || trustedAudiences.contains { sameBytes($0, name) }
            })
        else { throw .audience }
        if let party = try claims.text("azp", or: .authorizedParty) {
            guard isParty(party) else { throw .authorizedParty }
        } else if claims.audience.count > 1 {
            throw .authorizedParty
        }
    }

    /// OpenID Connect Core §3.1.3.7 (9), (10), RFC 7519 §4.1.5.
    fileprivate func checkTimes(_ claims: IDTokenClaims, at now: Date) throws(IDTokenRefusal) {
        let leeway = min(max(leeway, 0), 300)
        guard now.timeIntervalSince(claims.expiresAt) < leeway else { throw .expired }
        let age = now.timeIntervalSince(claims.issuedAt)
        guard age >= -leeway else { throw .issuedAtAnotherTime }
        if let maximumTokenAge, age > maximumTokenAge { throw .issuedAtAnotherTime }
        if let notBefore = try claims.date("nbf", or: .notBefore),
            notBefore.timeIntervalSince(now) > leeway
        {
            throw .notYetValid
        }
    }

    /// OpenID Connect Core §3.1.3.7 (11), §12.2.
    fileprivate func checkNonce(_ claims: IDTokenClaims) throws(IDTokenRefusal) {
        switch nonce {
        case .equal(let nonce):
            guard let claim = claims.nonce, nonce == SecretText(claim) else { throw .nonce }
        case .equalWhereSupported(let nonce):
            guard let claim = try claims.text("nonce", or: .nonce) else {
                guard claims.json["nonce_supported"] == false else { throw .nonce }
                return
            }
            guard SecretText(claim) == nonce else { throw .nonce }
        case .absentOr(let nonce):
            // An empty one is what some programs write for none.
            guard let claim = try claims.text("nonce", or: .nonce), !claim.isEmpty else { return }
            guard let nonce, ConstantTime.equal(claim, nonce) else { throw .nonce }
        case .unchecked: break
        }
    }

    /// OpenID Connect Core §3.1.3.7 (12), (13).
    fileprivate func checkAuthentication(_ claims: IDTokenClaims, at now: Date)
        throws(IDTokenRefusal)
    {
        if !acr.isEmpty {
            guard let claim = claims.json.string("acr"),
                acr.contains(where: { sameBytes($0, claim) })
            else {
                throw .acr
            }
        }
        guard let maxAge else { return }
        let leeway = min(max(leeway, 0), 300)
        guard let authTime = claims.authTime else { throw .authTime }
        let age = now.timeIntervalSince(authTime)
        guard age >= -leeway, age <= Double(maxAge) + leeway else { throw .authTime }
    }
}

extension IDTokenClaims {
    /// OpenID Connect Core §12.2: the same person's same sign-in at the same issuer.
    fileprivate func checkContinues(_ original: IDTokenClaims) throws(IDTokenRefusal) {
        guard sameBytes(issuer, original.issuer) else { throw .issuer }
        guard sameBytes(subject, original.subject) else { throw .subject }
        guard
            original.audience.allSatisfy({ name in
                audience.contains { sameBytes($0, name) }
            })
        else { throw .audience }
        if let first = original.authTime, let authTime = try date("auth_time", or: .authTime),
            authTime != first
        {
            throw .authTime
        }
        // A claim that was absent must stay absent.
        switch (try text("azp", or: .authorizedParty), original.json.string("azp")) {
        case (nil, nil): break
        case (let party?, let first?) where sameBytes(party, first): break
        default: throw .authorizedParty
        }
        guard issuedAt >= original.issuedAt else { throw .issuedBeforeSignIn }
    }
}
