import PorticoBytes
import PorticoProtocol
import PorticoStores

/// An ID Token that the realm issued earlier, returned as a hint (OpenID Connect Core §3.1.2.1,
/// RP-Initiated Logout §2). An expired one is accepted.
struct IDTokenHint: Sendable, Equatable {
    let subject: String
    let sessionID: String?
    /// The client it was issued to.
    let clientID: String
    /// `ds_hash` (OpenID Connect Native SSO §3.4.1).
    let deviceSecretHash: String?

    /// - Parameters:
    ///   - isCarried: Whether the text may be that of ``carried``: it comes out of a seal.
    ///   - now: Seconds since 1970.
    /// - Returns: `nil` if the text is not an ID Token that this realm signed with a key that it
    ///   still publishes.
    init?(_ text: String, of realm: LiveRealm, isCarried: Bool = false, at now: Int64) {
        if isCarried, let hint = Self(carried: text) {
            self = hint
            return
        }
        let published = realm.keys.published(at: now)
        // `try?`: whatever is wrong, the hint is not ours.
        guard let jwt = try? JWT(parsing: text),
            let claims = try? jwt.verified(
                by: published.verificationKeys,
                allowing: Set(published.algorithms),
                types: [.jwt]
            ).claims,
            let issuer = claims.string("iss"), realm.isIssuer(issuer, at: now),
            claims.string("typ") == TokenClaims.idTokenKind,
            let subject = claims.string("sub"),
            // Several audiences have one authorized party (OpenID Connect Core §2).
            let clientID = claims.string("aud") ?? claims.string("azp")
        else { return nil }
        self.subject = subject
        self.clientID = clientID
        sessionID = claims.string("sid")
        deviceSecretHash = claims.string("ds_hash")
    }
}

extension IDTokenHint {
    /// No token begins so: it has three parts, in base64url.
    private static let mark = "read:"

    /// What the token said, for a request that we seal ourselves (``AuthorizationFlow``).
    var carried: String {
        var writer = ByteWriter()
        writer.text(subject)
        writer.text(clientID)
        writer.optionalText(sessionID)
        writer.optionalText(deviceSecretHash)
        return Self.mark + Base64URL.encode(writer.bytes)
    }

    private init?(carried text: String) {
        guard let sealed = text.dropping(Self.mark).flatMap({ Base64URL.decode($0.utf8) }) else {
            return nil
        }
        var reader = ByteReader(sealed)
        do {
            subject = try reader.text()
            clientID = try reader.text()
            sessionID = try reader.optionalText()
            deviceSecretHash = try reader.optionalText()
            try reader.end()
        } catch {
            return nil
        }
    }
}
