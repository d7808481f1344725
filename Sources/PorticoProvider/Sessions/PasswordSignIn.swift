import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Identifies a person by username and password (OpenID Connect Core §3.1.2.3).
struct PasswordSignIn: Sendable {
    let people: PersonStore
    let hashing: PasswordHashing

    enum Outcome: Sendable {
        /// With a stronger hash of the same password, if the stored one is weaker than the current
        /// setting.
        case recognised(PersonCredentials, rehashed: PasswordHash?)
        /// The name does not exist, or the password is wrong: the caller does not learn which.
        case refused
        /// The password is correct, but the account is blocked.
        case blocked
    }

    /// The account with that username or email address, if it exists.
    func account(_ login: String, in realm: LiveRealm) async throws -> PersonCredentials? {
        try await people.credentials(
            realmID: realm.realm.id,
            login: LoginName.folded(login),
            byEmail: realm.realm.signsInWithEmail
        )
    }

    /// Takes as long for an unknown name as for a wrong password; longer only for a correct
    /// password with an outdated hash.
    ///
    /// - Throws: ``PasswordHashing/Busy``.
    func callAsFunction(
        _ password: SecretText,
        of credentials: PersonCredentials?,
        for asker: HashingAsker,
        random: RandomSource
    ) async throws -> Outcome {
        // A password that is not possible still costs a check.
        let text = PasswordText(password.reveal()) ?? PasswordText("")
        guard let text else { return .refused }
        guard try await hashing.verify(text, against: credentials?.password, for: asker),
            let credentials
        else { return .refused }
        guard credentials.person.isEnabled else { return .blocked }
        return .recognised(
            credentials,
            rehashed: try await rehashed(text, of: credentials, for: asker, random: random)
        )
    }

    /// WEB-PW-2. Its failure does not fail a sign-in: if hashing is busy, the next sign-in does it.
    private func rehashed(
        _ password: PasswordText,
        of credentials: PersonCredentials,
        for asker: HashingAsker,
        random: RandomSource
    ) async throws -> PasswordHash? {
        guard let kept = credentials.password, Argon2id.isOutdated(kept) else { return nil }
        do {
            return try await hashing.hash(password, for: asker, random: random)
        } catch is PasswordHashing.Busy {
            return nil
        }
    }
}
