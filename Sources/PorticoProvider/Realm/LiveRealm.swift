import PorticoAdministration
import PorticoBytes
import PorticoProtocol
package import PorticoStores
import PorticoWeb

/// A realm during requests: immutable, in memory, with its clients and keys.
package final class LiveRealm: Sendable {
    package let realm: Realm
    package let urls: RealmURLs
    /// Its own, if it has one.
    let host: PublicURL?
    package let keys: RealmKeys
    /// Serialized; the algorithms change as keys are retired.
    private let metadata: [[SignatureAlgorithm]: [UInt8]]
    private let clientsByID: [ExactText: Client]
    private let disabledByID: [ExactText: Client]
    private let clientsByUUID: [String: Client]
    /// The clients whose documents were fetched lately, for realms that take them.
    let described: DocumentedClients
    /// Whether people's passwords are taken for tokens (``PasswordGrant``).
    let takesPasswords: Bool
    /// What roles contain, and the groups.
    package let graph: RoleGraph
    private let views: TokenViews
    /// What reads refresh tokens of the server before; `nil`: none is swapped.
    let former: FormerTokens?
    /// The origins that its clients have registered for scripts, if any.
    let clientOrigins: CORSPolicy?
    /// The origins that may show what is for hidden frames: those of clients whose
    /// pages show them (``Compatibility/credentials``).
    let frameOrigins: [String]

    package var id: String { realm.id }
    package var name: String { realm.name }
    package var issuer: String { realm.issuer }
    package var displayName: String { realm.displayName }
    package var lifetimes: Realm.Lifetimes { realm.lifetimes }
    var allowsPasswordReset: Bool { realm.allowsPasswordReset }
    var signsOutByHintAlone: Bool { realm.signsOutByHintAlone }
    /// Anything issued before this time is invalid, in seconds since 1970.
    package var notBefore: Int64 { realm.notBefore }

    init(
        realm: Realm,
        clients: [Client],
        keys: RealmKeys,
        graph: RoleGraph,
        views: TokenViews,
        former: FormerTokens?,
        documented: DocumentedClients,
        takesPasswords: Bool
    ) {
        self.realm = realm
        self.takesPasswords = takesPasswords
        self.former = former
        described = documented
        self.keys = keys
        self.graph = graph
        self.views = views
        urls = RealmURLs(of: realm)
        host = realm.host
        let sets = Set(keys.stretches.map(\.algorithms))
        metadata = Dictionary(
            uniqueKeysWithValues: sets.map { [urls] algorithms in
                let document = RealmMetadata.document(
                    of: realm,
                    at: urls,
                    signedWith: algorithms,
                    scopes: views.scopes
                )
                return (algorithms, document.serialized())
            }
        )
        let enabled = clients.filter(\.isEnabled)
        clientsByID = Dictionary(enabled.map { (ExactText($0.clientID), $0) }) { first, _ in first }
        disabledByID = Dictionary(
            clients.filter { !$0.isEnabled }.map { (ExactText($0.clientID), $0) }
        ) { first, _ in first }
        clientsByUUID = Dictionary(clients.map { ($0.id, $0) }) { first, _ in first }
        let registered = enabled.filter { !$0.webOrigins.isEmpty }
        let origins = Set(registered.flatMap { views.live($0).origins.origins })
        let credentials = Set(
            registered.filter { $0.compatibility.contains(.credentials) }
                .flatMap { views.live($0).origins.origins }
        )
        let others = registered.contains { views.live($0).origins.allowsAny }
        clientOrigins =
            origins.isEmpty && !others
            ? nil : .origins(origins, credentials: credentials, others: others)
        frameOrigins = credentials.sorted()
    }

    /// Whether this person has to confirm their address first. A person without one continues.
    func mustConfirmEmail(_ person: Person) -> Bool {
        let isDemanded =
            realm.confirmsEmail || person.requiredActions.contains(RequiredAction.verifyEmail)
        return isDemanded && person.email != nil && !person.isEmailVerified
    }

    /// The realm's metadata (OpenID Connect Discovery §3) at `now` (seconds since 1970).
    func metadata(at now: Int64) -> [UInt8] {
        let algorithms = keys.published(at: now).algorithms
        return metadata[algorithms]
            ?? RealmMetadata.document(
                of: realm,
                at: urls,
                signedWith: algorithms,
                scopes: views.scopes
            ).serialized()
    }

    /// The client of that `client_id`. Compared as bytes: the same letters in another normalization
    /// form are another client. A disabled client is unknown at every endpoint, like an
    /// unregistered one; a client with a document is known once that was fetched
    /// (``ClientDocuments``).
    package func client(clientID: String) -> Client? {
        if let client = clientsByID[ExactText(clientID)] { return client }
        // Not even if its document was fetched before the registration was made, or disabled.
        guard !isRegistered(clientID: clientID) else { return nil }
        return described.client(clientID: clientID, in: realm)
    }

    /// Whether a client of that `client_id` would be known by its document.
    func takesDocument(clientID: String) -> Bool {
        realm.describesItself(clientID) && !isRegistered(clientID: clientID)
    }

    /// Whether a client, enabled or not, is registered with that `client_id`.
    func isRegistered(clientID: String) -> Bool {
        clientsByID[ExactText(clientID)] != nil || disabledByID[ExactText(clientID)] != nil
    }

    /// The disabled client of that `client_id`, so that the operator can see why it is refused.
    package func disabledClient(clientID: String) -> Client? {
        disabledByID[ExactText(clientID)]
    }

    /// `sub` of a person in the tokens of a client (OpenID Connect Core §8).
    func subject(of personID: String, for client: Client) -> String {
        live(client).subject(of: personID)
    }

    /// Whether a mapper of a client, or of a scope, writes `sub` of something else than the person's id.
    func writesSubject(_ client: Client) -> Bool {
        (live(client).mappers + views.scopes.mappers).contains { $0.claim?.names == ["sub"] }
    }

    /// All clients, enabled or not, in the order of their `client_id`.
    package var clients: [Client] {
        clientsByUUID.values.sorted { $0.clientID.utf8.lexicographicallyPrecedes($1.clientID.utf8) }
    }

    /// The origins whose scripts may read what a client's tokens open.
    package func origins(of client: Client) -> [String] {
        live(client).origins.origins
    }

    /// The client of that id, enabled or not: its grants are shown and ended under its name.
    package func client(uuid: String) -> Client? {
        clientsByUUID[uuid]
    }

    /// After how many seconds without use a browser session ends, with the store's precision.
    var sessionIdle: Int64 {
        realm.lifetimes.sessionIdle + SessionActivity<String>.precision
    }

    /// Whether `iss` of an ID Token is this realm's: the server before is meant as well, while its
    /// tokens are swapped. `now` in seconds since 1970.
    func isIssuer(_ issuer: String, at now: Int64) -> Bool {
        if sameBytes(issuer, realm.issuer) { return true }
        guard let former, former.isOpen(at: now) else { return false }
        return sameBytes(issuer, former.swap.issuer)
    }

    /// What a client gets with a scope.
    func view(of client: Client, scope: Scope, roles: Set<RoleName>) -> TokenView {
        views.view(of: client, scope: scope, roles: roles)
    }

    package func live(_ client: Client) -> LiveClient {
        views.live(client)
    }

    /// Whether people are asked for a scope, where they are asked at all: no consent is kept to others.
    func isAskedFor(_ scope: String) -> Bool {
        scope != "openid" && (views.scopes[scope]?.isAskedFor ?? true)
    }

    /// The default scopes of a client that its tokens and answers do not name.
    func unshownDefaults(of client: Client) -> [String] {
        client.defaultScopes.filter { views.scopes[$0]?.isShown == false }
    }

    /// The names of its client scopes that OpenID Connect has.
    var offeredScopes: [String] { views.scopes.names }

    /// The client scope of that name.
    package func scope(named name: String) -> LiveScope? {
        views.scopes[name]
    }

    /// The names of levels of authentication in a client's tokens.
    func acrLevels(of client: Client) -> [String: Int64] {
        client.acrLevels ?? realm.acrLevels
    }

    /// The key that signs a client's ID Tokens and logout tokens at `now` (seconds since 1970).
    func idTokenKey(for client: Client, at now: Int64) -> SigningKey? {
        keys.active(client.idTokenAlgorithm ?? realm.signingAlgorithm, at: now)
    }

    /// The key that signs what UserInfo answers; `nil` for plain JSON.
    func userInfoKey(for client: Client, at now: Int64) -> SigningKey? {
        client.userInfoAlgorithm.flatMap { keys.active($0, at: now) }
    }

    /// The key that signs a client's access tokens at `now`.
    func accessTokenKey(for client: Client, at now: Int64) -> SigningKey? {
        keys.active(client.accessTokenAlgorithm ?? realm.signingAlgorithm, at: now)
    }
}
