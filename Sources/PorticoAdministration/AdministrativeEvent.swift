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

/// What operations change, as the trail has it.
protocol Traced {
    var target: AdministrativeEvent.Target { get }

    /// - Parameter former: What it was before the change that this is the end of.
    func traced(since former: Self?) -> JSONObject
}

extension RealmAdministration {
    /// Notes that something was made, changed or deleted.
    func note<Thing: Traced>(
        _ kind: AdministrativeEvent.Kind,
        _ former: Thing?,
        _ thing: Thing?,
        by administrator: Administrator
    ) async throws {
        guard let target = (thing ?? former)?.target else { return }
        try await note(
            .init(
                kind,
                target,
                by: administrator,
                before: former?.traced(since: nil),
                after: thing?.traced(since: former)
            )
        )
    }
}

extension Realm: Traced {
    var target: AdministrativeEvent.Target { .init(id: id, name: name, realmID: id) }

    func traced(since former: Realm?) -> JSONObject {
        var json = JSONObject()
        write(to: &json)
        // What a file says besides may have secrets.
        json["kept"] = nil
        return json
    }
}

extension Client: Traced {
    var target: AdministrativeEvent.Target { .init(id: id, name: clientID, realmID: realmID) }

    func traced(since former: Client?) -> JSONObject {
        var json = JSONObject()
        write(to: &json)
        json["kept"] = nil
        let isOther = former.map { $0.secret != secret } ?? false
        json["secret"] = secret == nil ? nil : isOther ? "another" : "kept"
        return json
    }
}

extension ClientScope: Traced {
    var target: AdministrativeEvent.Target { .init(id: id, name: name, realmID: realmID) }

    func traced(since former: ClientScope?) -> JSONObject {
        var json = document
        json["name"] = .string(name)
        json["kept"] = nil
        return json
    }
}

extension Role: Traced {
    var target: AdministrativeEvent.Target {
        .init(id: id, name: roleName.traced, realmID: realmID)
    }

    func traced(since former: Role?) -> JSONObject {
        ["name": .string(roleName.traced), "description": .string(description)]
    }
}

extension RoleName {
    /// `editor`, or `app/editor` for a role of a client.
    var traced: String { clientID.map { "\($0)/\(name)" } ?? name }
}

extension Group: Traced {
    var target: AdministrativeEvent.Target { .init(id: id, name: name, realmID: realmID) }

    func traced(since former: Group?) -> JSONObject {
        var json: JSONObject = ["name": .string(name), "description": .string(description)]
        json["parent_id"] = parentID.map(JSONValue.string)
        return json
    }
}

extension Person: Traced {
    var target: AdministrativeEvent.Target { .init(id: id, name: username, realmID: realmID) }

    /// What they may do, and nothing of who they are: the trail outlives them. What else is different is
    /// named.
    func traced(since former: Person?) -> JSONObject {
        var json: JSONObject = [
            "enabled": .bool(isEnabled), "email_verified": .bool(isEmailVerified),
            "required_actions": .array(requiredActions.map(JSONValue.string)),
            "not_before": .integer(notBefore),
        ]
        guard let former else { return json }
        let isOther = [
            "username": username != former.username, "email": email != former.email,
            "given_name": givenName != former.givenName,
            "family_name": familyName != former.familyName,
            "attributes": attributes != former.attributes,
        ]
        json["changed"] = .array(isOther.filter(\.value).keys.sorted().map(JSONValue.string))
        return json
    }
}
