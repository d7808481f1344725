import PorticoAdministration
import PorticoBytes
import PorticoProtocol
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

    /// - Returns: `refused` has the ids of those that are here and that the file has in a way that they cannot
    ///   be: they stay as they are, and so do their names and roles.
    func callAsFunction(
        _ realm: Representation,
        ids: inout ImportedIDs,
        report: inout ImportReport
    ) throws(RealmImportError) -> (clients: [Client], refused: Set<String>) {
        var (clients, refused): ([Client], Set<String>) = ([], [])
        // Of those before: which of them registered it.
        var schemes: [String: [String]] = [:]
        var names: Set<ExactText> = []
        for said in try realm.children("clients") {
            guard let clientID = try said.text("clientId") else {
                throw .missing(path: said.path(of: "clientId"))
            }
            let subject = "client \(clientID)"
            if !names.insert(ExactText(clientID)).inserted {
                report.add(.skipped, subject, "the file has it twice")
                continue
            }
            let isOwn = Client.isBuiltIn(clientID, in: self.realm.name)
            let kind = try said.text("protocol") ?? "openid-connect"
            guard isOwn || kind == "openid-connect" else {
                report.add(.skipped, subject, "not a client of OpenID Connect")
                continue
            }
            let here = existing?.clients[ExactText(clientID)]
            let id = ids.take(
                try said.text("id"),
                here: here?.id,
                existing,
                random: moment.random
            )
            let blank = ClientReader.blank(clientID, id: id, realmID: self.realm.id)
            if isOwn {
                clients.append(try own(said, blank, here, report: &report))
                report.keep(subject, "Keycloak's own: kept for its roles")
                continue
            }
            let admitted = try client(said, blank, here, schemes: schemes, report: &report)
            guard let client = admitted ?? here else { continue }
            if admitted == nil { refused.insert(client.id) }
            clients.append(client)
            for scheme in client.privateUseSchemes {
                schemes[scheme, default: []].append(clientID)
            }
        }
        return (clients, refused)
    }

    private func client(
        _ file: Representation,
        _ blank: Client,
        _ here: Client?,
        schemes: [String: [String]],
        report: inout ImportReport
    ) throws(RealmImportError) -> Client? {
        // What no file has a word for stays.
        var (client, said, names) = (here ?? blank, file, ClientRepresentation.Names?.none)
        if let here, !here.isMoved {
            // Nor does one that was made here lose what the file does not say.
            said = try file.filled(by: here, in: realm)
            names = ClientRepresentation.Names(file.object)
        }
        let proof = try ClientProof(said)
        // One that is enabled here was given another way to prove itself, and goes on with it.
        let keepsProof =
            proof.whyDisabled != nil && proof.isEnabled && here?.isEnabled == true
        if let shut = proof.whyDisabled, !keepsProof {
            report.add(.disabled, "client \(blank.clientID)", "\(shut)")
        }
        let scopes = ClientScopes(of: realm, scopes: scopes)
        try ClientReader(realm: realm, scopes: here.map { scopes.over($0) } ?? scopes)
            .read(said, names, to: &client, report: &report)
        if let here, client.keepApp(here) {
            report.add(
                .stays,
                "client \(blank.clientID)",
                "an app of the backend: where that hands off to stays as it is here"
            )
        }
        client.kept = KeptRepresentation(client.kept.object.said(by: file.object))
        var secret = try secret(of: client, said, proof, here, report: &report)
        if let here {
            client.keep(here, withProof: keepsProof)
            client.keepAccessTokenType(of: here, in: realm)
            client.keepMappers(of: here)
            if keepsProof || isKept(secret, of: here) {
                client.secret = here.secret
                secret = .unchanged
            }
        }
        return ClientAdmission(
            registration: registration,
            algorithms: algorithms,
            random: moment.random
        )(client, secret, schemes: schemes, report: &report)
    }

    private func own(
        _ said: Representation,
        _ blank: Client,
        _ here: Client?,
        report: inout ImportReport
    ) throws(RealmImportError) -> Client {
        var client = blank
        let known = Set(scopes.filter(\.isOffered).map(\.name))
        client.defaultScopes = StandardScopes.defaults.filter(known.contains)
        client.optionalScopes = StandardScopes.optionals.filter(known.contains)
        // Only for what the password grant gives (``PasswordGrant``).
        let refreshes = client.clientID == "admin-cli" && realm.name == AdminRights.master
        if refreshes { client.grantTypes = [.refreshToken] }
        if let shut = try ClientProof(said).whyDisabled {
            report.add(.disabled, "client \(client.clientID)", "\(shut)")
        }
        try ClientReader(realm: realm, scopes: ClientScopes(of: realm, scopes: scopes))
            .read(said, to: &client, report: &report)
        return here?.own(saying: client) ?? client
    }

    // MARK: Secrets

    /// Whether a secret is none: an export masks it.
    static func isMask(_ secret: String) -> Bool {
        secret.utf8.allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Whether a client that is here goes on with the secret that it has.
    private func isKept(_ secret: ClientRegistration.Secret, of here: Client) -> Bool {
        switch secret {
        case .unchanged: return false
        case .made: return here.secret != nil
        case .chosen(let text): return registration.isSecret(text, of: here)
        }
    }

    /// A full export contains it in the clear; a partial one masks it.
    private func secret(
        of client: Client,
        _ said: Representation,
        _ proof: ClientProof,
        _ here: Client?,
        report: inout ImportReport
    ) throws(RealmImportError) -> ClientRegistration.Secret {
        let secret = try said.text("secret")
        switch client.authentication {
        case .none, .privateKeyJWT: return .unchanged
        case .clientSecretBasic, .clientSecretPost: break
        }
        // A secret beside keys or a certificate was never enough.
        guard proof.isSecret else { return .made }
        guard let secret, !Self.isMask(secret) else {
            // The one that it has here goes on.
            if here?.secret != nil { return .made }
            report.keep(
                "client \(client.clientID)",
                "the file does not hold its secret: make a new one before it is used"
            )
            // No one is shown this one.
            return .made
        }
        return .chosen(SecretText(secret))
    }
}

/// Registers a client, without the values that cannot be kept (docs/decisions/0121).
struct ClientAdmission {
    let registration: ClientRegistration
    /// The algorithms that the realm has keys for.
    let algorithms: Set<SignatureAlgorithm>
    let random: RandomSource

    /// - Returns: `nil` where the client cannot do without one of them.
    func callAsFunction(
        _ client: Client,
        _ secret: ClientRegistration.Secret,
        schemes: [String: [String]],
        report: inout ImportReport
    ) -> Client? {
        let subject = "client \(client.clientID)"
        var (client, secret) = (client, secret)
        while true {
            do {
                let admission = try registration(
                    client,
                    secret: secret,
                    schemes: schemes,
                    algorithms: algorithms,
                    isImported: true,
                    random: random
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

    /// Takes the one value out of a client that cannot be kept. Each is then one that is never refused
    /// again.
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
    /// Takes what acts of every client.
    mutating func takeRules(of said: Client) {
        isEnabled = said.isEnabled
        ClientRepresentation.members.take(from: said, to: &self) { $1.isOfAll }
        ClientRepresentation.attributes.take(from: said, to: &self) { $1.isOfAll }
        redirectRule = said.redirectRule
        compatibility = said.compatibility
        kept = said.kept
    }

    /// Keeps the mappers that were made here.
    mutating func keepMappers(of here: Client) {
        let names = Set(mappers.map { ExactText($0.name) })
        mappers += here.mappers.filter { $0.kept == nil && !names.contains(ExactText($0.name)) }
    }
}
