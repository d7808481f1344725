import PorticoBytes
import PorticoProtocol
import PorticoStores

extension Account {
    /// What `portico account show` shows; members are only ever added. No token is among them.
    func description(
        _ identities: [Identity],
        _ registration: Registration?,
        sessions: Int
    ) -> Description {
        var json = item
        json["language"] = .string(language)
        json["picture"] = picture.map(JSONValue.string) ?? .null
        json["welcomed"] = .bool(isWelcomed)
        json["identities"] = .array(identities.map { .object($0.json) })
        json["registration"] = registration.map { .object($0.json) } ?? .null
        json["live_sessions"] = .integer(Int64(sessions))
        let methods = identities.map { identity in
            "\(identity.provider) (\(identity.email?.address ?? identity.key.subject))"
        }
        return Description(
            json: json,
            fields: [
                ("Account", id.text),
                ("Name", name),
                ("Email", markedEmail),
                ("State", state),
                ("Language", language),
                ("Signs in with", joined(methods)),
                ("Sessions", "\(sessions)"),
                ("Registered", registration.map { "\(Times.standard($0.at)) by \($0.provider)" }),
                ("Last sign-in", Times.standard(lastSignInAt)),
            ]
        )
    }

    /// One of `portico account list --json`.
    var item: JSONObject {
        [
            "id": .string(id.text),
            "name": name.map(JSONValue.string) ?? .null,
            "email": (email?.address).map(JSONValue.string) ?? .null,
            "email_verified": .bool(email?.isVerified ?? false),
            "email_proven_by": (email?.verification.provenBy).map(JSONValue.string) ?? .null,
            "email_relay": .bool(email?.isRelay ?? false),
            "blocked": .bool(isBlocked),
            "created_at": .string(Times.standard(createdAt)),
            "last_sign_in_at": .string(Times.standard(lastSignInAt)),
        ]
    }

    var state: String { isBlocked ? "blocked" : "active" }

    /// The address, with a mark if it is verified.
    var markedEmail: String? {
        email.map { $0.verification.isProof ? "\($0.address) ✓" : $0.address }
    }

    /// What messages call the person.
    var called: String { printable(name ?? email?.address ?? id.text) }
}

extension EmailVerification {
    /// `nil`: a provider at most vouches for the address.
    fileprivate var provenBy: String? {
        switch self {
        case .unverified, .vouched: nil
        case .authoritative: "authority"
        case .mailedCode: "code"
        }
    }
}

extension Identity {
    fileprivate var json: JSONObject {
        [
            "provider": .string(provider),
            "issuer": .string(key.issuer),
            "subject": .string(key.subject),
            "email": (email?.address).map(JSONValue.string) ?? .null,
            "email_verified": .bool(email?.isVerified ?? false),
            "has_token": .bool(sealedToken != nil),
            "linked_at": .string(Times.standard(linkedAt)),
            "last_used_at": .string(Times.standard(lastUsedAt)),
        ]
    }
}

extension Registration {
    fileprivate var json: JSONObject {
        [
            "provider": .string(provider),
            "at": .string(Times.standard(at)),
            "address": address.map(JSONValue.string) ?? .null,
            "user_agent": userAgent.map(JSONValue.string) ?? .null,
        ]
    }
}

extension AccountSession {
    /// One of `portico session list --json`.
    var item: JSONObject {
        [
            "id": .string(id.text),
            "form": .string(appName == nil ? "browser" : "app"),
            "app": appName.map(JSONValue.string) ?? .null,
            "issuer": .string(identity.issuer),
            "device": .string(device),
            "address": address.map(JSONValue.string) ?? .null,
            "created_at": .string(Times.standard(createdAt)),
            "last_seen_at": .string(Times.standard(lastSeenAt)),
            "expires_at": .string(Times.standard(expiresAt)),
        ]
    }

    /// `nil` for a session in a browser.
    var appName: String? {
        if case .app(let name, _) = form { name } else { nil }
    }
}
