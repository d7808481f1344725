import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// What is kept of an imported realm and changed by an import only: authentication flows, required
/// actions, texts.
struct AdminKeptParts: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        [
            .get("authentication/flows", .viewRealm) { call in
                .list(try await parts("authenticationFlows", call))
            },
            .get("authentication/required-actions", .viewRealm) { call in
                .list(try await actions(call))
            },
            .get("authentication/required-actions/{action}", .viewRealm) { call in
                let alias = try call.segment("action")
                let action = try await actions(call).first {
                    $0.string("alias").map { sameBytes($0, alias) } ?? false
                }
                guard let action else {
                    throw AdminRefusal.notFound("Failed to find required action")
                }
                return .object(action)
            },
            .get("localization", .viewRealm) { call in
                let texts = call.realm.realm.keycloak?.object("localizationTexts")
                return .json(.texts((texts ?? [:]).map(\.name)))
            },
        ]
    }

    private func parts(_ kind: String, _ call: AdminCall) async throws -> [JSONObject] {
        let secrets = RealmSecrets(ring: administration.ring, areShown: false)
        return try await administration.store.parts(kind, realmID: call.realmID)
            .map { try RealmPartRepresentation($0, secrets: secrets).json }
    }

    /// A realm that came without any has those that people are led through here.
    private func actions(_ call: AdminCall) async throws -> [JSONObject] {
        let kept = try await parts("requiredActions", call)
        guard kept.isEmpty else { return kept }
        return Self.own.enumerated().map { index, action in
            [
                "alias": .string(action.alias), "name": .string(action.name),
                "providerId": .string(action.alias), "enabled": true, "defaultAction": false,
                "priority": .integer(Int64(index + 1) * 10), "config": [:],
            ]
        }
    }

    private static let own = [
        (alias: RequiredAction.verifyEmail, name: "Verify Email"),
        (alias: RequiredAction.configureTOTP, name: "Configure OTP"),
        (alias: RequiredAction.updatePassword, name: "Update Password"),
    ]
}
