import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A client as a request of the administration describes it (Keycloak `ClientRepresentation`), made
/// into one by the rules of the import. Where the import leaves something out that the request says,
/// or makes something else of it, the request is refused.
struct ClientFields: Sendable {
    private let call: AdminCall
    private let administration: RealmAdministration
    private let scopes: [ClientScope]
    private let demands: FlowDemands

    init(_ call: AdminCall, _ administration: RealmAdministration) async throws {
        self.call = call
        self.administration = administration
        scopes = try await administration.store.scopes(realmID: call.realmID)
        demands = try FlowDemands(try await administration.flows(ofRealm: call.realmID))
    }

    /// A new client, with Keycloak's defaults.
    func new(_ representation: Representation) throws -> Client {
        // Its tokens would have next to nothing.
        guard !scopes.isEmpty else {
            throw AdminRefusal.invalid(
                "This realm has no client scopes: see portico client create."
            )
        }
        var json = representation.object
        let id = UniqueID(random: call.moment.random).text
        if json["id"] == nil { json["id"] = .string(id) }
        if try representation.text("clientId") == nil {
            json["clientId"] = json["id"]
        }
        if json["protocol"] != nil {
            for name in ["publicClient", "directAccessGrantsEnabled"] where json[name] == nil {
                json[name] = true
            }
        } else {
            json["protocol"] = "openid-connect"
        }
        for (name, value) in Self.defaults where json[name] == nil { json[name] = value }
        if json.string("secret").map(ClientImport.isMask) ?? false { json["secret"] = nil }
        let isPublic = json.bool("publicClient") ?? false
        var attributes = json.object("attributes")?.withoutEmptyTexts ?? JSONObject()
        attributes["realm_client"] = "false"
        // RFC 9700 §2.1.1: what is new uses PKCE.
        if isPublic, attributes[Self.pkce] == nil { attributes[Self.pkce] = "S256" }
        json["attributes"] = .object(attributes)
        if json["webOrigins"] == nil {
            let redirects = (try representation.strings("redirectUris") ?? []).map(RedirectURI.init)
            json["webOrigins"] = .texts(WebOrigin.origins(of: redirects))
        }
        if json.bool("serviceAccountsEnabled") == true,
            scopes.contains(where: { $0.name == "service_account" })
        {
            if json["defaultClientScopes"] == nil, json["optionalClientScopes"] == nil {
                let realm = call.realm.realm
                json["defaultClientScopes"] = .texts(realm.defaultClientScopes)
                json["optionalClientScopes"] = .texts(realm.optionalClientScopes)
            }
            let names = json.strings("defaultClientScopes") ?? []
            json["defaultClientScopes"] = .texts(
                names.filter { $0 != "service_account" } + ["service_account"]
            )
        }
        if !isPublic, json.string("clientAuthenticatorType") ?? "client-secret" == "client-secret",
            json["secret"] == nil
        {
            json["secret"] = .string(RealmAdministration.newSecret(call.moment).reveal())
        }
        var unsaid = Self.defaults
        for name in ["id", "clientId", "protocol"] { unsaid[name] = json[name] }
        return try client(json, over: unsaid, former: nil)
    }

    /// A client with what is given; what is absent stays.
    func changed(_ former: Client, _ representation: Representation) throws -> Client {
        if let clientID = try representation.text("clientId"), !sameBytes(clientID, former.clientID)
        {
            guard call.realm.client(named: clientID) == nil else {
                throw AdminRefusal.described(
                    "conflict",
                    "Duplicate resource error",
                    status: .conflict
                )
            }
            throw AdminRefusal.invalid("A client keeps its client_id: make another one.")
        }
        var json = ClientRepresentation(
            former,
            in: call.realm.realm,
            scopes: AssignedScopes(call.realm.realm, scopes: scopes),
            secret: nil
        ).json
        json["secret"] = nil
        json.setMark(former.administers)
        let before = json
        for (name, value) in representation.object where value != .null {
            if name == "attributes", let changes = value.object {
                var attributes = json.object(name) ?? JSONObject()
                // An empty text takes one away, too, as there.
                for (key, value) in changes {
                    attributes.set(key, to: value == "" ? .null : value)
                }
                json[name] = .object(attributes)
            } else {
                json[name] = value
            }
        }
        json["id"] = .string(former.id)
        if json.string("secret").map(ClientImport.isMask) ?? false { json["secret"] = nil }
        json["access"] = nil
        return try client(json, over: before, former: former)
    }

    /// - Parameter before: What it would be without what the request says.
    private func client(_ json: JSONObject, over before: JSONObject, former: Client?) throws
        -> Client
    {
        let said = json
        var json = json
        json["access"] = nil
        let administers = json.object("attributes")?.string(AdminRights.mark)?.isTrue ?? false
        json.setMark(false)
        try WrittenOutAddresses(
            redirectURIs: json.strings("redirectUris") ?? [],
            webOrigins: json.strings("webOrigins") ?? [],
            postLogoutRedirectURIs: RedirectPatterns.parts(
                of: json.object("attributes")?.string("post.logout.redirect.uris") ?? ""
            ),
            rootURL: json.string("rootUrl")
        ).check(former: former, in: call.realm.realm)
        json[MapperList.member] = try mappers(of: json, former: former)
        for name in ["defaultClientScopes", "optionalClientScopes"] {
            guard let names = json.strings(name) else { continue }
            // Those that Keycloak has of itself may not be here: it passes over what is not there.
            json[name] = .texts(
                names.filter { name in
                    !BuiltInScopes.keycloaks.contains(name)
                        || scopes.contains { sameBytes($0.name, name) }
                }
            )
        }
        let hasSecret = json["secret"] != nil
        let (made, report) = try imported(json)
        let (_, known) = try imported(before.staying(in: json))
        if let refusal = report.news(since: known)?.refusal() { throw refusal }
        guard var client = made else { throw report.refusal() ?? AdminRefusal.unreadable }
        // An import that disabled it, because its protection would be gone, is not asked again.
        let wasShut = former?.isEnabled == false && before.bool("enabled") == true
        if !client.isEnabled, !wasShut, json.bool("enabled") == true,
            let refusal = report.refusal()
        {
            throw refusal
        }
        if let former {
            if !hasSecret, client.secret != nil {
                // One that had none gets one that is shown to who asks.
                client.secret =
                    former.secret
                    ?? ClientSecretSeal(ring: administration.ring).keep(
                        RealmAdministration.newSecret(call.moment),
                        of: client.id,
                        random: call.moment.random
                    )
            }
            // Keycloak has one word for both ways to send a secret.
            if former.authentication == .clientSecretPost,
                client.authentication == .clientSecretBasic
            {
                client.authentication = .clientSecretPost
            }
            client.isMoved = former.isMoved
            client.keep(former, withProof: false)
            try keepForm(of: former, said, before, &client)
            if Client.isBuiltIn(client.clientID, in: call.realm.realm.name) {
                client = former.own(saying: client)
            }
        }
        if json.object("attributes")?[Self.pkce] == nil, !client.grantTypes.isEmpty {
            client.codeProtection =
                former?.codeProtection ?? (client.type == .public ? .pkce : .pkceOrNonce)
        }
        client.administers = administers
        return client
    }

    /// What the representation has no word for stays: mappers and rules that only this server has.
    private func keepForm(
        of former: Client,
        _ said: JSONObject,
        _ before: JSONObject,
        _ client: inout Client
    ) throws {
        client.keepForm(of: former)
        let known = former.mappers.map { ($0, $0.representation) }
        client.mappers = client.mappers.map { mapper in
            let representation = mapper.representation
            return known.first { $0.1 == representation }?.0 ?? mapper
        }
        if said["fullScopeAllowed"] == before["fullScopeAllowed"] {
            client.seesAllRoles = former.seesAllRoles
        }
        let type = former.accessTokenType ?? call.realm.realm.accessTokenType
        if client.accessTokenType == type { client.accessTokenType = former.accessTokenType }
        guard client.redirectRule != .patterns else { return }
        do {
            client = try ClientRegistration(ring: administration.ring)(
                client,
                others: [],
                algorithms: Set(call.realm.keys.published(at: call.moment.seconds).algorithms),
                isImported: true,
                random: call.moment.random
            ).client
        } catch {
            throw AdminRefusal.invalid("\(error.rule)")
        }
    }

    /// What an import makes of it, and what it says of it.
    private func imported(_ json: JSONObject) throws -> (client: Client?, report: ImportReport) {
        let file = try Representation(["clients": [.object(json)]], path: "")
        var report = try demands.report(browserFlow: nil, clients: [json])
        var ids = ImportedIDs()
        let clients = try ClientImport(
            registration: ClientRegistration(ring: administration.ring),
            realm: call.realm.realm,
            scopes: scopes,
            algorithms: Set(call.realm.keys.published(at: call.moment.seconds).algorithms),
            moment: call.moment
        )(file, ids: &ids, report: &report)
        return (clients.first, report)
    }

    /// What a client is that says nothing else.
    static let defaults: JSONObject = [
        "surrogateAuthRequired": false, "enabled": true, "alwaysDisplayInConsole": false,
        "clientAuthenticatorType": "client-secret", "notBefore": 0, "bearerOnly": false,
        "consentRequired": false, "standardFlowEnabled": true, "implicitFlowEnabled": false,
        "directAccessGrantsEnabled": false, "serviceAccountsEnabled": false,
        "publicClient": false, "frontchannelLogout": false, "protocol": "openid-connect",
        "attributes": [:], "authenticationFlowBindingOverrides": [:], "fullScopeAllowed": true,
        "nodeReRegistrationTimeout": -1,
    ]

    private static let pkce = "pkce.code.challenge.method"

    // MARK: Mappers

    /// The mappers, each with an id.
    private func mappers(of json: JSONObject, former: Client?) throws -> JSONValue? {
        guard let mappers = json.array(MapperList.member) else { return nil }
        let known = former.map { MapperOwner.client($0).representations } ?? []
        return .array(
            try mappers.map { value in
                if let object = value.object, known.contains(object) { return value }
                return .object(try MapperFields.registrable(value, at: call.moment).json)
            }
        )
    }
}

extension JSONObject {
    /// Says in a client's representation whether people administer by way of it, or nothing.
    mutating func setMark(_ administers: Bool) {
        guard var attributes = object("attributes") else {
            if administers { self["attributes"] = [AdminRights.mark: "true"] }
            return
        }
        attributes[AdminRights.mark] = administers ? "true" : nil
        self["attributes"] = .object(attributes)
    }
}
