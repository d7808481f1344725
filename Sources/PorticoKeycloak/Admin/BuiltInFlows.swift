import PorticoBytes
import PorticoProtocol

/// The authentication flows that programs expect in every realm of Keycloak's, for those that came
/// with none. Their names are Keycloak's, because programs name them.
enum BuiltInFlows {
    static func flows(of realmID: String) -> [JSONObject] {
        table.map { flow in
            [
                "id": .string(UniqueID(of: "flow\n\(realmID)\n\(flow.alias)").text),
                "alias": .string(flow.alias), "description": "",
                "providerId": .string(flow.kind), "topLevel": .bool(flow.isTop), "builtIn": true,
                "authenticationExecutions": .array(
                    flow.steps.enumerated().map { .object(execution($1, at: $0)) }
                ),
            ]
        }
    }

    /// Of those at the top.
    static let names = Set(table.filter(\.isTop).map(\.alias))

    /// - Parameter step: The requirement and what is asked; a flow in it with `>`.
    private static func execution(_ step: String, at index: Int) -> JSONObject {
        let parts = step.split(separator: " ", maxSplits: 1)
        let isFlow = parts[1].hasPrefix(">")
        var json: JSONObject = [
            "requirement": .string(String(parts[0])), "priority": .integer(Int64(index + 1) * 10),
            "authenticatorFlow": .bool(isFlow), "autheticatorFlow": .bool(isFlow),
            "userSetupAllowed": false,
        ]
        json[isFlow ? "flowAlias" : "authenticator"] = .string(
            String(isFlow ? parts[1].dropFirst() : parts[1])
        )
        return json
    }

    private struct Flow {
        let alias: String
        var kind = "basic-flow"
        var isTop = true
        let steps: [String]
    }

    private static let table = [
        Flow(
            alias: "browser",
            steps: [
                "ALTERNATIVE auth-cookie", "ALTERNATIVE identity-provider-redirector",
                "ALTERNATIVE >forms",
            ]
        ),
        Flow(
            alias: "forms",
            isTop: false,
            steps: [
                "REQUIRED auth-username-password-form", "CONDITIONAL >Browser - Conditional 2FA",
            ]
        ),
        Flow(
            alias: "Browser - Conditional 2FA",
            isTop: false,
            steps: [
                "REQUIRED conditional-user-configured", "ALTERNATIVE auth-otp-form",
                "ALTERNATIVE auth-recovery-authn-code-form",
            ]
        ),
        Flow(
            alias: "direct grant",
            steps: [
                "REQUIRED direct-grant-validate-username",
                "REQUIRED direct-grant-validate-password",
            ]
        ),
        Flow(alias: "registration", steps: ["REQUIRED >registration form"]),
        Flow(
            alias: "registration form",
            kind: "form-flow",
            isTop: false,
            steps: ["REQUIRED registration-user-creation", "REQUIRED registration-password-action"]
        ),
        Flow(
            alias: "reset credentials",
            steps: [
                "REQUIRED reset-credentials-choose-user", "REQUIRED reset-credential-email",
                "REQUIRED reset-password",
            ]
        ),
        Flow(
            alias: "clients",
            kind: "client-flow",
            steps: ["ALTERNATIVE client-secret", "ALTERNATIVE client-jwt"]
        ),
        Flow(
            alias: "first broker login",
            steps: ["REQUIRED idp-review-profile", "REQUIRED >User creation or linking"]
        ),
        Flow(
            alias: "User creation or linking",
            isTop: false,
            steps: ["ALTERNATIVE idp-create-user-if-unique", "ALTERNATIVE idp-confirm-link"]
        ),
        Flow(alias: "docker auth", steps: ["REQUIRED docker-http-basic-authenticator"]),
    ]
}

extension UniqueID {
    /// The one that follows from a text: always the same.
    init(of text: String) {
        self.init(random: RandomSource { Array(Hash256(of: text).bytes.prefix($0)) })
    }
}
