import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// Issues a token for a person's password (RFC 6749 §4.3), which OAuth 2.1 has no more (RFC 9700
/// §2.4): only to `admin-cli` of the realm `master`, and only where the operator's setting says so,
/// for scripts that know no other way.
///
/// The limits on guessing are those of the sign-in page. People who have a second factor, or must
/// do something first, sign in on that page.
struct PasswordGrant: Sendable {
    private let grants: GrantStore
    private let people: PersonStore
    private let recognise: PasswordSignIn
    private let tries: FailedPasswords
    private let issuer: TokenIssuer
    private let ring: KeyRing
    private let start: SessionStart

    init(_ provider: Provider, issuer: TokenIssuer) {
        grants = provider.grants
        people = provider.people
        recognise = PasswordSignIn(people: provider.people, hashing: provider.hashing)
        tries = provider.tries
        self.issuer = issuer
        ring = provider.ring
        start = SessionStart(sessions: provider.sessions, sessionEnded: provider.sessionEnded)
    }

    private static let realm = "master"
    private static let client = "admin-cli"

    func serves(_ form: FormParameters, _ context: RealmContext) -> Bool {
        context.realm.takesPasswords
            && form["grant_type"].map { sameBytes($0, "password") } ?? false
    }

    static func isServed(in realm: String) -> Bool { sameBytes(realm, Self.realm) }

    /// Whether a client has it where it is on, whatever its registration says.
    static func serves(_ client: Client, in realm: LiveRealm) -> Bool {
        isServed(in: realm.name) && sameBytes(client.clientID, Self.client)
    }

    /// - Throws: `invalid_grant` for a wrong password, and for anyone whose password alone is not
    ///   enough.
    func callAsFunction(
        _ form: FormParameters,
        from client: AuthenticatedClient,
        _ context: RealmContext
    ) async throws -> TokenAnswer {
        try form.refuseRepeats()
        guard Self.serves(client.client, in: context.realm) else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
        }
        let login = try form.required("username")
        let password = SecretText(try form.required("password"))
        let realm = context.realm
        let account = try await recognise.account(login, in: realm)
        let attempt = FailedPasswords.Attempt(
            realm: realm.id,
            name: LoginName.folded(login),
            account: account?.person.id,
            address: context.address
        )
        guard case .proceed = tries.begin(attempt, at: context.moment.now) else {
            throw OAuthError(.temporarilyUnavailable, "Too many passwords were wrong.")
        }
        let outcome: PasswordSignIn.Outcome
        do {
            outcome = try await recognise(
                password,
                of: account,
                for: context.asker(
                    account?.person.id ?? LoginName.folded(login),
                    isSuspect: true
                ),
                random: context.moment.random
            )
        } catch {
            // Not judged, so not wrong.
            tries.wasRight(attempt, at: context.moment.now)
            throw error
        }
        guard case .recognised(let credentials, _) = outcome else { throw Self.refusal }
        tries.wasRight(attempt, at: context.moment.now)
        let person = credentials.person
        let factors = try await people.secondFactors(of: person.id, realmID: realm.id)
        guard factors.allSatisfy({ $0.kind == .other }), person.requiredActions.isEmpty,
            !realm.mustConfirmEmail(person),
            let whole = try await people.person(id: person.id, realmID: realm.id)
        else { throw Self.refusal }
        return try await issue(whole, judgedIn: credentials.epoch, to: client, context)
    }

    private static let refusal = OAuthError(.invalidGrant, "Invalid user credentials.")

    /// The tokens of a session that no browser has: its cookie is given to no one. It ends as all of the
    /// person's do.
    ///
    /// - Parameter epoch: When the password was right. One that was set since ends this, too.
    private func issue(
        _ person: PersonWithRoles,
        judgedIn epoch: Int64,
        to authenticated: AuthenticatedClient,
        _ context: RealmContext
    ) async throws -> TokenAnswer {
        let client = authenticated.client
        let moment = context.moment
        let realm = context.realm
        let (session, _) = start.new(
            personID: person.person.id,
            epoch: epoch,
            amr: ["pwd"],
            in: realm,
            device: client.clientID,
            at: moment
        )
        var grant = Grant(
            id: moment.id(),
            realmID: realm.id,
            clientID: client.id,
            personID: person.person.id,
            sessionID: session.id,
            scope: Scope(tokens: client.defaultScopes),
            isOffline: false,
            authenticatedAt: moment.seconds,
            acr: RealmMetadata.passwordACR,
            amr: ["pwd"],
            claims: nil,
            createdAt: moment.seconds,
            idleSeconds: realm.lifetimes.sessionIdle,
            expiresAt: session.expiresAt,
            // Such programs keep no session without one.
            refresh: client.grantTypes.contains(.refreshToken)
                ? RefreshState(first: moment, ring: ring) : nil
        )
        grant.dpopKey = authenticated.boundKey(in: realm)
        let answer = try issuer.issue(
            TokenSubject(
                realm: realm,
                client: client,
                grant: grant,
                person: person,
                scope: grant.scope,
                dpopKey: authenticated.proof?.thumbprint
            ),
            nonce: nil,
            generation: grant.refresh?.generation,
            at: moment
        )
        let outcome = try await grants.insert(
            grant,
            beginning: session,
            spending: authenticated.uses.take(),
            at: moment.seconds
        )
        if case .spentBefore(let kind) = outcome { throw authenticated.refusal(ofRepeated: kind) }
        guard outcome == .redeemed else { throw Self.refusal }
        return answer
    }
}
