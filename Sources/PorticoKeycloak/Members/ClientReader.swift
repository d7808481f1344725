import PorticoAdministration
import PorticoProtocol
import PorticoStores

/// Reads what a representation says into a client (Keycloak `ClientRepresentation`): into a new one of
/// a file, or over one that is here.
struct ClientReader {
    let realm: Realm
    let scopes: ClientScopes

    /// A client that says nothing yet, like every one of Keycloak's.
    static func blank(_ clientID: String, id: String, realmID: String) -> Client {
        var client = Client(
            id: id,
            realmID: realmID,
            clientID: clientID,
            name: clientID,
            type: .public,
            authentication: .none
        )
        client.grantTypes = []
        client.tokenForm = .mapped
        client.redirectRule = .patterns
        client.compatibility = Compatibility.imported
        return client
    }

    /// - Parameter names: Those that are read; `nil`: all.
    func read(
        _ said: Representation,
        _ names: ClientRepresentation.Names? = nil,
        to client: inout Client,
        report: inout ImportReport
    ) throws(RealmImportError) {
        let subject = "client \(client.clientID)"
        let parts = names?.parts ?? [.proof, .addresses, .grants, .scopes]
        // Next to nothing of Keycloak's own clients acts.
        let isOwn = Client.isBuiltIn(client.clientID, in: realm.name)
        let attributes = try said.textAttributes
        if parts.contains(.proof) {
            try ClientProof(said).apply(to: &client, isOwn: isOwn, subject, report: &report)
        }
        try ClientRepresentation.members.read(
            said,
            of: subject,
            to: &client,
            where: { names?.members.contains($0) ?? true && (!isOwn || $1.isOfAll) },
            report: &report
        )
        try ClientRepresentation.attributes.read(
            attributes,
            of: subject,
            to: &client,
            where: { names?.attributes.contains($0) ?? true && (!isOwn || $1.isOfAll) },
            report: &report
        )
        // One that came is read anew: what is known here may have changed since.
        let former = client.mappers.filter { names != nil || $0.kept == nil }
        let list = try MapperList(said, former: former)
        if names?.members.contains(MapperList.member) ?? true {
            let new = list.mappers.filter { !former.contains($0) }
            MapperList(new, [:]).add(subject, to: &report)
            client.mappers = list.mappers
        }
        client.kept = ClientRepresentation.kept(said.object, mappers: list.others, isOwn: isOwn)
        if isOwn { return }
        Self.name(said.object, attributes.object, names, subject, in: &report)
        if parts.contains(.addresses) {
            try ClientAddresses(said, subject).apply(
                to: &client,
                serverOrigin: HTTPAddress(realm.issuer)?.webOrigin ?? "",
                report: &report
            )
        }
        if parts.contains(.grants) {
            try setGrantTypes(of: &client, said, subject, report: &report)
        }
        if parts.contains(.scopes) { try scopes.apply(to: &client, said, report: &report) }
    }

    /// Names what nothing here acts on.
    private static func name(
        _ members: JSONObject,
        _ attributes: JSONObject,
        _ names: ClientRepresentation.Names?,
        _ subject: String,
        in report: inout ImportReport
    ) {
        func named(_ object: JSONObject, _ names: Set<String>?) -> JSONObject {
            guard let names else { return object }
            return JSONObject(unique: object.filter { names.contains($0.name) }) ?? object
        }
        RepresentationMembers.client.add(
            named(members, names?.members),
            subject,
            to: &report
        )
        var object = named(attributes, names?.attributes)
        // A password is the first level.
        for name in ["minimum.acr.value", "default.acr.values"]
        where object.string(name).map({ ["0", "1"].contains($0) }) ?? false {
            object[name] = nil
        }
        ClientRepresentation.attributes.representation.add(object, subject, to: &report)
        if object[AdminRights.mark] != nil {
            report.add(.changed, subject, "no file says that people administer by way of it")
        }
    }

    private func setGrantTypes(
        of client: inout Client,
        _ said: Representation,
        _ subject: String,
        report: inout ImportReport
    ) throws(RealmImportError) {
        let isBearerOnly = try said.bool("bearerOnly") ?? false
        client.grantTypes.subtract([.authorizationCode, .refreshToken, .clientCredentials])
        if try said.bool("standardFlowEnabled") ?? true, !isBearerOnly {
            client.grantTypes.insert(.authorizationCode)
            if try said.textAttributes.text("use.refresh.tokens")?.isTrue ?? true {
                client.grantTypes.insert(.refreshToken)
            }
            if client.redirectURIs.isEmpty {
                // Of each that is left out there is a word of its own.
                report.keep(subject, "has no redirect URI left: no one can sign in to it")
            }
        }
        if try said.bool("serviceAccountsEnabled") ?? false, !isBearerOnly {
            if client.type == .confidential {
                client.grantTypes.insert(.clientCredentials)
            } else {
                report.add(.changed, subject, "a public client has no service account")
            }
        }
        for (name, words) in [
            ("implicitFlowEnabled", "the implicit flow is switched off (RFC 9700 2.1.2)"),
            ("directAccessGrantsEnabled", "the password grant is switched off (RFC 9700 2.4)"),
        ] where try said.bool(name) == true {
            report.keep(subject, words)
        }
    }
}

/// How a client proves itself, and whether it would be protected here as it was there.
struct ClientProof {
    /// Whether its representation switches it on.
    let isEnabled: Bool
    /// Whether it has a secret, in a way that is known here or not.
    let isSecret: Bool
    /// Why it would not be protected as it was there; `nil`: it is.
    let whyDisabled: StaticString?
    private let type: ClientType
    private let authentication: ClientAuthenticationMethod
    private let keySet: JSONValue?
    /// How many keys of its set are not usable here.
    private let unusableKeys: Int

    init(_ said: Representation) throws(RealmImportError) {
        let isPublic = try said.bool("publicClient") ?? false
        let method = try said.text("clientAuthenticatorType") ?? "client-secret"
        let attributes = try said.textAttributes
        let keys = try Self.keys(attributes)
        let set = Self.set(of: keys.filter { Self.isUsable([$0]) })
        let takesKeysFromURL = try attributes.text("use.jwks.url")?.isTrue ?? false
        isEnabled = try said.bool("enabled") ?? true
        isSecret = method == "client-secret" || method == "client-secret-jwt"
        type = isPublic ? .public : .confidential
        // Keys beside the address that it takes them from are old.
        let usable = takesKeysFromURL ? nil : set
        unusableKeys = keys.count - (usable?.object?.array("keys")?.count ?? 0)
        // One that proves itself in a way that is not known here gets a secret that no one knows.
        authentication =
            isPublic
            ? .none
            : method == "client-jwt" && usable != nil ? .privateKeyJWT : .clientSecretBasic
        keySet = authentication == .privateKeyJWT ? usable : nil
        let binds = try attributes.text("tls.client.certificate.bound.access.tokens")
        whyDisabled =
            switch method {
            case _ where binds?.isTrue ?? false:
                "its tokens were bound to a certificate (mTLS), and here they would not be"
            case _ where isPublic: nil
            case "client-secret": nil
            case "client-jwt" where usable != nil: nil
            case "client-jwt":
                "its keys are not in the file: give it some, or a secret, then enable it"
            default:
                "its way of authentication is not known here: give it a secret, then enable it"
            }
    }

    /// - Parameter isOwn: Whether it is one of Keycloak's.
    func apply(
        to client: inout Client,
        isOwn: Bool,
        _ subject: String,
        report: inout ImportReport
    ) {
        client.isEnabled = isEnabled && whyDisabled == nil
        if isOwn { return }
        client.type = type
        // Keycloak has one word for both ways to send a secret.
        if client.authentication != .clientSecretPost || authentication != .clientSecretBasic {
            client.authentication = authentication
        }
        client.keySet = keySet
        if authentication == .none || authentication == .privateKeyJWT { client.secret = nil }
        if keySet != nil, unusableKeys > 0 {
            report.add(
                .changed,
                subject,
                "jwks.string",
                "keys that do not sign, or of a kind that is not known here, are left out"
            )
        }
    }

    /// Whether an import disabled a client, because its protection would be gone here, and it still is.
    ///
    /// - Parameter shown: Keys that it was given here are proof enough.
    static func isShut(_ client: Client, _ shown: JSONObject) -> Bool {
        guard !client.isEnabled else { return false }
        var object = shown
        object["publicClient"] = .bool(client.type == .public)
        // `try?`: what cannot be read was not imported.
        return (try? ClientProof(Representation(stored: object)))?.whyDisabled != nil
    }

    private static func keys(_ attributes: Representation) throws(RealmImportError) -> [JSONValue] {
        // `try?`: a client without keys is disabled.
        guard let text = try attributes.text("jwks.string"),
            let set = try? JSONValue(parsing: Array(text.utf8))
        else { return [] }
        return set.object?.array("keys") ?? []
    }

    private static func set(of keys: [JSONValue]) -> JSONValue? {
        isUsable(keys) ? .object(["keys": .array(keys)]) : nil
    }

    private static func isUsable(_ keys: [JSONValue]) -> Bool {
        // `try?`: only whether each is a key for signatures matters.
        guard let set = try? JWKSet(["keys": .array(keys)]) else { return false }
        return !set.keys.isEmpty && set.refusals.isEmpty
    }
}

extension Representation {
    /// Texts under dotted names; empty where there are none.
    var textAttributes: Representation {
        get throws(RealmImportError) {
            try child("attributes") ?? Representation(stored: JSONObject())
        }
    }
}
