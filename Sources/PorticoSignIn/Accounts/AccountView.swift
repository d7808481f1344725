import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// A person and their session for programs: what a front end needs, and no more (WEB-BFF-9).
package enum AccountView {
    /// `{id, email, email_verified, name, picture, providers}`
    package static func user(_ live: LiveSession) -> JSONValue {
        let person = live.person
        return [
            "id": .string(person.id),
            "email": text(person.email),
            "email_verified": .bool(person.email != nil && person.isEmailVerified),
            "name": text(person.fullName),
            "picture": text(person.picture),
            "providers": .array(live.providers.map { .string($0) }),
        ]
    }

    /// `{id, expires_at, device}`
    package static func session(_ session: PersonSession) -> JSONValue {
        [
            "id": .string(session.id),
            "expires_at": .integer(session.expiresAt),
            "device": .string(session.device),
        ]
    }

    /// An entry of the list of sessions.
    package static func listed(_ session: PersonSession, isThis: Bool) -> JSONValue {
        var object: JSONObject = [
            "id": .string(session.id),
            "device": .string(session.device),
            "app": .null,
            "address": text(session.address),
            "created_at": .integer(session.createdAt),
            "last_seen_at": .integer(session.lastSeenAt),
            "expires_at": .integer(session.expiresAt),
            "current": .bool(isThis),
        ]
        if case .app(let name, _) = session.form { object["app"] = .string(name) }
        return .object(object)
    }

    /// `{"provider","providerId":"user:google:123","linkedAt","isPrimary"}`
    package static func identity(_ identity: Identity, isPrimary: Bool) -> JSONValue {
        [
            "provider": .string(identity.provider),
            "providerId": .string("user:\(identity.provider):\(identity.subject)"),
            "email": text(identity.email?.address),
            "linkedAt": .integer(identity.linkedAt),
            "isPrimary": .bool(isPrimary),
        ]
    }

    static func text(_ text: String?) -> JSONValue {
        text.map { .string($0) } ?? .null
    }
}
