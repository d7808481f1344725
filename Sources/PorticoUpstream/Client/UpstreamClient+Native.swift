package import Foundation
package import Portico
package import PorticoBytes
import PorticoProtocol

/// What an app got from its system's own sign-in, and hands to its server (PRV-N-1).
package struct NativeToken: Sendable {
    /// An identity token, such as Sign in with Apple, Google and Limited Login give.
    package var idToken: String?
    /// Facebook's classic login gives only this; nobody else's is taken (PRV-N-3).
    package var accessToken: SecretText?
    /// As we issued it; that it is ours and unused is the caller's to know.
    package var nonce: SecretText?
    /// Apple's, for a refresh token (PRV-A-18).
    package var authorizationCode: SecretText?
    /// Apple's `user`, which comes once.
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
    /// Verifies what an app brought (PRV-G-12, PRV-A-17, PRV-F-4, PRV-F-10).
    ///
    /// That it is presented once is the caller's to keep, by ``ProvenPerson/tokenHash``; it is not
    /// older than ten minutes (PRV-N-2).
    ///
    /// - Parameter audiences: The client ids of the app at this provider. Without any nobody comes in:
    ///   a token for the web was given to no app.
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

    /// Verifies an identity token that the provider's script on a page of ours posts (PRV-G-13): it
    /// was made for our own client id, and for no request of ours, so that it has no nonce.
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
        var expected = IDTokenExpectation(
            issuer: provider.issuer,
            clientID: clientID,
            nonce: nonce
        )
        expected.otherIssuerNames = provider.profile.otherIssuerNames
        // Another of the app's ids may have asked for it: `azp` is the platform's, `aud` the
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

    /// Each of the platforms' sign-ins can carry a nonce, so that none is taken without: a token that
    /// was made for nobody's request here is not good here.
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

    /// The one of the app's client ids that the token names, to be checked with it; without one the
    /// check fails.
    private static func audience(of text: String, among audiences: [String]) -> String {
        // `try?`: what cannot be read is told by the check.
        let claims = try? JWT(parsing: text, limit: 64 * 1024).uncheckedClaims()
        let named = claims?.string("aud").map { [$0] } ?? claims?.strings("aud") ?? []
        return audiences.first { one in named.contains { sameBytes($0, one) } } ?? ""
    }

    /// Of what is signed: a signature can be written in more than one way, for some algorithms.
    private static func hash(of text: String) -> Hash256 {
        let end = text.utf8.lastIndex(of: UInt8(ascii: ".")) ?? text.utf8.endIndex
        return Hash256(of: Array(text.utf8[..<end]))
    }

    /// As the app that got it, without a redirect URI (PRV-A-12). That it fails fails the sign-in: a
    /// code of somebody else's came with this token.
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
            ForeignToken.written($0, clientID, of: provider)
        }
    }

    /// By an access token, which at no other provider proves who brings it (PRV-F-4, PRV-N-3).
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
    /// Where the token says which code came with it, it is this one (OpenID Connect Core
    /// §3.3.2.10; PRV-A-14).
    fileprivate func check(_ code: SecretText, _ text: String) throws(SignInError) {
        guard let claim = json["c_hash"] else { return }
        // `try?`: it was read before.
        let algorithm = (try? JWT(parsing: text, limit: 64 * 1024))?.header.algorithm ?? .rs256
        guard let hash = claim.string,
            ConstantTime.equal(hash, algorithm.leftHalfHash(of: code.reveal()))
        else { throw SignInError(.rejected(.codeHash)) }
    }
}
