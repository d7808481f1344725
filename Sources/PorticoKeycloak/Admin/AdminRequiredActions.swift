import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/authentication/required-actions`: what people can be asked to do before they go on. One that is a
/// default action is asked of every new person.
struct AdminRequiredActions: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        let base = "authentication/required-actions"
        return [
            .get(base, .viewRealm) { call in .list(try await actions(call)) },
            .get("\(base)/{action}", .viewRealm) { call in .object(try await action(call)) },
            .put("\(base)/{action}", .manageRealm, update),
            .delete("\(base)/{action}", .manageRealm) { call in
                _ = try await action(call)
                throw AdminRefusal.invalid("An action is switched off by enabled false.")
            },
            .post("authentication/register-required-action", .manageRealm) { _ in
                throw AdminRefusal.invalid("No other actions can be asked for here.")
            },
        ]
    }

    private static let kind = "requiredActions"

    private var store: RealmStore { administration.store }

    /// A realm that came without any has those that people are led through here.
    private func actions(_ call: AdminCall) async throws -> [JSONObject] {
        let secrets = RealmSecrets(ring: administration.ring, areShown: false)
        let kept = try await store.parts(Self.kind, realmID: call.realmID)
            .map { try RealmPartRepresentation($0, secrets: secrets).json }
        return kept.isEmpty ? Self.own : kept
    }

    private func action(_ call: AdminCall) async throws -> JSONObject {
        let alias = try call.segment("action")
        let action = try await actions(call).first {
            $0.string("alias").map { sameBytes($0, alias) } ?? false
        }
        guard let action else { throw AdminRefusal.notFound("Failed to find required action") }
        return action
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let former = try await action(call)
        let body = try call.representation(.requiredAction)
        var action = former
        if let name = try body.text("name") {
            guard PlainText.isLine(name, length: 255) else {
                throw AdminRefusal.invalid("An action has a name of one line.")
            }
            action["name"] = .string(name)
        }
        for name in ["enabled", "defaultAction"] {
            if let isOn = try body.bool(name) { action[name] = .bool(isOn) }
        }
        if let priority = try body.integer("priority") { action["priority"] = .integer(priority) }
        if let config = try body.child("config") {
            action["config"] = .object(config.object.withoutEmptyTexts)
        }
        let isLed = Self.own.contains { $0["alias"] == former["alias"] }
        guard isLed || Self.isAsked(former) || !Self.isAsked(action) else {
            throw AdminRefusal.invalid("Nothing here asks new people for it.")
        }
        // The first change keeps those that there are.
        let kept = try await store.parts(Self.kind, realmID: call.realmID)
        let others = kept.isEmpty ? Self.own.filter { $0["alias"] != former["alias"] } : []
        for one in others + [action] {
            let alias = one.string("alias") ?? ""
            try await administration.put(one, of: Self.kind, id: alias, call)
        }
        return .done
    }

    /// Whether it is asked of every new person.
    fileprivate static func isAsked(_ action: JSONObject) -> Bool {
        action.bool("enabled") == true && action.bool("defaultAction") == true
    }

    private static let own: [JSONObject] = [
        (alias: RequiredAction.verifyEmail, name: "Verify Email"),
        (alias: RequiredAction.configureTOTP, name: "Configure OTP"),
        (alias: RequiredAction.updatePassword, name: "Update Password"),
    ].enumerated().map { index, action in
        [
            "alias": .string(action.alias), "name": .string(action.name),
            "providerId": .string(action.alias), "enabled": true, "defaultAction": false,
            "priority": .integer(Int64(index + 1) * 10), "config": [:],
        ]
    }
}

extension RealmAdministration {
    /// What the realm asks of every new person.
    func defaultActions(realmID: String) async throws -> [String] {
        try await store.parts("requiredActions", realmID: realmID)
            .filter { AdminRequiredActions.isAsked($0.document) }.map(\.id)
    }
}

extension JSONObject {
    /// Sets a member, or takes it away where the value is `null`. (In `value == .null ? nil : value` the
    /// `nil` is a `null`, too.)
    mutating func set(_ name: String, to value: JSONValue) {
        if value == .null { self[name] = nil } else { self[name] = value }
    }

    /// Without the settings that are empty texts: Keycloak keeps none, and shows none.
    var withoutEmptyTexts: JSONObject {
        var settings = self
        for (name, value) in self where value == .null || value == "" { settings[name] = nil }
        return settings
    }
}
