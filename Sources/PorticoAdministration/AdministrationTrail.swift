import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// What an operation changed, as the trail has it.
struct TrailTarget {
    let id: String?
    /// `nil` for a person: the trail outlives them.
    var name: String?
    let realmID: String
}

/// What operations change.
protocol Traced {
    var target: TrailTarget { get }

    /// As the trail has it, without secrets.
    ///
    /// - Parameter former: What it was before the change that this is the end of.
    func traced(since former: Self?) -> JSONObject
}

/// What a realm has under a name.
protocol Administered: Traced {
    /// What a refusal says where it is not there, or where another one has its name.
    static var kind: AdministrationRefusal.Kind { get }
    var taken: AdministrationRefusal.Taken { get }
}

extension RealmAdministration {
    /// Makes, changes or deletes something. The event is in the transaction of the change.
    ///
    /// - Parameters:
    ///   - conflict: What is taken where the store finds a conflict; its name if `nil`.
    ///   - body: Writes with the event. `false`: it is taken, or not there.
    func write<Thing: Administered>(
        _ kind: Event.Kind,
        _ former: Thing?,
        _ thing: Thing?,
        by administrator: Administrator,
        or conflict: AdministrationRefusal.Taken? = nil,
        _ body: (RealmStore) async throws -> Bool
    ) async throws {
        guard let subject = thing ?? former else { return }
        let noting = store.noting([event(kind, former, thing, by: administrator)])
        guard try await change(or: conflict ?? subject.taken, { try await body(noting) }) else {
            throw former == nil
                ? AdministrationRefusal.taken(subject.taken)
                : AdministrationRefusal.notFound(Thing.kind)
        }
    }

    func event<Thing: Traced>(
        _ kind: Event.Kind,
        _ former: Thing?,
        _ thing: Thing?,
        by administrator: Administrator
    ) -> Event {
        event(
            kind,
            (thing ?? former)?.target,
            by: administrator,
            from: former?.traced(since: nil),
            into: thing?.traced(since: former)
        )
    }

    /// - Parameter reason: Says more of a kind that has no word of its own.
    func event(
        _ kind: Event.Kind,
        _ target: TrailTarget?,
        _ reason: StaticString? = nil,
        by administrator: Administrator,
        from before: JSONObject? = nil,
        into after: JSONObject? = nil
    ) -> Event {
        var event = Event(
            kind,
            by: administrator.actor,
            to: target?.id,
            in: target?.realmID,
            from: before,
            into: after,
            at: clock.moment().milliseconds
        )
        event.reason = reason?.description
        event.clientID = administrator.token?.client.id
        event.address = administrator.token?.address
        event.details = administrator.token?.request ?? [:]
        if let name = target?.name { event.details["name"] = .string(name) }
        return event
    }

    /// Notes what changes nothing that is kept, or takes many transactions.
    func note(
        _ kind: Event.Kind,
        _ target: TrailTarget,
        _ reason: StaticString? = nil,
        by administrator: Administrator
    ) async throws {
        try await store.events.note([event(kind, target, reason, by: administrator)])
    }

    // MARK: What changes nothing that is kept

    /// Notes that an administrator had something done to a realm.
    package func noteAction(
        in realm: Realm,
        _ reason: StaticString,
        by administrator: Administrator
    ) async throws {
        try await note(.realmAction, realm.target, reason, by: administrator)
    }

    /// Notes that a file was imported: as a new realm, or over one.
    package func noteImport(of realm: Realm, isNew: Bool, by administrator: Administrator)
        async throws
    {
        let kind: Event.Kind = isNew ? .realmCreated : .realmUpdated
        try await note(kind, realm.target, "imported", by: administrator)
    }

    // MARK: Events

    /// Removes what people and clients of a realm did. What administrators did stays.
    package func clearEvents(of realm: Realm, by administrator: Administrator) async throws {
        _ = try await rights(of: administrator, in: realm.id, needing: .manageEvents)
        let event = event(.eventsDeleted, realm.target, by: administrator)
        try await store.events.clear(realmID: realm.id, noting: event)
    }

    /// Lists no more what administrators did before. It stays in the trail.
    package func hideAdminEvents(of realm: Realm, by administrator: Administrator) async throws {
        _ = try await rights(of: administrator, in: realm.id, needing: .manageEvents)
        try await note(.adminEventsHidden, realm.target, by: administrator)
    }
}

extension Realm: Administered {
    static var kind: AdministrationRefusal.Kind { .realm }
    var taken: AdministrationRefusal.Taken { .realm(name) }
    var target: TrailTarget { TrailTarget(id: id, name: name, realmID: id) }

    func traced(since former: Realm?) -> JSONObject {
        var json = wholeDocument
        // What a file says besides may have secrets.
        json["kept"] = nil
        return json
    }
}

extension Client: Administered {
    static var kind: AdministrationRefusal.Kind { .client }
    var taken: AdministrationRefusal.Taken { .client(clientID) }
    var target: TrailTarget { TrailTarget(id: id, name: clientID, realmID: realmID) }

    func traced(since former: Client?) -> JSONObject {
        var json = wholeDocument
        json["kept"] = nil
        json["secret"] = .bool(secret != nil)
        if let former, former.secret != secret { json["changed"] = ["secret"] }
        return json
    }
}

extension ClientScope: Administered {
    static var kind: AdministrationRefusal.Kind { .scope }
    var taken: AdministrationRefusal.Taken { .scope(name) }
    var target: TrailTarget { TrailTarget(id: id, name: name, realmID: realmID) }

    func traced(since former: ClientScope?) -> JSONObject {
        var json = document
        json["name"] = .string(name)
        json["kept"] = nil
        return json
    }
}

extension Role: Administered {
    static var kind: AdministrationRefusal.Kind { .role }
    var taken: AdministrationRefusal.Taken { .role(name) }
    var target: TrailTarget { TrailTarget(id: id, name: roleName.traced, realmID: realmID) }

    func traced(since former: Role?) -> JSONObject {
        ["name": .string(roleName.traced), "description": .string(description)]
    }
}

extension RoleName {
    /// `editor`, or `app/editor` for a role of a client.
    var traced: String { clientID.map { "\($0)/\(name)" } ?? name }
}

extension Group: Administered {
    static var kind: AdministrationRefusal.Kind { .group }
    var taken: AdministrationRefusal.Taken { .group(name, isTop: parentID == nil) }
    var target: TrailTarget { TrailTarget(id: id, name: name, realmID: realmID) }

    func traced(since former: Group?) -> JSONObject {
        var json: JSONObject = ["name": .string(name), "description": .string(description)]
        json["parent_id"] = parentID.map(JSONValue.string)
        return json
    }
}

extension RealmPart: Traced {
    var target: TrailTarget { TrailTarget(id: id, name: kind, realmID: realmID) }

    func traced(since former: RealmPart?) -> JSONObject { document }
}

extension Person: Traced {
    var target: TrailTarget { TrailTarget(id: id, realmID: realmID) }

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
