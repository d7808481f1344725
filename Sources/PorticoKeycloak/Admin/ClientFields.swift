import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// A client as a request of the administration describes it (Keycloak `ClientRepresentation`), made
/// into one by the members that an import reads (``ClientRepresentation``). Where something of what it says would
/// be left out, or become something else, the request is refused.
struct ClientFields: Sendable {
    private var call: AdminCall
    private let scopes: [ClientScope]
    private let demands: FlowDemands

    init(_ call: AdminCall) async throws {
        self.call = call
        scopes = try await call.store.scopes(realmID: call.realmID)
        demands = try FlowDemands(try await call.flows())
    }

    /// The same for another request.
    func of(_ call: AdminCall) -> ClientFields {
        var fields = self
        fields.call = call
        return fields
    }

    /// Makes a client.
    func create(_ representation: Representation) async throws -> Client {
        let (client, secret) = try new(representation)
        return try await call.operations.create(
            client,
            secret: secret,
            giving: client.saidDefaultRoles(in: call.realm) ?? [],
            by: call.administrator,
            at: call.moment
        )
    }

    /// Gives a client what is said; what is absent stays.
    func change(_ former: Client, _ representation: Representation) async throws {
        try await call.operations.expectChangeable(former, by: call.administrator)
        let (client, secret) = try await changed(former, representation)
        try await call.operations.update(
            client,
            replacing: former,
            secret: secret,
            giving: client.saidDefaultRoles(in: call.realm),
            by: call.administrator,
            at: call.moment
        )
    }

    private typealias Fields = (client: Client, secret: ClientRegistration.Secret)

    /// A new client, with Keycloak's defaults.
    private func new(_ representation: Representation) throws -> Fields {
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
        let id = call.newID()
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
                let realm = call.realm
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

    private func changed(_ former: Client, _ representation: Representation) async throws
        -> Fields
    {
        if let clientID = try representation.text("clientId"), !sameBytes(clientID, former.clientID)
        {
            guard try await !call.store.hasClient(clientID, realmID: call.realmID) else {
                throw AdminRefusal.duplicate
            }
            throw AdminRefusal.invalid("A client keeps its client_id: make another one.")
        }
        var before = ClientRepresentation(
            former,
            in: call.realm,
            scopes: AssignedScopes(call.realm, scopes: scopes),
            secret: nil
        ).json
        before.setMark(former.administers)
        var json = before
        for (name, value) in representation.object where value != .null {
            // An empty text takes an attribute away, too, as there.
            json.change(name, to: value, emptying: true)
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
        -> Fields
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
        let secret = try read(representation, before, to: &client)
        if said.attribute(Self.pkce) == nil, !client.grantTypes.isEmpty {
            client.codeProtection =
                former?.0.codeProtection ?? (client.type == .public ? .pkce : .pkceOrNonce)
        }
        // What was revoked stays revoked.
        client.notBefore = max(client.notBefore, former?.0.notBefore ?? 0)
        client.administers = administers
        return (client, secret)
    }

    /// Reads what is different: a change is judged for what it changes.
    private func read(_ said: Representation, _ before: JSONObject?, to client: inout Client) throws
        -> ClientRegistration.Secret
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
        let realm = call.realm
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
        if let refusal = report.refusal() { throw refusal }
        guard !Client.isBuiltIn(client.clientID, in: realm.name) else { return .unchanged }
        if before != nil {
            let published = try call.served.publishedKeys(at: call.moment.seconds)
            client.leaveOut(algorithmsOf: former, but: Set(published.map { $0.jwk.string("alg") }))
        }
        return try secret(of: &client, said)
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
            client.secret = ClientSecretSeal(ring: call.operations.ring).keep(
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
        ).check(former: former, in: call.realm)
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
        but known: Set<String?>
    ) {
        for path in [\Client.idTokenAlgorithm, \Client.accessTokenAlgorithm] {
            guard let algorithm = self[keyPath: path], algorithm == former[keyPath: path] else {
                continue
            }
            if !known.contains(algorithm.rawValue) { self[keyPath: path] = nil }
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

/// Where responses of a client may go whose redirect URIs are patterns, as it is set here. They are written out:
/// patterns are only for clients that came with them (docs/decisions/0049).
struct WrittenOutAddresses {
    let redirectURIs: [String]
    let webOrigins: [String]
    let postLogoutRedirectURIs: [String]
    let rootURL: String?

    /// - Parameter former: The client before: what it has, it keeps.
    func check(former: Client?, in realm: Realm) throws(AdminRefusal) {
        let server = HTTPAddress(realm.issuer)?.webOrigin ?? ""
        // Those of Keycloak's own clients are data, and stand there.
        let kept = former?.kept.object
        let known =
            (former?.redirectURIs.map(\.text) ?? []) + (kept?.strings("redirectUris") ?? [])
        for text in redirectURIs where !known.contains(where: { sameBytes($0, text) }) {
            let pattern: RedirectPattern
            do {
                pattern = try RedirectPattern(text, rootURL: rootURL, serverOrigin: server)
            } catch {
                throw .described(
                    "invalid_input",
                    error == .fragment
                        ? "A redirect URI must not contain an URL fragment"
                        : "A redirect URI is not a valid URI"
                )
            }
            guard !text.utf8.contains(UInt8(ascii: "*")), pattern.warning != .plainHTTP else {
                throw .described(
                    "invalid_input",
                    "A redirect URI is written out, and https unless it is on this machine."
                )
            }
        }
        let origins = (former?.webOrigins ?? []) + (kept?.strings("webOrigins") ?? [])
        let ends = former?.postLogoutRedirectURIs.map(\.text) ?? []
        let others =
            webOrigins.filter { !origins.contains($0) }
            + postLogoutRedirectURIs.filter { !ends.contains($0) }
        guard !others.contains(where: { $0.utf8.contains(UInt8(ascii: "*")) }) else {
            throw .described(
                "invalid_input",
                "Origins and post-logout redirect URIs are written out."
            )
        }
    }
}

extension Client {
    /// Gives a new client the scopes that the realm names for new ones; where it names none, those of its own
    /// that the realm has.
    ///
    /// - Parameter scopes: Of the realm. A host of the AT Protocol has none.
    package mutating func takeScopes(of realm: Realm, scopes: [ClientScope]) {
        guard !scopes.isEmpty else { return }
        let isNamed = !(realm.defaultClientScopes + realm.optionalClientScopes).isEmpty
        if tokenForm != .standard || isNamed {
            return AssignedScopes(realm, scopes: scopes).give(to: &self)
        }
        let names = Set(scopes.map { ExactText($0.name) })
        defaultScopes.removeAll { !names.contains(ExactText($0)) }
        optionalScopes.removeAll { !names.contains(ExactText($0)) }
    }

    /// - Throws: ``AdminRefusal`` for an address that a client with patterns does not get here.
    package func checkWrittenOut(former: Client?, in realm: Realm) throws {
        guard redirectRule == .patterns else { return }
        try WrittenOutAddresses(
            redirectURIs: redirectURIs.map(\.text),
            webOrigins: webOrigins,
            postLogoutRedirectURIs: postLogoutRedirectURIs.map(\.text),
            rootURL: rootURI
        ).check(former: former, in: realm)
    }
}
