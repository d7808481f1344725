import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A client as a request of the administration describes it (Keycloak `ClientRepresentation`), made
/// into one by the members that an import reads (``ClientRepresentation``). Where something of what it says would
/// be left out, or become something else, the request is refused.
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
        if json["protocol"] != nil {
            for name in ["publicClient", "directAccessGrantsEnabled"] where json[name] == nil {
                json[name] = true
            }
        }
        for (name, value) in Self.defaults where json[name] == nil { json[name] = value }
        if json.string("secret").map(ClientImport.isMask) ?? false { json["secret"] = nil }
        let id = UniqueID(random: call.moment.random).text
        let clientID = try representation.text("clientId") ?? json.string("id") ?? id
        json["clientId"] = .string(clientID)
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
        var ids = ImportedIDs()
        let blank = ClientReader.blank(
            clientID,
            id: ids.take(try representation.text("id") ?? id, random: call.moment.random),
            realmID: call.realmID
        )
        return try client(blank, json, former: nil)
    }

    /// A client with what is given; what is absent stays.
    func changed(_ former: Client, _ representation: Representation) async throws -> Client {
        if let clientID = try representation.text("clientId"), !sameBytes(clientID, former.clientID)
        {
            guard try await !administration.store.hasClient(clientID, realmID: call.realmID) else {
                throw AdminRefusal.described(
                    "conflict",
                    "Duplicate resource error",
                    status: .conflict
                )
            }
            throw AdminRefusal.invalid("A client keeps its client_id: make another one.")
        }
        var before = ClientRepresentation(
            former,
            in: call.realm.realm,
            scopes: AssignedScopes(call.realm.realm, scopes: scopes),
            secret: nil
        ).json
        before.setMark(former.administers)
        var json = before
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
        json["access"] = nil
        if json.string("secret").map(ClientImport.isMask) ?? false { json["secret"] = nil }
        return try client(former, json, former: (former, before))
    }

    /// - Parameters:
    ///   - base: What it is without what the request says.
    ///   - said: The whole representation.
    ///   - former: The client before, and its representation.
    private func client(_ base: Client, _ said: JSONObject, former: (Client, JSONObject)?) throws
        -> Client
    {
        var (said, before) = (said, former?.1)
        let administers = said.attribute(AdminRights.mark)?.isTrue ?? false
        said.setMark(false)
        before?.setMark(false)
        try checkAddresses(of: said, former: former?.0)
        said[MapperList.member] = try mappers(of: said, former: former?.0)
        for name in ["defaultClientScopes", "optionalClientScopes"] {
            guard let names = said.strings(name) else { continue }
            // Those that Keycloak has of itself may not be here: it passes over what is not there.
            said[name] = .texts(
                names.filter { name in
                    !BuiltInScopes.keycloaks.contains(name)
                        || scopes.contains { sameBytes($0.name, name) }
                }
            )
        }
        let representation = try Representation(.object(said), path: "")
        var client = base
        try read(representation, before, to: &client)
        if said.attribute(Self.pkce) == nil, !client.grantTypes.isEmpty {
            client.codeProtection =
                former?.0.codeProtection ?? (client.type == .public ? .pkce : .pkceOrNonce)
        }
        // What was revoked stays revoked.
        client.notBefore = max(client.notBefore, former?.0.notBefore ?? 0)
        client.administers = administers
        return client
    }

    /// Reads what is different: a change is judged for what it changes.
    private func read(_ said: Representation, _ before: JSONObject?, to client: inout Client) throws
    {
        let former = client
        let names = before.map { ClientRepresentation.Names($0, said.object) }
        var report = ImportReport(realm: "", naming: .max)
        if try said.text("protocol") ?? "openid-connect" != "openid-connect" {
            report.add(.skipped, "client \(client.clientID)", "not a client of OpenID Connect")
        }
        if names?.members.contains("authenticationFlowBindingOverrides") ?? true {
            try demands.add(browserFlow: nil, clients: [said], to: &report)
        }
        let realm = call.realm.realm
        var known = ClientScopes(of: realm, scopes: scopes)
        if let before { known = known.over(former, saying: before) }
        try ClientReader(realm: realm, scopes: known).read(
            said,
            names,
            to: &client,
            report: &report
        )
        if names?.parts.contains(.proof) ?? true {
            try checkProof(said, before, former, &report)
        }
        guard !Client.isBuiltIn(client.clientID, in: realm.name) else {
            if let refusal = report.refusal() { throw refusal }
            return
        }
        let algorithms = Set(call.realm.keys.published(at: call.moment.seconds).algorithms)
        if before != nil { client.leaveOut(algorithmsOf: former, but: algorithms) }
        let secret = try secret(of: &client, said)
        let admitted = ClientAdmission(
            registration: ClientRegistration(ring: administration.ring),
            algorithms: algorithms,
            random: call.moment.random
        )(client, secret, schemes: [:], report: &report)
        if let refusal = report.refusal() { throw refusal }
        guard let admitted else { throw AdminRefusal.unreadable }
        client = admitted
    }

    /// An import that disabled a client, because its protection would be gone, is not asked again.
    private func checkProof(
        _ said: Representation,
        _ before: JSONObject?,
        _ former: Client,
        _ report: inout ImportReport
    ) throws {
        let proof = try ClientProof(said)
        guard let shut = proof.whyDisabled else { return }
        let known = try before.map { try ClientProof(Representation(stored: $0)) }
        let wasShut = !former.isEnabled && known?.isEnabled == true
        if known?.whyDisabled == nil || proof.isEnabled && !wasShut {
            report.add(.disabled, "client \(former.clientID)", "\(shut)")
        }
    }

    /// One that had no secret gets one that is shown to those who ask for it.
    private func secret(of client: inout Client, _ said: Representation) throws
        -> ClientRegistration.Secret
    {
        switch client.authentication {
        case .none, .privateKeyJWT: return .unchanged
        case .clientSecretBasic, .clientSecretPost: break
        }
        if try ClientProof(said).isSecret, let secret = try said.text("secret") {
            return .chosen(SecretText(secret))
        }
        if client.secret == nil {
            client.secret = ClientSecretSeal(ring: administration.ring).keep(
                RealmAdministration.newSecret(call.moment),
                of: client.id,
                random: call.moment.random
            )
        }
        return .unchanged
    }

    private func checkAddresses(of said: JSONObject, former: Client?) throws {
        try WrittenOutAddresses(
            redirectURIs: said.strings("redirectUris") ?? [],
            webOrigins: said.strings("webOrigins") ?? [],
            postLogoutRedirectURIs: RedirectPatterns.parts(
                of: said.attribute("post.logout.redirect.uris") ?? ""
            ),
            rootURL: said.string("rootUrl")
        ).check(former: former, in: call.realm.realm)
    }

    /// What a client is that says nothing else.
    static let defaults = RepresentationMembers.client.usual

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

extension Client {
    /// The realm may have no key any more for an algorithm that it had.
    fileprivate mutating func leaveOut(
        algorithmsOf former: Client,
        but known: Set<SignatureAlgorithm>
    ) {
        for path in [\Client.idTokenAlgorithm, \Client.accessTokenAlgorithm] {
            guard let algorithm = self[keyPath: path], algorithm == former[keyPath: path] else {
                continue
            }
            if !known.contains(algorithm) { self[keyPath: path] = nil }
        }
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
