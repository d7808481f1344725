package import Portico
package import PorticoBytes
import PorticoProtocol
package import PorticoSystem

/// The tokens that an app got from its system's sign-in and passes to its server (PRV-N-1).
package struct NativeToken: Sendable {
    /// An identity token, as from Sign in with Apple, Google and Limited Login.
    package var idToken: String?
    /// Facebook's classic login gives only this; no other provider's is accepted (PRV-N-3).
    package var accessToken: SecretText?
    /// As we issued it; the caller must check that it is ours and unused.
    package var nonce: SecretText?
    /// From Apple, for a refresh token (PRV-A-18).
    package var authorizationCode: SecretText?
    /// Apple's `user`, which is sent only once.
    package var user: String?

    package init(
        idToken: String? = nil,
        accessToken: SecretText? = nil,
        nonce: SecretText? = nil,
        authorizationCode: SecretText? = nil,
        user: String? = nil
    ) {
        self.idToken = idToken
        self.accessToken = accessToken
        self.nonce = nonce
        self.authorizationCode = authorizationCode
        self.user = user
    }
}

extension UpstreamClient {
    /// Verifies the tokens from an app (PRV-G-12, PRV-A-17, PRV-F-4, PRV-F-10).
    ///
    /// The caller must ensure that a token is accepted once, with ``ProvenPerson/tokenHash``; it is
    /// at most ten minutes old (PRV-N-2).
    ///
    /// - Parameter audiences: The client IDs of the app at this provider. If empty, every token is
    ///   refused: a token for the web was not issued to an app.
    package func verifyNative(
        _ token: NativeToken,
        audiences: [String],
        at now: Date
    ) async throws(SignInError) -> ProvenPerson {
        do throws(SignInError) {
            guard !audiences.isEmpty else { throw SignInError(.rejected(.audience)) }
            guard let text = token.idToken else {
                guard let accessToken = token.accessToken else {
                    throw SignInError(.rejected(.idTokenMissing))
                }
                return try await person(debugging: accessToken, at: now)
            }
            let nonce = try expectedNonce(token.nonce)
            return try await person(presenting: text, token, nonce, audiences, at: now)
        } catch {
            note(error)
            throw error
        }
    }

    /// Verifies an identity token that the provider's script posts from one of our pages
    /// (PRV-G-13): it was made for our own client ID, but not for a request of ours, so it has no
    /// nonce.
    package func verifyCredential(_ credential: String, at now: Date) async throws(SignInError)
        -> ProvenPerson
    {
        do throws(SignInError) {
            return try await person(
                presenting: credential,
                NativeToken(idToken: credential),
                .absentOr(nil),
                [provider.clientID],
                at: now
            )
        } catch {
            note(error)
            throw error
        }
    }

    private func person(
        presenting text: String,
        _ token: NativeToken,
        _ nonce: IDTokenExpectation.Nonce,
        _ audiences: [String],
        at now: Date
    ) async throws(SignInError) -> ProvenPerson {
        let clientID = Self.audience(of: text, among: audiences)
        var expected = IDTokenExpectation(issuer: provider.issuer, clientID: clientID, nonce: nonce)
        expected.otherIssuerNames = provider.profile.otherIssuerNames
        expected.trustedAudiences = provider.trustedAudiences
        // Another of the app's client IDs may have requested it: `azp` is the platform's, `aud` the
        // server's (PRV-G-3).
        expected.trustedParties = Set(audiences)
        let verified = try await IDTokenVerifier(provider: nativeRemote, now: { now })
            .verify(SecretText(text), meeting: expected, serverDate: nil, isDirect: false)
        let claims = verified.claims
        try provider.checkHostedDomain(claims.json)
        if let code = token.authorizationCode {
            try claims.check(code, text)
        }
        var person = ProvenPerson(claims.json, subject: claims.subject, of: provider)
        person.tokenHash = Self.hash(of: text)
        if provider.emailTrust == .apple {
            if person.name == nil { person.name = AppleUser(token.user)?.name }
            if let code = token.authorizationCode {
                try await redeemNative(code, as: clientID, for: &person)
            }
        }
        return person
    }

    /// Every platform's sign-in supports a nonce, so it is required: a token that was not made for
    /// one of our requests is refused.
    private func expectedNonce(_ nonce: SecretText?) throws(SignInError)
        -> IDTokenExpectation.Nonce
    {
        guard let nonce else { throw SignInError(.rejected(.nonce)) }
        switch provider.nativeNonce {
        case .plain: return .equal(nonce)
        case .hashed:
            let hash = Hash256(of: nonce.reveal())
            return .equalWhereSupported(SecretText(Hexadecimal.text(hash.bytes)))
        }
    }

    /// The app's client ID that the token names, to be checked with it; if none matches, the check
    /// fails.
    private static func audience(of text: String, among audiences: [String]) -> String {
        // `try?`: the check reports a token that cannot be parsed.
        let claims = try? JWT(parsing: text, limit: 64 * 1024).uncheckedClaims()
        let named = claims?.string("aud").map { [$0] } ?? claims?.strings("aud") ?? []
        return audiences.first { one in named.contains { sameBytes($0, one) } } ?? ""
    }

    /// The hash of the signed part: some algorithms have several encodings of a signature.
    private static func hash(of text: String) -> Hash256 {
        let end = text.utf8.lastIndex(of: UInt8(ascii: ".")) ?? text.utf8.endIndex
        return Hash256(of: Array(text.utf8[..<end]))
    }

    /// Redeems as the app that got the code, without a redirect URI (PRV-A-12). A failure ends the
    /// sign-in: the code then belongs to another token.
    private func redeemNative(
        _ code: SecretText,
        as clientID: String,
        for person: inout ProvenPerson
    ) async throws(SignInError) {
        let endpoint = try await tokenEndpoint(for: clientID)
        let tokens: TokenResponse
        do {
            tokens = try await endpoint.redeemNative(code).tokens
        } catch {
            throw error.signInError
        }
        person.take(tokens, receivedAt: http.now())
        person.refreshToken = tokens.refreshToken.map {
            ForeignToken($0, of: clientID, boundTo: nil).written(for: provider)
        }
    }

    /// Identifies the person by an access token, which no other provider allows (PRV-F-4, PRV-N-3).
    private func person(debugging token: SecretText, at now: Date) async throws(SignInError)
        -> ProvenPerson
    {
        guard provider.graph != nil else { throw SignInError(.rejected(.nativeToken)) }
        let graph = try graphAPI()
        let owner = try await graph.owner(of: token, at: now)
        let claims = try await graph.profile(with: token)
        guard let id = claims.string("sub"), sameBytes(id, owner.id) else {
            throw SignInError(.rejected(.subject))
        }
        var person = try person(profiledBy: claims)
        person.tokenHash = Hash256(of: token.reveal())
        person.tokenExpiresAt = owner.until ?? .max
        return person
    }
}

extension IDTokenClaims {
    /// If the token has a hash of its code, this code must match (OpenID Connect Core §3.3.2.10;
    /// PRV-A-14).
    fileprivate func check(_ code: SecretText, _ text: String) throws(SignInError) {
        guard let claim = json.present("c_hash") else { return }
        // `try?`: it was parsed before.
        let algorithm = (try? JWT(parsing: text, limit: 64 * 1024))?.header.algorithm ?? .rs256
        guard let hash = claim.string,
            ConstantTime.equal(hash, algorithm.leftHalfHash(of: code.reveal()))
        else { throw SignInError(.rejected(.codeHash)) }
    }
}
