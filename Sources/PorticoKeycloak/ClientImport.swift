import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Imports Keycloak's clients (Keycloak `ClientRepresentation`), with Keycloak's defaults for
/// missing values.
struct ClientImport {
    let registration: ClientRegistration
    let realm: Realm
    let scopes: [ClientScope]
    /// The algorithms that the new realm has keys for.
    let algorithms: Set<SignatureAlgorithm>
    let moment: Moment
    var existing: ExistingRealm?

    func callAsFunction(
        _ realm: Representation,
        ids: inout ImportedIDs,
        report: inout ImportReport
    ) throws(RealmImportError) -> [Client] {
        var clients: [Client] = []
        var names: Set<ExactText> = []
        let scopes = ClientScopes(of: self.realm, scopes: self.scopes)
        for representation in try realm.children("clients") {
            guard let clientID = try representation.text("clientId") else {
                throw .missing(path: representation.path(of: "clientId"))
            }
            let subject = "client \(clientID)"
            if !names.insert(ExactText(clientID)).inserted {
                report.add(.skipped, subject, "the file has it twice")
            } else if Client.isBuiltIn(clientID, in: self.realm.name) {
                clients.append(try builtIn(representation, clientID, &ids, report: &report))
                report.add(
                    .changed,
                    subject,
                    nil,
                    "Keycloak's own: kept for its roles",
                    isKept: true
                )
            } else if try representation.text("protocol") ?? "openid-connect" != "openid-connect" {
                report.add(.skipped, subject, "not a client of OpenID Connect")
            } else if let client = try client(
                representation,
                clientID,
                &ids,
                scopes,
                others: clients,
                report: &report
            ) {
                clients.append(client)
            }
        }
        return clients
    }

    /// - Parameter said: As the file has it.
    private func client(
        _ said: Representation,
        _ clientID: String,
        _ ids: inout ImportedIDs,
        _ scopes: ClientScopes,
        others: [Client],
        report: inout ImportReport
    ) throws(RealmImportError) -> Client? {
        let subject = "client \(clientID)"
        let here = existing?.clients[ExactText(clientID)]
        let representation = try said.filled(by: here, in: realm)
        let attributes = try ClientAttributes(representation)
        let isPublic = try representation.bool("publicClient") ?? false
        let shut = try Self.whyDisabled(representation, attributes, isPublic: isPublic)
        let method = try Self.method(representation, attributes, isPublic: isPublic)
        var client = Client(
            id: ids.take(
                try representation.text("id"),
                here: here?.id,
                existing,
                random: moment.random
            ),
            realmID: realm.id,
            clientID: clientID,
            name: try representation.text("name") ?? clientID,
            type: isPublic ? .public : .confidential,
            authentication: method
        )
        let isEnabled = try representation.bool("enabled") ?? true
        client.isEnabled = isEnabled && shut == nil
        // One that is enabled here was given another way to prove itself, and goes on with it.
        let keepsProof = shut != nil && isEnabled && here?.isEnabled == true
        if let shut, !keepsProof { report.add(.disabled, subject, "\(shut)") }
        FieldReport.client.add(said.object, subject, report: &report)
        if var object = said.object.object("attributes") {
            // A password is the first level.
            for name in ["minimum.acr.value", "default.acr.values"]
            where object.string(name).map({ ["0", "1"].contains($0) }) ?? false {
                object[name] = nil
            }
            FieldReport.clientAttributes.add(object, subject, report: &report)
            if object[AdminRights.mark] != nil {
                report.add(.changed, subject, "no file says that people administer by way of it")
            }
        }
        try Self.setRules(of: &client, representation, attributes, subject, report: &report)
        client.kept = KeptRepresentation(client.kept.object.said(by: said.object))
        if method == .privateKeyJWT {
            client.keySet = attributes.keySet
            if attributes.unusableKeys > 0 {
                report.add(
                    .changed,
                    subject,
                    "jwks.string",
                    "keys that do not sign, or of a kind that is not known here, are left out"
                )
            }
        }
        client.codeProtection = attributes.codeProtection(subject, report: &report)
        client.idTokenAlgorithm = attributes.idTokenAlgorithm(subject, report: &report)
        client.accessTokenAlgorithm = attributes.accessTokenAlgorithm(subject, report: &report)
        client.accessTokenType = attributes.accessTokenType
        client.accessTokenLifetime = attributes.lifetime(subject, report: &report)
        attributes.setBackchannelLogout(of: &client, subject, report: &report)
        try ClientAddresses(representation, attributes, subject)
            .apply(
                to: &client,
                serverOrigin: HTTPAddress(realm.issuer)?.webOrigin ?? "",
                report: &report
            )
        try setGrantTypes(of: &client, representation, attributes, report: &report)
        try scopes.apply(to: &client, representation, here: here, report: &report)
        var secret = try secret(of: client, representation, here, report: &report)
        if let here {
            client.keep(here, withProof: keepsProof)
            client.keepUnsaid(of: here, said: said.object, in: realm)
            client.keepMappers(of: here)
            if keepsProof || isKept(secret, of: here) {
                client.secret = here.secret
                secret = .unchanged
            }
        }
        return admitted(client, secret, others, report: &report)
    }

    /// Whether a secret is none: an export masks it.
    static func isMask(_ secret: String) -> Bool {
        secret.utf8.allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// What tokens and answers are like, what protects the client, and what has no place of its own.
    private static func setRules(
        of client: inout Client,
        _ representation: Representation,
        _ attributes: ClientAttributes,
        _ subject: String,
        report: inout ImportReport
    ) throws(RealmImportError) {
        client.requiresConsent = try representation.bool("consentRequired") ?? false
        client.requiresPushedRequests = attributes.requiresPushedRequests
        client.dpopBoundAccessTokens = attributes.requiresProofs
        let list = try MapperList(representation)
        list.add(subject, to: &report)
        client.mappers = list.mappers
        client.seesAllRoles =
            try representation.bool("fullScopeAllowed") ?? !client.requiresConsent
        client.tokenForm = attributes.isLightweight ? .lightweight : .mapped
        client.userInfoAlgorithm = attributes.userInfoAlgorithm
        client.acrLevels = attributes.acrLevels
        client.redirectRule = .patterns
        client.rootURI = try representation.text("rootUrl")
        client.homeURI = try representation.text("baseUrl")
        client.notBefore = max(0, try representation.integer("notBefore") ?? 0)
        client.compatibility = Compatibility.imported.union(attributes.compatibility)
        var kept = kept(representation)
        kept[MapperList.member] = list.others.map(JSONValue.array)
        kept["fullScopeAllowed"] = nil
        if client.rootURI != nil { kept["rootUrl"] = nil }
        if client.homeURI != nil { kept["baseUrl"] = nil }
        if client.notBefore > 0 { kept["notBefore"] = nil }
        client.kept = KeptRepresentation(kept)
    }

    /// What has no place of its own, and how the others are written. The secret is sealed elsewhere;
    /// what else opens something opens nothing here.
    private static func kept(_ client: Representation) -> JSONObject {
        var object = client.object
        for name in [
            "id", "clientId", "secret", "registrationAccessToken", "redirectUris", "webOrigins",
        ] { object[name] = nil }
        guard var attributes = object.object("attributes") else { return object }
        for (name, _) in attributes
        where ClientAttributes.isSecret(name) || name == "post.logout.redirect.uris"
            || name == AdminRights.mark
        {
            attributes[name] = nil
        }
        object["attributes"] = .object(attributes)
        return object
    }

    private func builtIn(
        _ representation: Representation,
        _ clientID: String,
        _ ids: inout ImportedIDs,
        report: inout ImportReport
    ) throws(RealmImportError) -> Client {
        let here = existing?.clients[ExactText(clientID)]
        var client = Client(
            id: ids.take(
                try representation.text("id"),
                here: here?.id,
                existing,
                random: moment.random
            ),
            realmID: realm.id,
            clientID: clientID,
            name: clientID,
            type: .public,
            authentication: .none
        )
        let known = Set(scopes.filter(\.isOffered).map(\.name))
        client.defaultScopes = StandardScopes.defaults.filter(known.contains)
        client.optionalScopes = StandardScopes.optionals.filter(known.contains)
        // Only for what the password grant gives (``PasswordGrant``).
        let refreshes = clientID == "admin-cli" && realm.name == AdminRights.master
        client.grantTypes = refreshes ? [.refreshToken] : []
        let attributes = try ClientAttributes(representation)
        let shut = try Self.whyDisabled(representation, attributes, isPublic: true)
        if let shut { report.add(.disabled, "client \(clientID)", "\(shut)") }
        let isEnabled = try representation.bool("enabled") ?? true
        client.isEnabled = isEnabled && shut == nil
        try Self.setRules(
            of: &client,
            representation,
            attributes,
            "client \(clientID)",
            report: &report
        )
        // Nothing else of it acts here, so its addresses have no other place.
        var kept = client.kept.object
        for name in ["redirectUris", "webOrigins"] { kept[name] = representation.object[name] }
        if var attributes = representation.object.object("attributes") {
            for (name, _) in attributes
            where ClientAttributes.isSecret(name) || name == AdminRights.mark {
                attributes[name] = nil
            }
            kept["attributes"] = .object(attributes)
        }
        client.kept = KeptRepresentation(kept)
        return here?.own(saying: client) ?? client
    }

    /// A client that proves itself in a way that is not known here gets a secret that no one knows.
    private static func method(
        _ client: Representation,
        _ attributes: ClientAttributes,
        isPublic: Bool
    ) throws(RealmImportError) -> ClientAuthenticationMethod {
        if isPublic { return .none }
        let type = try client.text("clientAuthenticatorType")
        return type == "client-jwt" && attributes.keySet != nil
            ? .privateKeyJWT : .clientSecretBasic
    }

    /// Why a client would not be protected as it was there; `nil`: it is.
    static func whyDisabled(
        _ client: Representation,
        _ attributes: ClientAttributes,
        isPublic: Bool
    ) throws(RealmImportError) -> StaticString? {
        if attributes.bindsToCertificate {
            return "its tokens were bound to a certificate (mTLS), and here they would not be"
        }
        if isPublic { return nil }
        switch try client.text("clientAuthenticatorType") {
        case nil, "client-secret": return nil
        case "client-jwt" where attributes.keySet != nil: return nil
        case "client-jwt":
            return "its keys are not in the file: give it some, or a secret, then enable it"
        default:
            return "its way of authentication is not known here: give it a secret, then enable it"
        }
    }

    private func setGrantTypes(
        of client: inout Client,
        _ representation: Representation,
        _ attributes: ClientAttributes,
        report: inout ImportReport
    ) throws(RealmImportError) {
        let subject = "client \(client.clientID)"
        let isBearerOnly = try representation.bool("bearerOnly") ?? false
        client.grantTypes = []
        if try representation.bool("standardFlowEnabled") ?? true, !isBearerOnly {
            client.grantTypes = [.authorizationCode]
            if attributes.usesRefreshTokens { client.grantTypes.insert(.refreshToken) }
            if client.redirectURIs.isEmpty {
                // Of each that is left out there is a word of its own.
                report.add(
                    .changed,
                    subject,
                    nil,
                    "has no redirect URI left: no one can sign in to it",
                    isKept: true
                )
            }
        }
        if try representation.bool("serviceAccountsEnabled") ?? false, !isBearerOnly {
            if client.type == .confidential {
                client.grantTypes.insert(.clientCredentials)
            } else {
                report.add(.changed, subject, "a public client has no service account")
            }
        }
        for (name, words) in [
            ("implicitFlowEnabled", "the implicit flow is switched off (RFC 9700 2.1.2)"),
            ("directAccessGrantsEnabled", "the password grant is switched off (RFC 9700 2.4)"),
        ] where try representation.bool(name) == true {
            report.add(.changed, subject, nil, words, isKept: true)
        }
    }

    private func admitted(
        _ client: Client,
        _ secret: ClientRegistration.Secret,
        _ others: [Client],
        report: inout ImportReport
    ) -> Client? {
        let subject = "client \(client.clientID)"
        var (client, secret) = (client, secret)
        while true {
            do {
                let admission = try registration(
                    client,
                    secret: secret,
                    others: others,
                    algorithms: algorithms,
                    isImported: true,
                    random: moment.random
                )
                report.add(.read, subject, client.type == .public ? "public" : "confidential")
                for warning in admission.warnings {
                    report.add(.read, subject, "\(warning.words)")
                }
                return admission.client
            } catch {
                guard let words = Self.leaveOut(error, of: &client, &secret) else {
                    report.add(.skipped, subject, "\(error.field): \(error.rule)")
                    return nil
                }
                report.add(.changed, subject, "\(error.field)", "\(words)")
            }
        }
    }

    /// Takes the one value out of a client that cannot be kept (docs/decisions/0121). Each is then one
    /// that is never refused again.
    ///
    /// - Returns: What is said of it; `nil` where the client cannot do without.
    private static func leaveOut(
        _ refusal: ClientRegistration.Refusal,
        of client: inout Client,
        _ secret: inout ClientRegistration.Secret
    ) -> StaticString? {
        switch refusal {
        case .name where client.name != client.clientID:
            client.name = client.clientID
            return "left out: a name is one line of at most 255 characters"
        case .secret:
            guard case .chosen = secret else { return nil }
            secret = .made
            return "left out: a secret is ASCII. Make a new one before it is used"
        case .tooManyRedirectURIs:
            let most = ClientRegistration.mostRedirectURIs(of: client)
            client.redirectURIs = Array(client.redirectURIs.prefix(most))
            client.postLogoutRedirectURIs = Array(client.postLogoutRedirectURIs.prefix(most))
            return "those after the first 1,000 are left out"
        case .idTokenAlgorithm:
            guard client.idTokenAlgorithm != nil else { return nil }
            client.idTokenAlgorithm = nil
            return "the realm has no key of its algorithm: the realm's is used"
        case .accessTokenAlgorithm:
            guard client.accessTokenAlgorithm != nil else { return nil }
            client.accessTokenAlgorithm = nil
            return "the realm has no key of its algorithm: the realm's is used"
        default: return nil
        }
    }
}

extension Client {
    /// Takes what acts of a client, whoever it is (``ClientImport``).
    mutating func takeRules(of said: Client) {
        isEnabled = said.isEnabled
        requiresConsent = said.requiresConsent
        requiresPushedRequests = said.requiresPushedRequests
        dpopBoundAccessTokens = said.dpopBoundAccessTokens
        mappers = said.mappers
        seesAllRoles = said.seesAllRoles
        tokenForm = said.tokenForm
        userInfoAlgorithm = said.userInfoAlgorithm
        acrLevels = said.acrLevels
        redirectRule = said.redirectRule
        rootURI = said.rootURI
        homeURI = said.homeURI
        notBefore = said.notBefore
        compatibility = said.compatibility
        kept = said.kept
    }

    /// Keeps what has no word in a representation: a client that was made here stays as it was made.
    mutating func keepForm(of former: Client) {
        if former.tokenForm == .standard { tokenForm = .standard }
        redirectRule = former.redirectRule
        let said = Set(Compatibility.attributes.map(\.rule))
        compatibility = compatibility.intersection(said)
            .union(former.compatibility.subtracting(said))
    }

    /// Keeps the mappers that were made here.
    mutating func keepMappers(of here: Client) {
        let names = Set(mappers.map { ExactText($0.name) })
        mappers += here.mappers.filter { $0.kept == nil && !names.contains(ExactText($0.name)) }
    }
}
