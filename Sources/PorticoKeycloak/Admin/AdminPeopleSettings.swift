import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `…/authentication/required-actions`: what people can be asked to do before they go on. One that is a
/// default action is asked of every new person.
enum AdminRequiredActions {
    static var rows: [AdminRow] {
        let base = "authentication/required-actions"
        return [
            .get(base, .viewRealm) { call in .list(try await actions(call)) },
            .get("\(base)/{action}", .viewRealm) { call in .object(try await action(call)) },
            .put("\(base)/{action}", .manageRealm, update),
            .delete("\(base)/{action}", .manageRealm) { call in
                _ = try await action(call)
                throw AdminRefusal.invalid("An action is switched off by enabled false.")
            },
            .refusing(
                .post,
                "authentication/register-required-action",
                .manageRealm,
                .invalid("No other actions can be asked for here.")
            ),
        ]
    }

    private static let kind = "requiredActions"

    /// A realm that came without any has those that people are led through here.
    private static func actions(_ call: AdminCall) async throws -> [JSONObject] {
        let kept = try await call.parts(kind).map(call.shown)
        return kept.isEmpty ? own : kept
    }

    private static func action(_ call: AdminCall) async throws -> JSONObject {
        let alias = try call.segment("action")
        let action = try await actions(call).first {
            $0.string("alias").map { sameBytes($0, alias) } ?? false
        }
        guard let action else { throw AdminRefusal.notFound("Failed to find required action") }
        return action
    }

    private static func update(_ call: AdminCall) async throws {
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
        let isLed = own.contains { $0["alias"] == former["alias"] }
        guard isLed || isAsked(former) || !isAsked(action) else {
            throw AdminRefusal.invalid("Nothing here asks new people for it.")
        }
        // The first change keeps those that there are.
        let kept = try await call.parts(kind)
        let others = kept.isEmpty ? own.filter { $0["alias"] != former["alias"] } : []
        for one in others + [action] {
            let alias = one.string("alias") ?? ""
            try await call.put(one, of: kind, id: alias)
        }
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

extension AdminCall {
    /// What the realm asks of every new person.
    func defaultActions() async throws -> [String] {
        try await parts("requiredActions")
            .filter { AdminRequiredActions.isAsked($0.document) }.map(\.id)
    }
}

/// `…/users/profile`: which attributes people have (Keycloak `UPConfig`). It is kept as data: the names,
/// the address and the user name follow this server's rules, and every attribute is kept.
enum AdminUserProfile {
    static var rows: [AdminRow] {
        [
            .get("users/profile", .viewProfile) { call in .object(try await profile(call)) },
            .put("users/profile", .manageRealm, update),
            .get("users/profile/metadata", .viewProfile) { call in
                .object(try await metadata(call))
            },
        ]
    }

    private static let type = "org.keycloak.userprofile.UserProfileProvider"
    private static let setting = "kc.user.profile.config"
    /// What an export has room for in a text.
    private static let longest = 256 << 10

    private static func component(_ call: AdminCall) async throws -> RealmPart? {
        try await call.parts(PartImport.components).first {
            $0.document.string("providerType") == type
        }
    }

    private static func profile(_ call: AdminCall) async throws -> JSONObject {
        let text = try await component(call)?.document.object("config")?.strings(setting)?
            .first
        // `try?`: what cannot be read says nothing, and a file may have it.
        let kept = text.flatMap {
            try? JSONObject(parsing: Array($0.utf8), limits: JSONLimits(size: longest))
        }
        return kept ?? standard
    }

    private static func update(_ call: AdminCall) async throws -> AdminAnswer {
        let body = try call.object()
        let names = try body.children("attributes").map { try $0.text("name") ?? "" }
        guard names.count <= 200, !names.contains("") else {
            throw AdminRefusal.invalid("UserProfile configuration has an attribute without a name")
        }
        for needed in ["username", "email"] where !names.contains(needed) {
            throw AdminRefusal.invalid("UserProfile configuration lacks the attribute \(needed)")
        }
        let profile = body.object
        let text = profile.serialized()
        guard text.count <= longest else {
            throw AdminRefusal.invalid("UserProfile configuration is too long")
        }
        var part =
            try await component(call)
            ?? part(id: call.newID(), realmID: call.realmID)
        part.document["config"] = [
            setting: .texts([String(decoding: text, as: UTF8.self)])
        ]
        try await call.operations.put(part, by: call.administrator, needing: .manageRealm)
        return .object(profile)
    }

    private static func part(id: String, realmID: String) -> RealmPart {
        RealmPart(
            realmID: realmID,
            kind: PartImport.components,
            id: id,
            document: [
                "id": .string(id), "providerId": "declarative-user-profile",
                "providerType": .string(type), "subComponents": [:],
            ]
        )
    }

    /// The same as forms need it (Keycloak `UserProfileMetadata`).
    static func metadata(_ call: AdminCall) async throws -> JSONObject {
        let profile = try await profile(call)
        let attributes = (profile.array("attributes") ?? []).compactMap(\.object)
        return [
            "attributes": .array(attributes.map { .object(shown($0)) }),
            "groups": profile["groups"] ?? [],
        ]
    }

    private static func shown(_ attribute: JSONObject) -> JSONObject {
        let name = attribute.string("name") ?? ""
        var shown: JSONObject = ["name": .string(name), "readOnly": false]
        shown["displayName"] = attribute["displayName"] ?? .string(name)
        shown["required"] = .bool(name == "username")
        shown["validators"] = attribute["validations"] ?? [:]
        shown["multivalued"] = attribute["multivalued"] ?? false
        return shown
    }

    /// What holds here of everyone.
    private static let standard: JSONObject = [
        "attributes": .array([
            attribute("username", upTo: 200), attribute("email", upTo: 254),
            attribute("firstName", upTo: 200), attribute("lastName", upTo: 200),
        ]),
        "groups": [], "unmanagedAttributePolicy": "ENABLED",
    ]

    private static func attribute(_ name: String, upTo length: Int64) -> JSONValue {
        var attribute: JSONObject = ["name": .string(name), "multivalued": false]
        attribute["displayName"] = .string("${\(name)}")
        attribute["validations"] = ["length": ["max": .integer(length)]]
        attribute["permissions"] = ["view": ["admin", "user"], "edit": ["admin", "user"]]
        return .object(attribute)
    }
}

extension AdminRight {
    /// For anyone who sees the realm or its people.
    fileprivate static let viewProfile = AdminRight(
        "view-realm",
        "manage-realm",
        "query-users",
        "view-users",
        "manage-users"
    )
}
