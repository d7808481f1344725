import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Checks the name and password of a sign-in form, within the limits on guessing (WEB-BRUTE-1).
struct PasswordCheck: Sendable {
    let flow: BrowserFlow
    let recognise: PasswordSignIn
    let tries: FailedPasswords
    let events: SecurityEvents

    /// The entries in the form.
    struct Typed: Sendable {
        let userName: String
        let password: SecretText?

        init(_ form: FormParameters) {
            userName = (form["username"] ?? "").trimmingBlanks(upTo: 255)
            password = form["password"].map(SecretText.init)
        }
    }

    enum Outcome: Sendable {
        /// With a stronger hash, if the stored one is weaker than the current setting.
        case recognised(PersonCredentials, rehashed: PasswordHash?)
        /// Show the form again.
        case again(SignInPage.Problem)
        case blocked
    }

    func callAsFunction(_ typed: Typed, _ context: RealmContext) async throws -> Outcome {
        guard let password = typed.password, !typed.userName.isEmpty else {
            return .again(
                .missing(userName: typed.userName.isEmpty, password: typed.password == nil)
            )
        }
        let account = try await recognise.account(typed.userName, in: context.realm)
        let attempt = attempt(typed, account, context)
        if case .wait(let seconds) = tries.begin(attempt, at: context.moment.now) {
            let whole = Int(exactly: min(max(seconds.rounded(.up), 1), 86_400)) ?? 86_400
            return .again(.mustWait(seconds: whole))
        }
        let isShort = tries.hasManyMistakes(attempt, at: context.moment.now)
        let outcome: PasswordSignIn.Outcome
        do {
            outcome = try await recognise(
                password,
                of: account,
                for: context.asker(
                    account?.person.id ?? LoginName.folded(typed.userName),
                    isSuspect: isShort
                ),
                random: context.moment.random
            )
        } catch is PasswordHashing.Busy {
            tries.wasRight(attempt, at: context.moment.now)
            return .again(.busy)
        }
        switch outcome {
        case .recognised(let credentials, let rehashed):
            tries.wasRight(attempt, at: context.moment.now)
            return .recognised(credentials, rehashed: rehashed)
        case .refused:
            events.note(.signInFailed, context)
            return .again(.wrongPair)
        case .blocked:
            events.note(.signInFailed, context)
            return .blocked
        }
    }

    /// The counted keys: the name as typed, whether or not it exists, and the account too. A
    /// browser in which the person has signed in before has its own count.
    private func attempt(_ typed: Typed, _ account: PersonCredentials?, _ context: RealmContext)
        -> FailedPasswords.Attempt
    {
        let known = account.flatMap { account in
            flow.knownPeople(context).first { $0.id == account.person.id }
        }
        return FailedPasswords.Attempt(
            realm: context.realm.id,
            name: LoginName.folded(typed.userName),
            account: account?.person.id,
            address: context.address,
            device: known?.device
        )
    }
}

extension String {
    /// Without blanks at either end, which phones like to add, and cut at the longest possible
    /// name.
    func trimmingBlanks(upTo most: Int) -> String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        let start = unicodeScalars.drop(while: isBlank).prefix(most)
        return String(String.UnicodeScalarView(start.trimming(isBlank)))
    }
}
