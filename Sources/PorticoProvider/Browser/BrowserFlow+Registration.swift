import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The page for a new account (docs/decisions/0052).
extension BrowserFlow {
    /// Whether people can make an account here. An address that has to be proven takes mail.
    func offersRegistration(_ context: RealmContext) -> Bool {
        let realm = context.realm.realm
        return switch realm.registration {
        case nil: false
        case .email: sendsMail
        case .username: sendsMail || !realm.confirmsEmail
        }
    }

    /// It is not left out because this server sends no mail: the operator must correct that.
    func expectRegistration(for proven: ProvenRequest, _ context: RealmContext)
        throws(AuthorizationRefusal)
    {
        guard offersRegistration(context) else {
            throw .redirect(
                OAuthError(.serverError, "No account can be made: no mail can be sent."),
                proven.target
            )
        }
    }

    func registrationPage(
        for purpose: some SignInPurpose,
        _ entries: RegistrationPage.Entries = .init(),
        _ problems: [RegistrationPage.Problem] = [],
        in browser: FormBrowser,
        cookies: [HTTPField] = [],
        _ context: RealmContext
    ) throws -> Response {
        let form = try purpose.form(self, in: browser, context)
        return page(
            RegistrationPage(
                client: purpose.asker,
                form: form,
                entries: entries,
                asksForEmail: sendsMail,
                asksForUserName: context.realm.realm.registration == .username,
                leastCharacters: PasswordPolicy.minimumLength,
                problems: problems
            ),
            context,
            status: problems.first?.status ?? .ok,
            redirecting: purpose.formTarget,
            cookies: cookies + browser.cookies,
            retryAfter: problems.first?.retryAfter
        )
    }
}

extension RegistrationPage.Entries {
    /// - Parameter hint: `login_hint`.
    init(hint: String) {
        self.init()
        if let address = EmailAddress.folded(hint) {
            email = address
        } else {
            userName = hint
        }
    }
}

extension RegistrationPage.Problem {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .mustWait: .tooManyRequests
        case .busy: .serviceUnavailable
        default: .ok
        }
    }

    fileprivate var retryAfter: Double? {
        if case .mustWait(let seconds) = self { Double(seconds) } else { nil }
    }
}
