import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Finds out who is signing in with a user name and a password (OpenID Connect Core §3.1.2.3).
struct PasswordSignIn: Sendable {
    let people: any PersonStore
    let hashing: PasswordHashing

    enum Outcome: Sendable {
        case recognised(PersonCredentials)
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

    /// Takes as long for a name that nobody has as for a wrong password.
    ///
    /// - Throws: ``PasswordHashing/Busy``.
    func callAsFunction(_ password: SecretText, of credentials: PersonCredentials?) async throws
        -> Outcome
    {
        // A password that nobody can have still costs a check.
        let text = PasswordText(password.reveal()) ?? PasswordText("")
        guard let text else { return .refused }
        guard try await hashing.verify(text, against: credentials?.password), let credentials else {
            return .refused
        }
        return credentials.person.isEnabled ? .recognised(credentials) : .blocked
    }
}
