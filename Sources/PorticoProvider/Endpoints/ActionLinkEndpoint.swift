import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/login-actions/action-token`: the target of a link that an administrator has
/// mailed (``ActionLinks``; Keycloak's path).
///
/// Opening it consumes nothing, because programs that scan mail open links: sending the form does.
/// No one is signed in by it, so a second factor is still asked for.
struct ActionLinkEndpoint: Sendable {
    let flow: BrowserFlow
    let links: ActionLinks
    let registration: PersonRegistration
    let events: SecurityEvents
    let sessionEnded: @Sendable () -> Void

    func get(_ context: RealmContext) async throws -> Response {
        let key = try FormParameters(query: context.target)["key"]
        guard let key, let (link, person) = try await links.open(key, context) else {
            return over(context)
        }
        return try page(key, link, person, context)
    }

    func post(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        try form.refuseRepeats()
        guard flow.formCookie(context).value(context.headers) != nil else {
            throw LostRequest(.noCookie, restart: nil)
        }
        guard let key = form["request"], let (link, person) = try await links.open(key, context)
        else { return over(context) }
        try flow.checkForm("action link", form, transaction: Self.transaction(key), context)
        var hash: PasswordHash?
        if link.choosesPassword {
            guard let typed = form["password"], !typed.isEmpty else {
                return try page(key, link, person, problem: .missing, context)
            }
            do {
                hash = try await registration.hash(
                    SecretText(typed),
                    for: person,
                    realmName: context.realm.name,
                    random: context.moment.random
                )
            } catch let refusal as PasswordPolicy.Refusal {
                return try page(key, link, person, problem: .init(refusal), context)
            }
        }
        let change = try await links.mailboxes.follow(
            link.person,
            password: hash,
            notice: MailDraft(.passwordChanged, id: context.moment.id(), context),
            at: context.now
        )
        guard change == .changed else { return over(context) }
        events.emailConfirmed(person, context)
        guard hash != nil else {
            return flow.page(ActionLinkPage(state: .confirmed(next(link, context))), context)
        }
        events.passwordReset(person, context)
        sessionEnded()
        return flow.page(
            PasswordLinkPage(outcome: .done, next: next(link, context)),
            context,
            cookies: [flow.cookies(of: context).removeSession]
        )
    }

    private func page(
        _ key: String,
        _ link: ActionLink,
        _ person: Person,
        problem: NewPasswordPage.Problem? = nil,
        _ context: RealmContext
    ) throws -> Response {
        let browser = try flow.browser(context)
        let form = flow.forms.form(
            RealmURLs.path(realmName: context.realm.name, .actionToken),
            "action link",
            Self.transaction(key),
            in: browser,
            request: key
        )
        guard link.choosesPassword else {
            let asking = ActionLinkPage(state: .asking(address: link.person.email, form))
            return flow.page(asking, context, cookies: browser.cookies)
        }
        return flow.page(
            NewPasswordPage(
                userName: person.email ?? person.username,
                leastCharacters: PasswordPolicy.minimumLength,
                form: form,
                problem: problem
            ),
            context,
            cookies: browser.cookies
        )
    }

    private func over(_ context: RealmContext) -> Response {
        flow.page(ActionLinkPage(state: .over), context, status: .badRequest)
    }

    /// Back to the app that it was sent for; otherwise to the account, where what else is demanded
    /// follows the sign-in.
    private func next(_ link: ActionLink, _ context: RealmContext) -> PageLink? {
        if let back = link.back, let client = context.realm.client(clientID: back.clientID),
            let redirect = PermittedRedirect(
                RedirectURI(back.redirectURI),
                of: client,
                in: context.realm
            ), let link = PageLink(redirect: redirect.uri.text)
        {
            return link
        }
        let isAppDemanded = link.person.actions.contains(RequiredAction.configureTOTP)
        return PageLink(
            path: RealmURLs.path(
                realmName: context.realm.name,
                isAppDemanded ? .secondFactors : .apps
            )
        )
    }

    private static func transaction(_ key: String) -> String {
        Base64URL.encode(Hash256(of: key).bytes)
    }
}
