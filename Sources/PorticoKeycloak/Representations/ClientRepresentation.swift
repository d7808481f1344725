import PorticoAdministration
package import PorticoBytes
package import PorticoProtocol
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
        let members = ClientMembers.table.representation
        let kept = client.kept?.object ?? members.usual
        var client = client
        client.accessTokenType = client.accessTokenType ?? realm.accessTokenType
        var json = kept
        json["id"] = .string(client.id)
        json["clientId"] = .string(client.clientID)
        let said = kept.object("attributes") ?? JSONObject()
        var attributes = said
        ClientMembers.attributes.write(
            client,
            over: said,
            to: &attributes,
            where: { !isData || $1.isOfAll }
        )
        if !isData || attributes != said { json["attributes"] = .object(attributes) }
        // With the keys that it was given here.
        var shown = kept
        shown["attributes"] = .object(attributes)
        ClientMembers.table.write(
            client,
            over: shown,
            to: &json,
            isWhole: !isData,
            where: { !isData || $1.isOfAll || $0 == "enabled" }
        )
        if !isData {
            if let secret { json["secret"] = .string(secret.reveal()) }
            scopes.set(of: client, in: &json)
        }
        json[MapperList.member] = MapperList(client.mappers, kept).values.map(JSONValue.array)
        setDefaultRoles(in: &json, kept)
        return json.ordered(members.order)
    }

    /// Of files from before version 13: later ones have one default role of the realm.
    private func setDefaultRoles(in json: inout JSONObject, _ kept: JSONObject) {
        guard realm.kept.object.object("defaultRole") == nil else { return }
        let roles = realm.defaultRoles(of: client).map(\.name)
        if kept.strings("defaultRoles") ?? [] != roles { json["defaultRoles"] = .texts(roles) }
    }

    /// Whether next to nothing of it acts here: Keycloak's own clients, and those of other protocols.
    private var isData: Bool {
        Client.isBuiltIn(client.clientID, in: realm.name) && client.tokenForm != .standard
            || client.kept["protocol"]?.string ?? "openid-connect" != "openid-connect"
    }
}
