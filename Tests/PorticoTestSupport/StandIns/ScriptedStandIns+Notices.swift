import Crypto
import PorticoBytes
package import PorticoProtocol
package import PorticoStandIns

/// A provider's notifications, and tokens for an app on a device. The caller delivers them.
extension ScriptedStandIns {
    /// The person's id at a stand-in, for the application of a demo.
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
        let token = try standIns.idToken(for: grant, standIns.clock.moment())
        var claims = try JWT(parsing: token).uncheckedClaims()
        if let audience { claims["aud"] = .string(audience) }
        return try notice(claims, .jwt, at: kind, changes)
    }

    /// An access token as a native app gets it from Facebook's SDK (PRV-F-4).
    package func nativeAccessToken(of person: StandInPerson, at kind: StandInKind) -> String? {
        guard let grant = nativeGrant(of: person, at: kind, nonce: nil) else { return nil }
        return standIns.newToken(for: grant, life: 5_184_000, standIns.clock.moment())
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
        let moment = standIns.clock.moment()
        var events: JSONObject = [
            "type": .string(event.rawValue), "sub": .string(grant.subject),
            "event_time": .integer(moment.seconds * 1000),
        ]
        if event == .emailDisabled || event == .emailEnabled, let email = grant.email {
            events["email"] = .string(email)
            events["is_private_email"] = .string(person.hidesEmail ? "true" : "false")
        }
        return try notice(
            [
                "iss": .string(standIns.issuer(of: .apple)),
                "aud": .string(StandInKind.apple.demoClientID),
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
            "issued_at": .integer(issuedAt ?? standIns.clock.moment().seconds),
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
        let moment = standIns.clock.moment()
        var claims: JSONObject = [
            "iss": .string(standIns.issuer(of: .openID)),
            "aud": .string(StandInKind.openID.demoClientID),
            "iat": .integer(moment.seconds), "exp": .integer(moment.seconds + 120),
            "jti": .string(moment.random.text(16)),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        if let person { claims["sub"] = subject(of: person, at: .openID).map { .string($0) } }
        if let sessionID { claims["sid"] = .string(sessionID) }
        return try notice(claims, type, at: .openID, changes)
    }

    private func notice(
        _ claims: JSONObject,
        _ type: JWTType,
        at kind: StandInKind,
        _ changes: [String: JSONValue?]
    ) throws -> String {
        let faults = faults.withLock { $0[kind]?.idToken ?? [] }
        let changes = changes.map { StandInFaults.IDTokenFault.claim($0.key, $0.value) }
        return try standIns.key(of: kind).sign(claims, type, with: faults + changes)
    }

    private func client(at kind: StandInKind) -> StandInClient? {
        standIns.client(kind.demoClientID, at: kind)
    }

    private func nativeGrant(of person: StandInPerson, at kind: StandInKind, nonce: String?)
        -> StandInGrant?
    {
        guard let client = client(at: kind) else { return nil }
        let moment = standIns.clock.moment()
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
