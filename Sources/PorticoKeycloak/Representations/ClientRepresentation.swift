import PorticoAdministration
package import PorticoBytes
package import PorticoProtocol
import PorticoProvider
package import PorticoStores

/// A client as Keycloak writes it (Keycloak `ClientRepresentation`).
///
/// Of a client from Keycloak, what its file said stands, as long as it still says what is kept
/// here. What has no word there is left out: a client that hands its sign-in on, for one.
package struct ClientRepresentation: Sendable {
    let client: Client
    let realm: Realm
    let scopes: AssignedScopes
    /// Its secret, or a mask.
    let secret: SecretText?

    /// - Parameter scopes: Of the realm.
    package init(_ client: Client, in realm: Realm, scopes: AssignedScopes, secret: SecretText?) {
        self.client = client
        self.realm = realm
        self.scopes = scopes
        self.secret = secret
    }

    package var json: JSONObject {
        let kept = client.kept?.object ?? Self.new
        var json = kept
        json["id"] = .string(client.id)
        json["clientId"] = .string(client.clientID)
        if !isData {
            if kept.string("name") ?? client.clientID != client.name {
                json["name"] = .string(client.name)
            }
            setSwitches(in: &json, kept)
            setAuthentication(in: &json, kept)
            json["redirectUris"] = .texts(client.redirectURIs.map(\.text))
            json["webOrigins"] = .texts(client.webOrigins)
            let attributes = ClientAttributesRepresentation(client, in: realm)
            json["attributes"] = .object(attributes.json)
            scopes.set(of: client, in: &json)
        } else if isBuiltIn {
            setProtection(in: &json, kept)
        }
        setRules(in: &json, kept)
        return json.ordered(Self.order)
    }

    /// What acts of every client.
    private func setRules(in json: inout JSONObject, _ kept: JSONObject) {
        json[MapperList.member] = MapperList(client.mappers, kept).values.map(JSONValue.array)
        for (name, now) in [("rootUrl", client.rootURI), ("baseUrl", client.homeURI)]
        where kept.string(name) ?? "" != now ?? "" {
            json[name] = now.map(JSONValue.string)
        }
        if max(0, kept.int64("notBefore") ?? 0) != client.notBefore {
            json["notBefore"] = .integer(client.notBefore)
        }
        json["fullScopeAllowed"] = .bool(client.seesAllRoles)
        // Of files from before version 13: later ones have one default role of the realm.
        guard realm.kept.object.object("defaultRole") == nil else { return }
        let roles = realm.defaultRoles(of: client).map(\.name)
        if kept.strings("defaultRoles") ?? [] != roles { json["defaultRoles"] = .texts(roles) }
    }

    /// Whether next to nothing of it acts here: Keycloak's own clients, and those of other protocols.
    private var isData: Bool {
        isBuiltIn && client.tokenForm != .standard
            || client.kept["protocol"]?.string ?? "openid-connect" != "openid-connect"
    }

    private var isBuiltIn: Bool { Client.isBuiltIn(client.clientID, in: realm.name) }

    /// What acts of Keycloak's own, too (``Client/own(saying:)``).
    private func setProtection(in json: inout JSONObject, _ kept: JSONObject) {
        for (name, now, without) in [
            ("enabled", client.isEnabled, true), ("consentRequired", client.requiresConsent, false),
        ] where (kept.bool(name) ?? without) != now {
            json[name] = .bool(now)
        }
        let attributes = ClientAttributesRepresentation(client, in: realm).protecting
        if attributes != kept.object("attributes") ?? JSONObject() {
            json["attributes"] = .object(attributes)
        }
    }

    private func setSwitches(in json: inout JSONObject, _ kept: JSONObject) {
        let (isPublic, codes, account) = (
            client.type == .public, client.grantTypes.contains(.authorizationCode),
            client.grantTypes.contains(.clientCredentials)
        )
        let mayGet = !(kept.bool("bearerOnly") ?? false)
        // The member, what it says where it is missing, whether the import follows it, and what is
        // kept now.
        let switches: [(String, Bool, Bool, Bool)] = [
            ("enabled", true, !isShut(kept), client.isEnabled),
            ("publicClient", false, true, isPublic),
            ("consentRequired", false, true, client.requiresConsent),
            ("standardFlowEnabled", true, mayGet, codes),
            ("serviceAccountsEnabled", false, mayGet && !isPublic, account),
        ]
        for (name, without, isFollowed, now) in switches {
            let said = kept.bool(name) ?? without
            json[name] = .bool((said && isFollowed) == now ? said : now)
        }
    }

    /// Whether the import disabled it, because its protection would be gone here, and it still is.
    private func isShut(_ kept: JSONObject) -> Bool {
        // `try?`: what cannot be read was not imported.
        var shown = kept
        // Keys that it was given here are proof enough.
        shown["attributes"] = .object(ClientAttributesRepresentation(client, in: realm).json)
        guard !client.isEnabled, let file = try? Representation(.object(shown), path: ""),
            let attributes = try? ClientAttributes(file)
        else { return false }
        let isPublic = client.type == .public
        return (try? ClientImport.whyDisabled(file, attributes, isPublic: isPublic)) ?? nil != nil
    }

    private func setAuthentication(in json: inout JSONObject, _ kept: JSONObject) {
        let type = kept.string("clientAuthenticatorType") ?? "client-secret"
        switch client.authentication {
        case _ where isShut(kept): break
        case .none: json.set("clientAuthenticatorType", .string(type), unless: true)
        case .clientSecretBasic, .clientSecretPost:
            json.set(
                "clientAuthenticatorType",
                "client-secret",
                unless: type.hasPrefix("client-secret")
            )
        case .privateKeyJWT:
            // Other proofs are kept as one that nothing passes.
            json.set("clientAuthenticatorType", "client-jwt", unless: type != "client-secret")
        }
        if let secret { json["secret"] = .string(secret.reveal()) }
    }

    /// A client that was made here.
    private static let new: JSONObject = [
        "surrogateAuthRequired": false, "alwaysDisplayInConsole": false, "notBefore": 0,
        "bearerOnly": false, "implicitFlowEnabled": false, "directAccessGrantsEnabled": false,
        "frontchannelLogout": false, "protocol": "openid-connect",
        "authenticationFlowBindingOverrides": [:], "nodeReRegistrationTimeout": -1,
    ]

    private static let order = [
        "id", "clientId", "name", "description", "type", "rootUrl", "adminUrl", "baseUrl",
        "surrogateAuthRequired", "enabled", "alwaysDisplayInConsole", "clientAuthenticatorType",
        "secret", "registrationAccessToken", "defaultRoles", "redirectUris", "webOrigins",
        "notBefore", "bearerOnly", "consentRequired", "standardFlowEnabled",
        "implicitFlowEnabled", "directAccessGrantsEnabled", "serviceAccountsEnabled",
        "authorizationServicesEnabled", "publicClient", "frontchannelLogout", "protocol",
        "attributes", "authenticationFlowBindingOverrides", "fullScopeAllowed",
        "nodeReRegistrationTimeout", "registeredNodes", "protocolMappers", "clientTemplate",
        "defaultClientScopes", "optionalClientScopes", "authorizationSettings",
    ]
}
