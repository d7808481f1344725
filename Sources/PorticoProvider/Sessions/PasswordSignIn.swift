import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Finds out who is signing in with a user name and a password (OpenID Connect Core §3.1.2.3).
struct PasswordSignIn: Sendable {
    let people: PersonStore
    let hashing: PasswordHashing

    enum Outcome: Sendable {
        /// With a stronger hash of the same password, where the kept one is weaker than those made
        /// today.
        case recognised(PersonCredentials, rehashed: PasswordHash?)
        /// Nobody has this name, or the password is another: which, nobody learns.
        case refused
        /// The password is right, and the account is blocked.
        case blocked
    }

    /// The account of that user name or e-mail address, if there is one.
    func account(_ login: String, in realm: LiveRealm) async throws -> PersonCredentials? {
        try await people.credentials(
            realmID: realm.realm.id,
            login: LoginName.folded(login),
            byEmail: realm.realm.signsInWithEmail
        )
    }

    /// Takes as long for a name that nobody has as for a wrong password; longer only for a right
    /// one whose hash is outdated.
    ///
    /// - Parameter asker: As ``PasswordHashing/verify(_:against:for:)`` takes it.
    /// - Throws: ``PasswordHashing/Busy``.
    func callAsFunction(
        _ password: SecretText,
        of credentials: PersonCredentials?,
        for asker: LimitKey?,
        random: RandomSource
    ) async throws -> Outcome {
        // A password that nobody can have still costs a check.
        let text = PasswordText(password.reveal()) ?? PasswordText("")
        guard let text else { return .refused }
        guard try await hashing.verify(text, against: credentials?.password, for: asker),
            let credentials
        else { return .refused }
        guard credentials.person.isEnabled else { return .blocked }
        return .recognised(
            credentials,
            rehashed: try await rehashed(text, of: credentials, random: random)
        )
    }

    /// WEB-PW-2. A sign-in does not fail for it: where hashing is busy, the next one will do.
    private func rehashed(
        _ password: PasswordText,
        of credentials: PersonCredentials,
        random: RandomSource
    ) async throws -> PasswordHash? {
        guard let kept = credentials.password, Argon2id.isOutdated(kept) else { return nil }
        do {
            return try await hashing.hash(password, random: random)
        } catch is PasswordHashing.Busy {
            return nil
        }
    }
}
