import Crypto
import PorticoBytes
package import PorticoProtocol
import PorticoSystem

/// A provider's notifications, and tokens for an app on a device. The stand-ins make them; the
/// caller delivers them, because the stand-ins send no requests.
extension StandIns {
    /// The person's id at a stand-in, for the application that was registered last.
    package func subject(of person: StandInPerson, at kind: StandInKind) -> String? {
        client(at: kind).map { StandInGrant.subject(of: person, for: $0, at: kind) }
    }

    /// An identity token as a native app gets it from the provider's SDK (PRV-G-12, PRV-A-16,
    /// PRV-F-9), with the faults set by ``configure(_:_:)``.
    ///
    /// - Parameters:
    ///   - audience: A platform's own client ID; the registered one if `nil`.
    ///   - nonce: As the app sends it: for Apple the SHA-256 of the raw one, in hexadecimal.
    ///   - changes: Claims to set, or to remove with `nil`.
    package func identityToken(
        of person: StandInPerson,
        at kind: StandInKind,
        audience: String? = nil,
        nonce: String?,
        changes: [String: JSONValue?] = [:]
    ) throws -> String? {
        guard let grant = nativeGrant(of: person, at: kind, nonce: nonce) else { return nil }
        var faults = faults(of: kind).idToken
        if let audience { faults.append(.claim("aud", .string(audience))) }
        for (name, value) in changes { faults.append(.claim(name, value)) }
        return try StandInTokenSigner(standIns: self, kind: kind, faults: faults)
            .idToken(for: grant, at: clock.moment().now)
    }

    /// The code issued with it, to be redeemed without a redirect URI (PRV-G-15, PRV-A-18).
    package func nativeCode(of person: StandInPerson, at kind: StandInKind) -> String? {
        guard let grant = nativeGrant(of: person, at: kind, nonce: nil) else { return nil }
        return newCode(
            for: grant,
            redirectURI: nil,
            challenge: nil,
            isOffline: true,
            clock.moment()
        )
    }

    /// An access token as a native app gets it from Facebook's SDK (PRV-F-4).
    ///
    /// - Parameter clientID: The app it is for; the one registered last if `nil`.
    package func nativeAccessToken(
        of person: StandInPerson,
        at kind: StandInKind,
        for clientID: String? = nil
    ) -> String? {
        guard let grant = nativeGrant(of: person, at: kind, for: clientID, nonce: nil) else {
            return nil
        }
        return newToken(for: grant, life: 5_184_000, clock.moment())
    }

    /// The events that Apple posts to an application's server (PRV-A-20).
    package enum AppleEvent: String, CaseIterable, Sendable {
        case emailDisabled = "email-disabled"
        case emailEnabled = "email-enabled"
        case consentRevoked = "consent-revoked"
        case accountDelete = "account-delete"
    }

    /// The JWT in `{"payload": …}` of a notification; its `events` is a text that is JSON.
    package func appleNotification(
        _ event: AppleEvent,
        about person: StandInPerson,
        changes: [String: JSONValue?] = [:]
    ) throws -> String? {
        guard let grant = nativeGrant(of: person, at: .apple, nonce: nil) else { return nil }
        let moment = clock.moment()
        var events: JSONObject = [
            "type": .string(event.rawValue), "sub": .string(grant.subject),
            "event_time": .integer(moment.seconds * 1000),
        ]
        if event == .emailDisabled || event == .emailEnabled, let email = grant.email {
            events["email"] = .string(email)
            events["is_private_email"] = .string(grant.hidesEmail ? "true" : "false")
        }
        return try notice(
            [
                "iss": .string(issuer(of: .apple)), "aud": .string(grant.client.clientID),
                "iat": .integer(moment.seconds), "jti": .string(moment.random.text(16)),
                "events": .string(String(decoding: events.serialized(), as: UTF8.self)),
            ],
            .jwt,
            at: .apple,
            changes
        )
    }

    /// `signed_request` of Facebook's deauthorize and data deletion callbacks (PRV-F-14).
    package func signedRequest(
        about person: StandInPerson,
        algorithm: String = "HMAC-SHA256",
        issuedAt: Int64? = nil
    ) -> String? {
        guard let client = client(at: .facebook), case .secret(let secret) = client.authentication
        else { return nil }
        let subject = StandInGrant.subject(of: person, for: client, at: .facebook)
        let payload: JSONObject = [
            "user_id": .string(subject), "algorithm": .string(algorithm),
            "issued_at": .integer(issuedAt ?? clock.moment().seconds),
        ]
        let text = Base64URL.encode(payload.serialized())
        let mac = HMAC<SHA256>.authenticationCode(
            for: Array(text.utf8),
            using: SymmetricKey(data: Array(secret.reveal().utf8))
        )
        return Base64URL.encode(mac) + "." + text
    }

    /// A logout token of the OpenID provider (OpenID Connect Back-Channel Logout §2.4).
    ///
    /// - Parameters:
    ///   - person: `nil` omits `sub`.
    ///   - sessionID: `sid` of the ID Token; `nil` omits it.
    package func logoutToken(
        about person: StandInPerson?,
        sessionID: String?,
        type: JWTType = .logoutToken,
        changes: [String: JSONValue?] = [:]
    ) throws -> String? {
        guard let client = client(at: .openID) else { return nil }
        let moment = clock.moment()
        var claims: JSONObject = [
            "iss": .string(issuer(of: .openID)), "aud": .string(client.clientID),
            "iat": .integer(moment.seconds), "exp": .integer(moment.seconds + 120),
            "jti": .string(moment.random.text(16)),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        if let person {
            claims["sub"] = .string(StandInGrant.subject(of: person, for: client, at: .openID))
        }
        if let sessionID { claims["sid"] = .string(sessionID) }
        return try notice(claims, type, at: .openID, changes)
    }

    private func notice(
        _ claims: JSONObject,
        _ type: JWTType,
        at kind: StandInKind,
        _ changes: [String: JSONValue?]
    ) throws -> String? {
        let changes = changes.map { StandInFaults.IDTokenFault.claim($0.key, $0.value) }
        return try StandInTokenSigner(
            standIns: self,
            kind: kind,
            faults: faults(of: kind).idToken + changes
        ).sign(claims, type, at: clock.moment().now)
    }

    private func client(at kind: StandInKind) -> StandInClient? {
        memory.withLock { $0.clients[kind]?.last }
    }

    private func nativeGrant(
        of person: StandInPerson,
        at kind: StandInKind,
        for clientID: String? = nil,
        nonce: String?
    ) -> StandInGrant? {
        let named = memory.withLock { $0.client(clientID, at: kind) }
        guard let client = clientID == nil ? client(at: kind) : named else { return nil }
        let moment = clock.moment()
        return StandInGrant(
            kind: kind,
            client: client,
            person: person,
            hidesEmail: person.hidesEmail,
            scopes: ["openid", "email", "profile", "name", "public_profile"],
            nonce: nonce,
            authTime: moment.now,
            sessionID: moment.random.text(16)
        )
    }
}
