import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// What is kept of a realm for exports, and what neighbours ask of it all the same: texts of pages,
/// policies for clients, caches.
struct AdminKeptParts: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] { texts + policies + registrations + caches }

    // MARK: Texts of pages

    private var texts: [AdminRow] {
        let one = "localization/{locale}"
        return [
            .get("localization", .viewRealm) { call in .json(.texts(Self.texts(call).map(\.name)))
            },
            .get(one, .viewRealm) { call in
                .object(Self.texts(call).object(try call.segment("locale")) ?? JSONObject())
            },
            .post(one, .manageRealm) { call in
                try await set(try Representation(call.json(), path: "").texts(), call)
            },
            .delete(one, .manageRealm) { call in
                var all = Self.texts(call)
                let locale = try call.segment("locale")
                guard all[locale] != nil else { throw Self.noTexts }
                all[locale] = nil
                try await administration.set("localizationTexts", to: .object(all), call)
                return .done
            },
            .get("\(one)/{key}", .viewRealm) { call in
                let texts = Self.texts(call).object(try call.segment("locale"))
                guard let text = texts?.string(try call.segment("key")) else { throw Self.noTexts }
                return .text(text)
            },
            .put("\(one)/{key}", .manageRealm) { call in
                let text = try call.text(upTo: 4096)
                return try await set([(try call.segment("key"), .string(text))], call)
            },
            .delete("\(one)/{key}", .manageRealm) { call in
                let texts = Self.texts(call).object(try call.segment("locale"))
                guard texts?[try call.segment("key")] != nil else { throw Self.noTexts }
                return try await set([(try call.segment("key"), .null)], call)
            },
        ]
    }

    private static let noTexts = AdminRefusal.notFound("Localization text not found")

    private static func texts(_ call: AdminCall) -> JSONObject {
        call.realm.realm.kept.object.object("localizationTexts") ?? JSONObject()
    }

    /// Sets texts of one language, each of another name; `null` takes one away.
    private func set(_ changes: [(name: String, value: JSONValue)], _ call: AdminCall)
        async throws -> AdminAnswer
    {
        let locale = try call.segment("locale")
        guard (1...50).contains(locale.utf8.count), locale.utf8.allSatisfy(\.isVisible) else {
            throw AdminRefusal.invalid("A locale is a language tag.")
        }
        var all = Self.texts(call)
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
        try await administration.set("localizationTexts", to: .object(all), call)
        return .done
    }

    // MARK: Policies for clients

    private var policies: [AdminRow] {
        RealmAdministration.policyLists.flatMap { name, kind in
            [
                AdminRow.get("client-policies/\(name)", .viewRealm) { call in
                    .object([name: .array(try await administration.policies(name, kind, call))])
                },
                .put("client-policies/\(name)", .manageRealm) { call in
                    let body = try Representation(call.json(), path: "")
                    try await administration.put(policies: body, name, kind, call)
                    return .done
                },
            ]
        }
    }

    // MARK: What there is none of

    private var registrations: [AdminRow] {
        [
            .get("clients-initial-access", .viewClients) { _ in .json([]) },
            .post("clients-initial-access", .manageClients) { _ in
                throw AdminRefusal.invalid("Clients do not register themselves here.")
            },
            .get("client-registration-policy/providers", .viewRealm) { _ in .json([]) },
            .get("organizations", .viewRealm) { _ in throw Self.noOrganizations },
            .get("organizations/{rest...}", .viewRealm) { _ in throw Self.noOrganizations },
            .post("organizations", .manageRealm) { _ in throw Self.noOrganizations },
        ]
    }

    private static let noOrganizations = AdminRefusal.message(
        .notFound,
        "Organizations not enabled for this realm."
    )

    /// What another process changed is there at once; nothing else is kept in between.
    private var caches: [AdminRow] {
        ["realm", "user", "keys", "crl"].map { name in
            .post("clear-\(name)-cache", .manageRealm) { call in
                try await call.access.realms.refresh()
                try await administration.noteAction(
                    in: call.realm.realm,
                    "cache_cleared",
                    by: call.administrator
                )
                return .done
            }
        }
    }
}
