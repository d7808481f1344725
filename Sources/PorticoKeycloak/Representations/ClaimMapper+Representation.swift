import PorticoProtocol
import PorticoStores

extension ClaimMapper {
    /// The protocol mapper that does the same in Keycloak (Keycloak `ProtocolMapperRepresentation`).
    func representation(id: String) -> JSONObject {
        var config: JSONObject = [
            "access.token.claim": .string("\(targets.contains(.accessToken))"),
            "id.token.claim": .string("\(targets.contains(.idToken))"),
            "userinfo.token.claim": .string("\(targets.contains(.userInfo))"),
        ]
        let kind: String
        let name: String
        switch source {
        case .realmRoles(let claim):
            (kind, name) = ("oidc-usermodel-realm-role-mapper", claim)
            config["multivalued"] = "true"
        case .clientRoles(let clientID, let claim):
            (kind, name) = ("oidc-usermodel-client-role-mapper", claim)
            config["multivalued"] = "true"
            config["usermodel.clientRoleMapping.clientId"] = .string(clientID)
        case .attribute(let attribute, let claim, let isMultivalued):
            (kind, name) = ("oidc-usermodel-attribute-mapper", claim)
            config["user.attribute"] = .string(attribute)
            config["multivalued"] = .string("\(isMultivalued)")
        case .fixed(let claim, let value):
            (kind, name) = ("oidc-hardcoded-claim-mapper", claim)
            config["claim.value"] = .string(
                value.string ?? String(decoding: value.serialized(), as: UTF8.self)
            )
            config["jsonType.label"] = .string(Self.type(of: value))
        case .audience(let audience):
            (kind, name) = ("oidc-audience-mapper", audience)
            config["included.custom.audience"] = .string(audience)
        }
        if kind != "oidc-audience-mapper" {
            // A period is a level there.
            config["claim.name"] = .string(name.replacing(".", with: "\\."))
            if config["jsonType.label"] == nil { config["jsonType.label"] = "String" }
        }
        return [
            "id": .string(id), "name": .string(name), "protocol": "openid-connect",
            "protocolMapper": .string(kind), "consentRequired": false, "config": .object(config),
        ]
    }

    private static func type(of value: JSONValue) -> String {
        switch value {
        case .string: "String"
        case .bool: "boolean"
        case .integer: "long"
        default: "JSON"
        }
    }
}
