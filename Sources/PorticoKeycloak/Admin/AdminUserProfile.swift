import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/users/profile`: which attributes people have (Keycloak `UPConfig`). It is kept as data: the names,
/// the address and the user name follow this server's rules, and every attribute is kept.
struct AdminUserProfile: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
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

    private var store: RealmStore { administration.store }

    private func component(_ call: AdminCall) async throws -> RealmPart? {
        try await store.parts(PartImport.components, realmID: call.realmID).first {
            $0.document.string("providerType") == Self.type
        }
    }

    private func profile(_ call: AdminCall) async throws -> JSONObject {
        let text = try await component(call)?.document.object("config")?.strings(Self.setting)?
            .first
        // `try?`: what cannot be read says nothing, and a file may have it.
        let kept = text.flatMap {
            try? JSONObject(parsing: Array($0.utf8), limits: JSONLimits(size: Self.longest))
        }
        return kept ?? Self.standard
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let body = try Representation(call.json(), path: "")
        let names = try body.children("attributes").map { try $0.text("name") ?? "" }
        guard names.count <= 200, !names.contains("") else {
            throw AdminRefusal.invalid("UserProfile configuration has an attribute without a name")
        }
        for needed in ["username", "email"] where !names.contains(needed) {
            throw AdminRefusal.invalid("UserProfile configuration lacks the attribute \(needed)")
        }
        let profile = body.object
        let text = profile.serialized()
        guard text.count <= Self.longest else {
            throw AdminRefusal.invalid("UserProfile configuration is too long")
        }
        var part =
            try await component(call)
            ?? Self.part(id: UniqueID(random: call.moment.random).text, realmID: call.realmID)
        part.document["config"] = [
            Self.setting: .texts([String(decoding: text, as: UTF8.self)])
        ]
        try await administration.put(part, by: call.administrator, needing: .manageRealm)
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
    func metadata(_ call: AdminCall) async throws -> JSONObject {
        let profile = try await profile(call)
        let attributes = (profile.array("attributes") ?? []).compactMap(\.object)
        return [
            "attributes": .array(attributes.map { .object(Self.shown($0)) }),
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
