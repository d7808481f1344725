import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// What is kept of a realm and acts on nothing.
extension RealmAdministration {
    /// Keeps a part in place of the one of that kind and id. Its secrets are sealed, and one that was
    /// shown masked stays as it is.
    func put(_ object: JSONObject, of kind: String, id: String, _ call: AdminCall) async throws {
        let former = try await store.parts(kind, realmID: call.realmID)
            .first { sameBytes($0.id, id) }
        let clear = RealmSecrets(ring: ring, areShown: true)
        let kept = try former.map { try clear.whole($0) } ?? JSONObject()
        let whole = RealmSecrets.unmasked(object, by: kept)
        let part = RealmPartSeal(ring: ring).part(
            whole,
            of: kind,
            id: id,
            realmID: call.realmID,
            random: call.moment.random
        )
        // With what was masked: what is sealed has to open again.
        guard whole.serialized().count <= 1 << 20,
            part.sealed?.utf8.count ?? 0 <= RealmPartSeal.longest
        else { throw AdminRefusal.invalid("It has more than 1 MiB.") }
        try await put(part, by: call.administrator, needing: .toChange(kind))
    }

    func delete(_ part: RealmPart, _ call: AdminCall) async throws {
        try await delete(part, by: call.administrator, needing: .toChange(part.kind))
    }

    /// Changes one member of what a realm keeps of a representation.
    func set(_ member: String, to value: JSONValue?, _ call: AdminCall) async throws {
        var realm = call.realm.realm
        realm.kept[member] = value
        try await update(realm, replacing: call.realm.realm, by: call.administrator)
    }

    /// The lists of policies for clients and of what those do, with the kinds of their parts.
    static let policyLists = [("policies", "clientPolicies"), ("profiles", "clientProfiles")]

    /// Such a list, as it is shown.
    func policies(_ name: String, _ kind: String, _ call: AdminCall) async throws -> [JSONValue] {
        let part = try await store.parts(kind, realmID: call.realmID).first
        return try part.map(shown)?.array(name) ?? []
    }

    func put(
        policies body: Representation,
        _ name: String,
        _ kind: String,
        _ call: AdminCall
    ) async throws {
        let known = try await policies(name, kind, call)
        let list = try body.children(name)
        // A rule that is not kept is worse than none. What came with a file stays.
        for policy in list where try policy.bool("enabled") == true {
            guard known.contains(.object(policy.object)) else {
                throw AdminRefusal.invalid(
                    "Nothing here applies policies for clients: keep it with enabled false."
                )
            }
        }
        try await put([name: .array(list.map { .object($0.object) })], of: kind, id: "", call)
    }

    /// A part with its secrets masked, and with the id that it is found by: a file may spell it otherwise,
    /// or say none.
    func shown(_ part: RealmPart) throws -> JSONObject {
        var shown = try RealmSecrets(ring: ring, areShown: false).whole(part)
        if PartImport.lists[part.kind] == "id" { shown["id"] = .string(part.id) }
        return shown
    }
}

extension AdminRight {
    /// - Parameter kind: Of a part that is kept as data.
    fileprivate static func toChange(_ kind: String) -> AdminRight {
        [IdentityProviderRepresentation.kind, IdentityProviderRepresentation.mapperKind]
            .contains(kind) ? manageIdentityProviders : manageRealm
    }
}
