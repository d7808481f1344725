package import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
package import PorticoStores
package import PorticoWeb

/// A realm during requests: immutable, in memory, with its keys. Its clients are looked up.
package final class LiveRealm: Sendable {
    package let realm: Realm
    package let urls: RealmURLs
    /// Its own, if it has one.
    package let host: PublicURL?
    package let keys: RealmKeys
    /// Serialized; the algorithms change as keys are retired.
    private let metadata: [[SignatureAlgorithm]: [UInt8]]
    /// The clients whose documents were fetched lately, for realms that take them.
    let described: DocumentedClients
    /// Whether people's passwords are taken for tokens (``PasswordGrant``).
    let takesPasswords: Bool
    /// What roles contain, and the groups.
    package let graph: RoleGraph
    private let scopes: RealmScopes
    /// What relative addresses are relative to.
    private let serverOrigin: String
    private let store: RealmStore
    private let cache: ClientCache
    /// Tells its clients in memory from those of the realm as it was before.
    let generation: Int
    /// What reads refresh tokens of the server before; `nil`: none is swapped.
    let former: FormerTokens?

    package var id: String { realm.id }
    package var name: String { realm.name }
    package var issuer: String { realm.issuer }
    package var displayName: String { realm.displayName }
    package var lifetimes: Realm.Lifetimes { realm.lifetimes }
    var allowsPasswordReset: Bool {
        realm.allowsPasswordReset && realm.signsInWithPassword
    }
    var signsOutByHintAlone: Bool { realm.signsOutByHintAlone }
    /// Anything issued before this time is invalid, in seconds since 1970.
    package var notBefore: Int64 { realm.notBefore }

    init(
        _ contents: RealmContents,
        ring: KeyRing,
        store: RealmStore,
        cache: ClientCache,
        documented: DocumentedClients,
        takesPasswords: Bool
    ) throws {
        let realm = contents.realm
        self.realm = realm
        self.takesPasswords = takesPasswords
        former = try FormerTokens(of: realm, contents.keptKeys, ring: ring)
        described = documented
        keys = try RealmKeys(contents.keys, kept: contents.keptKeys, ring: ring)
        graph = contents.graph
        let scopes = RealmScopes(contents.scopes, limits: contents.limits)
        self.scopes = scopes
        serverOrigin = HTTPAddress(realm.issuer)?.webOrigin ?? ""
        self.store = store
        self.cache = cache
        generation = cache.newGeneration()
        urls = RealmURLs(of: realm)
        host = realm.host
        let sets = Set(keys.stretches.map(\.algorithms))
        metadata = Dictionary(
            uniqueKeysWithValues: sets.map { [urls] algorithms in
                let document = RealmMetadata.document(
                    of: realm,
                    at: urls,
                    signedWith: algorithms,
                    scopes: scopes
                )
                return (algorithms, document.serialized())
            }
        )
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
                scopes: scopes
            ).serialized()
    }

    // MARK: Clients

    /// The client of that `client_id`. Compared as bytes: the same letters in another normalization
    /// form are another client. A disabled client is unknown at every endpoint, like an
    /// unregistered one; a client with a document is known once that was fetched
    /// (``ClientDocuments``).
    package func client(clientID: String) async throws -> Client? {
        if let registered = try await registered(.clientID(clientID))?.client {
            // A disabled one not even if its document was fetched before it was registered.
            return registered.isEnabled ? registered : nil
        }
        return described.client(clientID: clientID, in: realm)
    }

    /// Whether a client of that `client_id` would be known by its document.
    func takesDocument(clientID: String) async throws -> Bool {
        guard realm.describesItself(clientID) else { return false }
        return try await registered(.clientID(clientID)) == nil
    }

    /// The disabled client of that `client_id`, so that the operator can see why it is refused.
    package func disabledClient(clientID: String) async throws -> Client? {
        let registered = try await registered(.clientID(clientID))?.client
        return registered?.isEnabled == false ? registered : nil
    }

    /// The client of that id, enabled or not: its grants are shown and ended under its name.
    package func client(uuid: String) async throws -> Client? {
        try await registered(.id(uuid))?.client
    }

    /// The registered client of that name, enabled or not: from memory, or by one read.
    private func registered(_ name: ClientName) async throws -> CachedClient? {
        // Before it is a key: strangers choose it.
        guard name.text.utf8.count <= ClientCache.longestName else { return nil }
        let key = ClientCache.Key(name, realm: generation)
        if let kept = cache.kept(key) { return kept }
        return try await cache.client(
            key,
            { [store, id = realm.id] in try await store.reading(of: name, realmID: id) },
            make: { CachedClient($0, live: self.made($0.client, limits: $0.limits)) }
        )
    }

    /// The client as it is in memory; `nil` for one whose document may change while the realm does not.
    private func kept(_ client: Client) -> CachedClient? {
        client.changesAlone
            ? nil : cache.kept(ClientCache.Key(.id(client.id), realm: generation))
    }

    private func made(_ client: Client, limits: Set<RoleName>) -> LiveClient {
        LiveClient(client, mappers: realm.mappers, limits: limits, serverOrigin: serverOrigin)
    }

    /// What follows from a client's registration, but for the roles that it sees
    /// (``view(of:scope:roles:)``).
    package func live(_ client: Client) -> LiveClient {
        kept(client)?.live ?? made(client, limits: [])
    }

    /// What a client gets with a scope.
    ///
    /// - Parameter roles: Of the person, with all that they contain. A scope that shows roles is
    ///   only for people with one of them.
    func view(of client: Client, scope: Scope, roles: Set<RoleName>) async throws -> TokenView {
        let granted = scope.tokens.compactMap { scopes[$0] }.filter { $0.isPermitted(to: roles) }
        func view(_ live: LiveClient) -> TokenView {
            TokenView(scopes, live, clientID: client.clientID, granted: granted, graph: graph)
        }
        guard !client.changesAlone, let kept = try await registered(.id(client.id)) else {
            return view(live(client))
        }
        let key = ClientCache.Key(.id(client.id), realm: generation)
        return kept.view(granted.map(\.id).sorted(), make: { view(kept.live) }) {
            cache.charge($0, to: kept, key)
        }
    }

    /// What scripts of an origin may read where no client is named; `nil`: no client has registered
    /// an origin.
    ///
    /// - Parameter origin: The field `Origin` of the request.
    func scripts(of origin: String?) async throws -> CORSPolicy? {
        let known = origin.flatMap { OriginPatterns.isOrigin($0) ? $0 : nil }
        guard let registered = try await store.origin(known, realmID: realm.id) else { return nil }
        let origins = registered.isKnown ? Set([known].compactMap(\.self)) : []
        return .origins(
            origins,
            credentials: registered.sendsCookies ? origins : [],
            others: registered.isAnyKnown
        )
    }

    /// The origins that may show what is for hidden frames: those of clients whose
    /// pages show them (``Compatibility/credentials``).
    ///
    /// - Parameter origin: Where the browser says that it is. It comes first: not all may fit.
    func frameOrigins(askedBy origin: String?) async throws -> [String] {
        let asking =
            if let origin, OriginPatterns.isOrigin(origin),
                try await store.origin(origin, realmID: realm.id)?.sendsCookies == true
            {
                [origin]
            } else {
                [String]()
            }
        return try await asking + store.originsWithCookies(realmID: realm.id, limit: 100)
    }

    /// `sub` of a person in the tokens of a client (OpenID Connect Core §8).
    func subject(of personID: String, for client: Client) -> String {
        live(client).subject(of: personID)
    }

    /// Whether a mapper of a client, or of a scope, writes `sub` of something else than the person's id.
    func writesSubject(_ client: Client) -> Bool {
        (live(client).mappers + scopes.mappers).contains { $0.claim?.names == ["sub"] }
    }

    /// The origins whose scripts may read what a client's tokens open.
    package func origins(of client: Client) -> [String] {
        live(client).origins.origins
    }

    /// After how many seconds without use a browser session ends, with the store's precision.
    var sessionIdle: Int64 {
        realm.lifetimes.sessionIdle + SessionActivity.precision
    }

    /// Whether `iss` of an ID Token is this realm's: the server before is meant as well, while its
    /// tokens are swapped. `now` in seconds since 1970.
    func isIssuer(_ issuer: String, at now: Int64) -> Bool {
        if sameBytes(issuer, realm.issuer) { return true }
        guard let former, former.isOpen(at: now) else { return false }
        return sameBytes(issuer, former.swap.issuer)
    }

    /// Whether people are asked for a scope, where they are asked at all: no consent is kept to others.
    func isAskedFor(_ scope: String) -> Bool {
        scope != "openid" && (scopes[scope]?.isAskedFor ?? true)
    }

    /// The default scopes of a client that its tokens and answers do not name.
    func unshownDefaults(of client: Client) -> [String] {
        client.defaultScopes.filter { scopes[$0]?.isShown == false }
    }

    /// The names of its client scopes that OpenID Connect has.
    var offeredScopes: [String] { scopes.names }

    /// The client scope of that name.
    package func scope(named name: String) -> LiveScope? {
        scopes[name]
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

extension ClientName {
    fileprivate var text: String {
        switch self {
        case .clientID(let text), .id(let text): text
        }
    }
}

extension LiveRealm {
    package var newPersonDefaults: NewPersonDefaults { NewPersonDefaults(realm) }

    package var defaultRoles: [RoleName] { newPersonDefaults.roles }

    package var defaultGroupIDs: [String] { newPersonDefaults.groupIDs }
}

/// What is left of a grant when it is used (docs/decisions/0072): what was granted, the client may have
/// now, and the person has allowed, where the client asks. The one rule for refreshing, UserInfo,
/// introspection and whatever hands a sign-in on.
extension LiveRealm {
    /// The grant with what is left of it.
    ///
    /// - Parameter client: Whose it is, as it is registered now.
    /// - Throws: `invalid_grant` if it is over: the client may not get such a grant any more, has no
    ///   offline access where that is all it lives by, or asks people, and this one was never asked.
    func standing(_ reading: GrantReading, of client: Client) async throws -> Grant {
        guard try await permits(reading, to: client) else {
            throw OAuthError(.invalidGrant, "The client may not use this grant type any more.")
        }
        let asks = client.keepsConsent && !reading.isOfClientAlone
        guard !asks || reading.allowed != nil else {
            throw OAuthError(.invalidGrant, "The person has to allow this in a browser.")
        }
        func isLeft(_ token: String) -> Bool {
            client.mayHave(token)
                && (!asks || !isAskedFor(token) || reading.allowed?.contains(token) == true)
        }
        var grant = reading.grant
        grant.scope = Scope(tokens: grant.scope.tokens.filter(isLeft))
        if let claims = grant.claims {
            let requested = try ClaimsRequest(claims)
            grant.claims =
                RequestedClaims(requested) { StandardClaims.scope(of: $0).map(isLeft) ?? false }
                .json
        }
        guard !grant.isOffline || grant.hasOwnTimes || grant.scope.contains("offline_access") else {
            throw OAuthError(.invalidGrant, "The client has no offline access any more.")
        }
        return grant
    }

    /// Whether the client may still get a grant the way it came by this one.
    private func permits(_ reading: GrantReading, to client: Client) async throws -> Bool {
        if reading.isOfClientAlone { return client.grantTypes.contains(.clientCredentials) }
        if let source = reading.exchangedBy {
            // Where the first app is disabled, the others keep what they have.
            guard client.isSignedInto else { return false }
            return try await self.client(uuid: source)?.sharesDevice(with: client) ?? false
        }
        if !reading.isRequested, PasswordGrant.serves(client, in: self) { return takesPasswords }
        return client.grantTypes.contains(.authorizationCode)
    }

    /// The same for a refresh token.
    ///
    /// - Throws: `unauthorized_client` if the client may not have one any more.
    func refreshable(_ reading: GrantReading, of client: Client) async throws -> Grant {
        guard client.grantTypes.contains(.refreshToken) else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
        }
        return try await standing(reading, of: client)
    }

    /// The same for those to whom it does not matter what ended a grant; `nil` where it is over.
    ///
    /// - Parameter forRefresh: Whether it is to be good for a refresh token.
    func left(of reading: GrantReading, _ client: Client, forRefresh: Bool = false) async throws
        -> Grant?
    {
        do {
            return forRefresh
                ? try await refreshable(reading, of: client)
                : try await standing(reading, of: client)
        } catch is OAuthError {
            return nil
        }
    }
}

extension GrantReading {
    /// Whether no person stands behind it.
    fileprivate var isOfClientAlone: Bool {
        grant.personID == nil || person?.person.serviceClientID != nil
    }
}

extension Client {
    /// Whether tokens give no more than what the person has allowed.
    var keepsConsent: Bool { requiresConsent && consentMemory == .kept }

    /// Whether people sign in to it, if only by another app on the device: it has a grant type besides that
    /// of the client alone.
    var isSignedInto: Bool { grantTypes.contains { $0 != .clientCredentials } }

    /// Whether its sign-ins are good for that app on the same device (OpenID Connect Native SSO §4).
    func sharesDevice(with target: Client) -> Bool {
        loginTokenTarget(target.clientID) != nil && mayHave(StandardScopes.deviceSSO)
    }

    /// Whether it may have a token of a scope, by default or if it asks (RFC 6749 §3.3).
    func mayHave(_ token: String) -> Bool {
        if scopeRule == .atProtocol { return optionalScopes.contains(token) }
        return switch token {
        case "openid": true
        // OpenID Connect Core §11: not if the client may not have refresh tokens.
        case "offline_access":
            optionalScopes.contains(token) && grantTypes.contains(.refreshToken)
        default: optionalScopes.contains(token) || defaultScopes.contains(token)
        }
    }
}
