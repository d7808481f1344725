import Hummingbird
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

    /// What somebody typed.
    struct Typed: Sendable {
        let userName: String
        let password: SecretText?

        init(_ form: FormParameters) {
            userName = String((form["username"] ?? "").trimmingBlanks.prefix(255))
            password = form["password"].map(SecretText.init)
        }
    }

    enum Outcome: Sendable {
        /// With a stronger hash, where the kept one is weaker than those made today.
        case recognised(PersonCredentials, rehashed: PasswordHash?)
        /// The form is shown again.
        case again(SignInPage.Problem)
        case blocked
    }

    func callAsFunction(_ typed: Typed, _ visit: RealmVisit) async throws -> Outcome {
        guard let password = typed.password, !typed.userName.isEmpty else {
            return .again(
                .missing(userName: typed.userName.isEmpty, password: typed.password == nil)
            )
        }
        let account = try await recognise.account(typed.userName, in: visit.realm)
        let counted: FailedPasswords.Attempt
        switch tries.begin(account, typed.userName, visit, device(account, visit)) {
        case .proceed(let attempt): counted = attempt
        case .wait(let seconds):
            let whole = Int(exactly: min(max(seconds.rounded(.up), 1), 86_400)) ?? 86_400
            return .again(.mustWait(seconds: whole))
        }
        let outcome: PasswordSignIn.Outcome
        do {
            outcome = try await recognise(password, of: account, random: visit.moment.random)
        } catch is PasswordHashing.Busy {
            tries.wasRight(counted)
            return .again(.busy)
        }
        switch outcome {
        case .recognised(let credentials, let rehashed):
            tries.wasRight(counted)
            return .recognised(credentials, rehashed: rehashed)
        case .refused:
            events.signInFailed(visit)
            return .again(.wrongPair)
        case .blocked:
            events.signInFailed(visit)
            return .blocked
        }
    }

    /// The id of this browser, where the account has signed in from it before: its count of wrong
    /// passwords is its own.
    private func device(_ account: PersonCredentials?, _ visit: RealmVisit) -> String? {
        guard let account, flow.knownPeople(visit).contains(account.person.id) else { return nil }
        let cookie = flow.cookies(of: visit).device(visit.request.headers)
        return cookie.map { Base64URL.encode(Hash256(of: $0).bytes) }
    }
}

extension FailedPasswords {
    /// Both names of an account count as one, and a name that nobody has counts the same.
    fileprivate func begin(
        _ account: PersonCredentials?,
        _ userName: String,
        _ visit: RealmVisit,
        _ device: String?
    ) -> Verdict {
        begin(
            account: "\(visit.realm.realm.id) \(account?.person.id ?? LoginName.folded(userName))",
            address: visit.visit.address,
            device: device,
            at: visit.moment.now
        )
    }
}

extension String {
    /// Without blanks at either end, which phones like to add.
    fileprivate var trimmingBlanks: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
