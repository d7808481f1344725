import PorticoBytes
package import PorticoProtocol

/// Something that happened: to a person, a client or a realm. The one kind of row of the audit trail.
package struct Event: Hashable, Sendable {
    /// The place in the order of events; given by the store.
    package var number: Int64 = 0
    package var kind: Kind
    /// Milliseconds since 1970.
    package var at: Int64
    package var realmID: String?
    /// The realm's name; given by the store while the realm exists.
    package var realm: String?
    /// The administrator who did it; `nil`: it was no administrator.
    package var actor: Actor?
    /// The person that it is about, or the administrator's target. It may be gone by now.
    package var subjectID: String?
    /// A `client_id`; an app of the backend; of an administrator over HTTP the client's id.
    package var clientID: String?
    package var provider: String?
    package var sessionID: String?
    package var device: String?
    package var address: String?
    /// A word that never changes, or the id of a key.
    package var reason: String?
    package var details: JSONObject = [:]
    /// What an administrator changed, without secrets.
    package var before: JSONObject?
    package var after: JSONObject?

    /// Who administers.
    package enum Actor: Hashable, Sendable {
        case person(String)
        /// The id of a client, which acts for itself.
        case client(String)
        case commandLine
    }

    /// - Parameter milliseconds: Since 1970.
    package init(_ kind: Kind, at milliseconds: Int64, realmID: String? = nil) {
        self.kind = kind
        at = milliseconds
        self.realmID = realmID
    }

    /// Something that happened to a person at the backend, which is always kept.
    ///
    /// - Parameter seconds: Since 1970.
    package init(_ kind: Kind, of personID: String?, at seconds: Int64) {
        self.init(kind, at: Self.milliseconds(seconds))
        subjectID = personID
    }

    /// What an administrator did.
    ///
    /// Values of members that name a secret are left out here, and each side of the change has at most
    /// ``mostBytes``.
    package init(
        _ kind: Kind,
        by actor: Actor,
        to targetID: String?,
        in realmID: String?,
        from before: JSONObject? = nil,
        into after: JSONObject? = nil,
        at milliseconds: Int64
    ) {
        self.init(kind, at: milliseconds, realmID: realmID)
        self.actor = actor
        subjectID = targetID
        self.before = before.map(Self.shown)
        self.after = after.map(Self.shown)
    }

    package static func milliseconds(_ seconds: Int64) -> Int64 {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// What decides how long, and how many of them, the trail keeps.
    enum Origin: String {
        /// A person at the backend, or the server itself.
        case account
        /// A person or client of a realm.
        case person
        /// Strangers (``Kind/isAnyones``).
        case anyone
        case administrator
    }

    var origin: Origin {
        if actor != nil { return .administrator }
        if realmID == nil { return .account }
        return kind.isAnyones ? .anyone : .person
    }
}

extension Event {
    /// How large each side of a change may be, as JSON.
    package static let mostBytes = 16_384

    /// Without secrets, and not too large. What is left out is named.
    private static func shown(_ object: JSONObject) -> JSONObject {
        var shown = withoutSecrets(object)
        guard shown.serialized().count > mostBytes else { return shown }
        for (name, value) in shown {
            let bytes = value.serialized().count
            if bytes > 256 { shown[name] = .string("(\(bytes) bytes)") }
        }
        let bytes = shown.serialized().count
        return bytes > mostBytes ? ["(left out)": .string("(\(bytes) bytes)")] : shown
    }

    private static func withoutSecrets(_ object: JSONObject) -> JSONObject {
        var shown: JSONObject = [:]
        for (name, value) in object {
            shown[name] = isSecret(name, value) ? "(secret)" : withoutSecrets(value)
        }
        return shown
    }

    private static func withoutSecrets(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object): .object(withoutSecrets(object))
        case .array(let values): .array(values.map(withoutSecrets))
        default: value
        }
    }

    private static func isSecret(_ name: String, _ value: JSONValue) -> Bool {
        if case .null = value { return false }
        if case .bool = value { return false }
        let name = name.lowercased()
        return ["secret", "password", "private", "credential", "sealed", "hash"]
            .contains { name.contains($0) }
    }
}
