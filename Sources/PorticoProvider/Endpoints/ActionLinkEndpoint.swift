import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/login-actions/action-token`: the target of a link that an administrator has
/// mailed (``ActionLinks``).
///
/// Opening it consumes nothing, because programs that scan mail open links: sending the form does.
/// No one is signed in by it, so a second factor is still asked for. Who reads the mailbox may not be the
/// one who set the account up (docs/decisions/0082): the page names the account, and an address is
/// confirmed by a new password, or in a browser that is signed in to that very account.
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
        let opened = try await Opened(key, link, person, session(of: person, context))
        return try page(opened, context)
    }

    func post(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        try form.refuseRepeats()
        guard flow.keepsCookies(context) else {
            throw LostRequest(.noCookie, restart: form["request"].flatMap { again($0, context) })
        }
        guard let key = form["request"] else { return over(context) }
        let counts = try await flow.counts(
            "action link",
            form,
            transaction: Self.transaction(key),
            context
        )
        return try await flow.sent(SentForm(form, context), at: context.now) { deed in
            if counts, let deed, let link = links.link(key, context) {
                return try await done(link, deed, context)
            }
            guard let (link, person) = try await links.open(key, context) else {
                return over(context)
            }
            let opened = try await Opened(key, link, person, session(of: person, context))
            guard counts else { return try page(opened, context).notDone }
            return try await follow(opened, form, context)
        }
    }

    /// Does what the link is for.
    private func follow(_ opened: Opened, _ form: FormParameters, _ context: RealmContext)
        async throws -> Response
    {
        let person = opened.person
        let proof: PersonLink.Proof
        switch (opened.demand, opened.session) {
        case (.password, _):
            guard let typed = form["password"], !typed.isEmpty else {
                return try page(opened, problem: .missing, context)
            }
            do {
                proof = .password(
                    try await registration.hash(
                        SecretText(typed),
                        for: person,
                        realmName: context.realm.name,
                        by: context.asker(person.id),
                        random: context.moment.random
                    )
                )
            } catch let refusal as PasswordPolicy.Refusal {
                return try page(opened, problem: .init(refusal), context)
            }
        case (.click, let session?): proof = .session(session)
        case (.click, nil), (.nothing, _): proof = .none
        }
        let change = try await links.mailboxes.follow(
            opened.link.person,
            with: proof,
            notice: MailDraft(.passwordChanged, id: context.moment.id(), context),
            at: context.now
        )
        guard change == .changed else { return over(context) }
        report(proof, of: person, context)
        let deed: FormDeed = opened.demand == .password ? .done : .clicked
        flow.sent.note(deed, of: SentForm(form, context), at: context.now)
        return try await done(opened.link, deed, context)
    }

    private func report(_ proof: PersonLink.Proof, of person: Person, _ context: RealmContext) {
        switch proof {
        case .password:
            events.note(.emailConfirmed, context, person: person.id)
            events.note(.passwordReset, context, person: person.id)
            sessionEnded()
        case .session: events.note(.emailConfirmed, context, person: person.id)
        case .none: break
        }
    }

    /// A link that is good, in a browser.
    private struct Opened {
        let key: String
        let link: ActionLink
        let person: Person
        /// Of the account that the link is for.
        let session: PersonSession?
        let demand: PersonLink.Demand

        init(_ key: String, _ link: ActionLink, _ person: Person, _ session: PersonSession?) {
            self.key = key
            self.link = link
            self.person = person
            self.session = session
            demand = link.person.demand(
                isProven: person.isEmailVerified,
                isSignedIn: session != nil
            )
        }
    }

    /// The browser's session, where it is of that account, with a second factor if there is one.
    private func session(of person: Person, _ context: RealmContext) async throws
        -> PersonSession?
    {
        guard let live = try await flow.session(context), sameBytes(live.person.id, person.id),
            try await flow.sessions.proves(live.session, .strength, at: context.now)
        else { return nil }
        return live.session
    }

    private func done(_ link: ActionLink, _ deed: FormDeed, _ context: RealmContext) async throws
        -> Response
    {
        let next = try await next(link, context)
        if case .done = deed {
            return flow.page(
                PasswordLinkPage(outcome: .done, next: next),
                context,
                cookies: flow.cookies(of: context).endSession(context.headers)
            )
        }
        let confirms = link.person.confirmsAddress
        return flow.page(
            ActionLinkPage(state: confirms ? .confirmed(next) : .demanded(next)),
            context
        )
    }

    private func page(
        _ opened: Opened,
        problem: NewPasswordPage.Problem? = nil,
        _ context: RealmContext
    ) throws -> Response {
        let browser = try flow.browser(context)
        let form = flow.forms.form(
            context.path(.actionToken),
            "action link",
            Self.transaction(opened.key),
            in: browser,
            request: opened.key
        )
        let (person, link) = (opened.person, opened.link.person)
        guard opened.demand == .password else {
            let state: ActionLinkPage.State =
                link.confirmsAddress
                ? .asking(address: link.email, account: person.username, form)
                : .demanding(account: person.username, form)
            return flow.page(ActionLinkPage(state: state), context, cookies: browser.cookies)
        }
        let account = context.path(.apps)
        return flow.page(
            NewPasswordPage(
                userName: person.email ?? person.username,
                leastCharacters: PasswordPolicy.minimumLength,
                form: form,
                problem: problem,
                mailed: NewPasswordPage.Mailed(
                    account: person.username,
                    confirms: link.choosesPassword ? nil : link.email,
                    signIn: link.choosesPassword ? nil : PageLink(path: account)
                )
            ),
            context,
            cookies: browser.cookies
        )
    }

    /// Opens the link again.
    private func again(_ key: String, _ context: RealmContext) -> PageLink? {
        let path = context.path(.actionToken)
        return PageLink(path: FormEncoding.appending([("key", key)], to: path))
    }

    private func over(_ context: RealmContext) -> Response {
        flow.page(ActionLinkPage(state: .over), context, status: .badRequest)
    }

    /// Back to the app that it was sent for; otherwise to the account, where what else is demanded
    /// follows the sign-in.
    private func next(_ link: ActionLink, _ context: RealmContext) async throws -> PageLink? {
        if let back = link.back,
            let client = try await context.realm.client(clientID: back.clientID),
            let redirect = PermittedRedirect(
                RedirectURI(back.redirectURI),
                of: context.realm.live(client)
            ), let link = PageLink(redirect: redirect.uri.text)
        {
            return link
        }
        let isAppDemanded = link.person.actions.contains(RequiredAction.configureTOTP)
        return PageLink(path: context.path(isAppDemanded ? .secondFactors : .apps))
    }

    private static func transaction(_ key: String) -> String {
        Base64URL.encode(Hash256(of: key).bytes)
    }
}
