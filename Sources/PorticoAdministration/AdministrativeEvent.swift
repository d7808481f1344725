package import PorticoProtocol
import PorticoStores

/// An administrative change, for the trail: who asked, what it changed, and what that was before and
/// after. No secret is in it: its place says only whether there is one, or that it is another.
package struct AdministrativeEvent: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case realmCreated = "realm.created"
        case realmUpdated = "realm.updated"
        case realmDeleted = "realm.deleted"
        case realmSignedOut = "realm.signed_out"
        case keyAdded = "key.added"
        case partUpdated = "part.updated"
        case partDeleted = "part.deleted"
        case clientCreated = "client.created"
        case clientUpdated = "client.updated"
        case clientDeleted = "client.deleted"
        case clientSecretShown = "client.secret_shown"
        case clientSecretMade = "client.secret_made"
        case scopeCreated = "scope.created"
        case scopeUpdated = "scope.updated"
        case scopeDeleted = "scope.deleted"
        case roleCreated = "role.created"
        case roleUpdated = "role.updated"
        case roleDeleted = "role.deleted"
        case roleGiven = "role.given"
        case roleTaken = "role.taken"
        case groupCreated = "group.created"
        case groupUpdated = "group.updated"
        case groupDeleted = "group.deleted"
        case groupJoined = "group.joined"
        case groupLeft = "group.left"
        case personCreated = "person.created"
        case personUpdated = "person.updated"
        case personDeleted = "person.deleted"
        case personPasswordSet = "person.password_set"
        case personCredentialRemoved = "person.credential_removed"
        case personCredentialLabelled = "person.credential_labelled"
        case personIdentityLinked = "person.identity_linked"
        case personIdentityUnlinked = "person.identity_unlinked"
        case personSignedOut = "person.signed_out"
        case personSessionEnded = "person.session_ended"
        case personConsentRevoked = "person.consent_revoked"
        case personTriesForgotten = "person.tries_forgotten"
    }

    package let kind: Kind
    package let administrator: Administrator.Identity
    package let realmID: String
    /// The id of what was changed, and its name.
    package let targetID: String
    package let targetName: String
    /// `nil` where there was nothing, or nothing that has a representation.
    package let before: JSONObject?
    package let after: JSONObject?

    /// What an operation changed.
    struct Target {
        let id: String
        let name: String
        let realmID: String
    }

    init(
        _ kind: Kind,
        _ target: Target,
        by administrator: Administrator,
        before: JSONObject? = nil,
        after: JSONObject? = nil
    ) {
        self.kind = kind
        self.administrator = administrator.identity
        realmID = target.realmID
        targetID = target.id
        targetName = target.name
        self.before = before
        self.after = after
    }
}

extension Realm {
    var target: AdministrativeEvent.Target { .init(id: id, name: name, realmID: id) }

    /// For the trail.
    var traced: JSONObject {
        var json = JSONObject()
        write(to: &json)
        // What a file says besides may have secrets.
        json["kept"] = nil
        return json
    }
}

extension Client {
    var target: AdministrativeEvent.Target { .init(id: id, name: clientID, realmID: realmID) }

    /// For the trail.
    ///
    /// - Parameter former: What it was before.
    func traced(since former: Client? = nil) -> JSONObject {
        var json = JSONObject()
        write(to: &json)
        json["kept"] = nil
        let isOther = former.map { $0.secret != secret } ?? false
        json["secret"] = secret == nil ? nil : isOther ? "another" : "kept"
        return json
    }
}

extension ClientScope {
    var target: AdministrativeEvent.Target { .init(id: id, name: name, realmID: realmID) }

    /// For the trail.
    var traced: JSONObject {
        var json = document
        json["name"] = .string(name)
        json["kept"] = nil
        return json
    }
}

extension Role {
    var target: AdministrativeEvent.Target { .init(id: id, name: name, realmID: realmID) }

    /// For the trail.
    var traced: JSONObject {
        var json: JSONObject = [
            "name": .string(name), "description": .string(description),
            "attributes": .texts(attributes),
        ]
        json["client_id"] = clientID.map(JSONValue.string)
        return json
    }
}

extension RoleName {
    /// For the trail: `editor`, or `app/editor` for a role of a client.
    var traced: String { clientID.map { "\($0)/\(name)" } ?? name }
}

extension Group {
    var target: AdministrativeEvent.Target { .init(id: id, name: name, realmID: realmID) }

    /// For the trail.
    var traced: JSONObject {
        var json: JSONObject = [
            "name": .string(name), "description": .string(description),
            "attributes": .texts(attributes),
        ]
        json["parent_id"] = parentID.map(JSONValue.string)
        return json
    }
}

extension Person {
    var target: AdministrativeEvent.Target { .init(id: id, name: username, realmID: realmID) }

    /// For the trail, which outlives the person: what they may do, and nothing of who they are.
    ///
    /// - Parameter former: What they were before: what else is different is named.
    func traced(since former: Person? = nil) -> JSONObject {
        var json: JSONObject = [
            "enabled": .bool(isEnabled), "email_verified": .bool(isEmailVerified),
            "required_actions": .array(requiredActions.map(JSONValue.string)),
            "not_before": .integer(notBefore),
        ]
        guard let former else { return json }
        var changed: [JSONValue] = []
        if username != former.username { changed.append("username") }
        if email != former.email { changed.append("email") }
        if givenName != former.givenName { changed.append("given_name") }
        if familyName != former.familyName { changed.append("family_name") }
        if attributes != former.attributes { changed.append("attributes") }
        json["changed"] = .array(changed)
        return json
    }
}

extension JSONValue {
    /// Attributes: lists of texts by name.
    fileprivate static func texts(_ lists: [String: [String]]) -> JSONValue {
        var object = JSONObject()
        for (name, values) in lists.sorted(by: { $0.key < $1.key }) {
            object[name] = .array(values.map(JSONValue.string))
        }
        return .object(object)
    }
}
