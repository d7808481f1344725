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
struct PasswordGrant: TokenGrant {
    static let type = "password"

    private let provider: Provider
    private let recognise: PasswordSignIn
    private let start: SessionStart

    init(_ provider: Provider) {
        self.provider = provider
        recognise = PasswordSignIn(people: provider.people, hashing: provider.hashing)
        start = SessionStart(sessions: provider.sessions, sessionEnded: provider.sessionEnded)
    }

    private static let realm = "master"
    private static let client = "admin-cli"

    func takes(_ form: FormParameters, in realm: LiveRealm) -> Bool {
        realm.takesPasswords && realm.realm.signsInWithPassword
    }

    func admits(_ client: AuthenticatedClient, in realm: LiveRealm) -> Bool {
        Self.serves(client.client, in: realm)
    }

    static func isServed(in realm: String) -> Bool { sameBytes(realm, Self.realm) }

    /// Whether a client has it where it is on, whatever its registration says.
    static func serves(_ client: Client, in realm: LiveRealm) -> Bool {
        isServed(in: realm.name) && sameBytes(client.clientID, Self.client)
    }

    /// - Throws: `invalid_grant` for a wrong password, and for anyone whose password alone is not
    ///   enough.
    func callAsFunction(_ request: TokenRequest) async throws -> JSONObject {
        let (realm, moment, tries) = (request.realm, request.moment, provider.tries)
        let login = try request.form.required("username")
        let password = SecretText(try request.form.required("password"))
        let account = try await recognise.account(login, in: realm)
        let attempt = FailedPasswords.Attempt(
            realm: realm.id,
            name: LoginName.folded(login),
            account: account?.person.id,
            address: request.context.address
        )
        guard case .proceed = tries.begin(attempt, at: moment.now) else {
            throw OAuthError(.temporarilyUnavailable, "Too many passwords were wrong.")
        }
        let outcome: PasswordSignIn.Outcome
        do {
            outcome = try await recognise(
                password,
                of: account,
                for: request.context.asker(
                    account?.person.id ?? LoginName.folded(login),
                    isSuspect: true
                ),
                random: moment.random
            )
        } catch {
            // Not judged, so not wrong.
            tries.wasRight(attempt, at: moment.now)
            throw error
        }
        guard case .recognised(let credentials, _) = outcome else { throw Self.refusal }
        tries.wasRight(attempt, at: moment.now)
        let person = credentials.person
        let factors = try await provider.people.secondFactors(of: person.id, realmID: realm.id)
        guard factors.allSatisfy({ $0.kind == .other }), person.requiredActions.isEmpty,
            !realm.mustConfirmEmail(person),
            let whole = try await provider.people.person(id: person.id, realmID: realm.id)
        else { throw Self.refusal }
        return try await issue(whole, judgedIn: credentials.epoch, request)
    }

    private static let refusal = OAuthError(.invalidGrant, "Invalid user credentials.")

    /// The tokens of a session that no browser has: its cookie is given to no one. It ends as all of the
    /// person's do.
    ///
    /// - Parameter epoch: When the password was right. One that was set since ends this, too.
    private func issue(
        _ person: PersonWithRoles,
        judgedIn epoch: Int64,
        _ request: TokenRequest
    ) async throws -> JSONObject {
        let (client, realm, moment) = (request.client, request.realm, request.moment)
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
                ? RefreshState(first: moment, ring: provider.ring) : nil
        )
        grant.dpopKey = request.proven.boundKey(in: realm)
        let answer = try await provider.issue(grant, to: person, for: request)
        let outcome = try await provider.grants.insert(
            grant,
            beginning: session,
            spending: request.proven.uses.take(),
            at: moment.seconds
        )
        if case .spentBefore(let kind) = outcome { throw request.proven.refusal(ofRepeated: kind) }
        guard outcome == .redeemed else { throw Self.refusal }
        return answer
    }
}
