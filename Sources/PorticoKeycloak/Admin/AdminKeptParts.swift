import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What is kept of a realm for exports, and what neighbours ask of it all the same: texts of pages,
/// policies for clients, caches.
enum AdminKeptParts {
    static var rows: [AdminRow] { texts + policies + registrations + caches }

    // MARK: Texts of pages

    private static var texts: [AdminRow] {
        let one = "localization/{locale}"
        return [
            .get("localization", .viewRealm) { .json(.texts(texts($0).map(\.name))) },
            .get(one, .viewRealm) { call in
                .object(texts(call).object(try call.segment("locale")) ?? JSONObject())
            },
            .post(one, .manageRealm) { call in
                try await set(try Representation(call.json(), path: "").texts(), call)
            },
            .delete(one, .manageRealm) { call in
                var all = texts(call)
                let locale = try call.segment("locale")
                guard all[locale] != nil else { throw noTexts }
                all[locale] = nil
                try await call.keep("localizationTexts", .object(all))
            },
            .get("\(one)/{key}", .viewRealm) { call in
                let texts = texts(call).object(try call.segment("locale"))
                guard let text = texts?.string(try call.segment("key")) else { throw noTexts }
                return .text(text)
            },
            .put("\(one)/{key}", .manageRealm) { call in
                let text = try call.text(upTo: 4096)
                return try await set([(try call.segment("key"), .string(text))], call)
            },
            .delete("\(one)/{key}", .manageRealm) { call in
                let texts = texts(call).object(try call.segment("locale"))
                guard texts?[try call.segment("key")] != nil else { throw noTexts }
                return try await set([(try call.segment("key"), .null)], call)
            },
        ]
    }

    private static let noTexts = AdminRefusal.notFound("Localization text not found")

    private static func texts(_ call: AdminCall) -> JSONObject {
        call.realm.kept.object.object("localizationTexts") ?? JSONObject()
    }

    /// Sets texts of one language, each of another name; `null` takes one away.
    private static func set(_ changes: [(name: String, value: JSONValue)], _ call: AdminCall)
        async throws
    {
        let locale = try call.segment("locale")
        guard (1...50).contains(locale.utf8.count), locale.utf8.allSatisfy(\.isVisible) else {
            throw AdminRefusal.invalid("A locale is a language tag.")
        }
        var all = texts(call)
        guard changes.allSatisfy({ (1...255).contains($0.name.utf8.count) }) else {
            throw AdminRefusal.invalid("The key of a text has 1 to 255 bytes.")
        }
        // By key: setting one after the other in an object would look at all of them for each.
        var new = Dictionary(changes.map { (ExactText($0.name), $0.value) }) { _, last in last }
        var texts = (all.object(locale) ?? JSONObject()).map { name, value in
            (name: name, value: new.removeValue(forKey: ExactText(name)) ?? value)
        }
        texts += changes.filter { new.removeValue(forKey: ExactText($0.name)) != nil }
        texts.removeAll { $0.value == .null }
        all[locale] = .object(JSONObject(unique: texts) ?? JSONObject())
        guard all.count <= 100, all.serialized().count <= 1 << 20 else {
            throw AdminRefusal.invalid("The realm's texts have more than 1 MiB.")
        }
        try await call.keep("localizationTexts", .object(all))
    }

    // MARK: Policies for clients

    /// The lists of policies for clients and of what those do, with the kinds of their parts.
    static let policyLists = [("policies", "clientPolicies"), ("profiles", "clientProfiles")]

    private static var policies: [AdminRow] {
        policyLists.flatMap { name, kind in
            [
                AdminRow.get("client-policies/\(name)", .viewRealm) { call in
                    .object([name: .array(try await call.policies(name, kind))])
                },
                .put("client-policies/\(name)", .manageRealm) { call in
                    try await call.put(policies: try call.object(), name, kind)
                },
            ]
        }
    }

    // MARK: What there is none of

    private static var registrations: [AdminRow] {
        [
            .get("clients-initial-access", .viewClients) { _ in .json([]) },
            .refusing(
                .post,
                "clients-initial-access",
                .manageClients,
                .invalid("Clients do not register themselves here.")
            ),
            .get("client-registration-policy/providers", .viewRealm) { _ in .json([]) },
            .refusing(.get, "organizations", .viewRealm, noOrganizations),
            .refusing(.get, "organizations/{rest...}", .viewRealm, noOrganizations),
            .refusing(.post, "organizations", .manageRealm, noOrganizations),
        ]
    }

    private static let noOrganizations = AdminRefusal.message(
        .notFound,
        "Organizations not enabled for this realm."
    )

    /// What another process changed is there at once; nothing else is kept in between.
    private static var caches: [AdminRow] {
        ["realm", "user", "keys", "crl"].map { name in
            AdminRow.post("clear-\(name)-cache", .manageRealm) { call -> Void in
                try await call.access.server.readChanges()
                try await call.noteAction("cache_cleared")
            }
        }
    }
}

/// What is kept of a realm and acts on nothing.
extension AdminCall {
    /// The parts of a kind.
    func parts(_ kind: String) async throws -> [RealmPart] {
        try await store.parts(kind, realmID: realmID)
    }

    /// The part of that kind and id.
    func part(_ kind: String, id: String, or refusal: AdminRefusal) async throws -> RealmPart {
        guard let part = try await parts(kind).first(where: { sameBytes($0.id, id) }) else {
            throw refusal
        }
        return part
    }

    /// Keeps a part in place of the one of that kind and id. Its secrets are sealed, and one that was
    /// shown masked stays as it is.
    func put(_ object: JSONObject, of kind: String, id: String) async throws {
        let former = try await parts(kind).first { sameBytes($0.id, id) }
        let clear = RealmSecrets(ring: operations.ring, areShown: true)
        let kept = try former.map { try clear.whole($0) } ?? JSONObject()
        let whole = RealmSecrets.unmasked(object, by: kept)
        let part = RealmPartSeal(ring: operations.ring).part(
            whole,
            of: kind,
            id: id,
            realmID: realmID,
            random: moment.random
        )
        // With what was masked: what is sealed has to open again.
        guard whole.serialized().count <= 1 << 20,
            part.sealed?.utf8.count ?? 0 <= RealmPartSeal.longest
        else { throw AdminRefusal.invalid("It has more than 1 MiB.") }
        try await operations.put(part, by: administrator, needing: .toChange(kind))
    }

    func delete(_ part: RealmPart) async throws {
        try await operations.delete(part, by: administrator, needing: .toChange(part.kind))
    }

    /// Changes one member of what a realm keeps of a representation.
    func keep(_ member: String, _ value: JSONValue) async throws {
        var changed = realm
        changed.kept[member] = value
        try await operations.update(changed, replacing: realm, by: administrator)
    }

    /// A list of policies, as it is shown.
    func policies(_ name: String, _ kind: String) async throws -> [JSONValue] {
        try await parts(kind).first.map(shown)?.array(name) ?? []
    }

    func put(policies body: Representation, _ name: String, _ kind: String) async throws {
        let known = try await policies(name, kind)
        let list = try body.children(name)
        // A rule that is not kept is worse than none. What came with a file stays.
        for policy in list where try policy.bool("enabled") == true {
            guard known.contains(.object(policy.object)) else {
                throw AdminRefusal.invalid(
                    "Nothing here applies policies for clients: keep it with enabled false."
                )
            }
        }
        try await put([name: .array(list.map { .object($0.object) })], of: kind, id: "")
    }

    /// A part with its secrets masked, and with the id that it is found by: a file may spell it otherwise,
    /// or say none.
    func shown(_ part: RealmPart) throws -> JSONObject {
        var shown = try RealmSecrets(ring: operations.ring, areShown: false).whole(part)
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
