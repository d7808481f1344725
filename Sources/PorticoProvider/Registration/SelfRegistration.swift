import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// A person makes an account in place of signing in (docs/decisions/0052).
///
/// Where mail is sent they prove their address first: until the code is right there is no account,
/// and only the person who already has the address learns of it, by mail.
struct SelfRegistration: Sendable {
    let flow: BrowserFlow
    let people: PersonStore
    let mailboxes: PersonMailboxStore
    let registration: PersonRegistration
    let mails: MailLimits
    /// Forms that could make an account, by network address.
    let tries: RateLimiter
    let signIn: BrowserSignIn
    let events: SecurityEvents

    /// 30 an hour.
    static let limit = RateLimit.perHour(30)

    enum Outcome: Sendable {
        case registered(BrowserSignIn.Begun)
        case show(Response)
        /// A mail was sent; the page that says so.
        case mailed(Response)
    }

    /// The page to begin with.
    func page(for purpose: some SignInPurpose, _ context: RealmContext) throws -> Response {
        try expectOffered(context)
        return try flow.registrationPage(for: purpose, in: flow.browser(context), context)
    }

    /// The form of that page.
    func submit(
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Outcome {
        try expectOffered(context)
        let typed = TypedRegistration(
            form,
            id: UniqueID(random: context.moment.random),
            asksForEmail: flow.sendsMail,
            context
        )
        func again(_ problems: [RegistrationPage.Problem]) throws -> Outcome {
            .show(
                try flow.registrationPage(
                    for: purpose,
                    typed.entries,
                    problems,
                    in: flow.browser(context),
                    context
                )
            )
        }
        guard typed.problems.isEmpty else { return try again(typed.problems) }
        let key = LimitKey("registration", context.address)
        if case .wait(let seconds) = tries.take(key, at: context.moment.now) {
            let whole = Int(exactly: min(max(seconds.rounded(.up), 1), 86_400)) ?? 86_400
            return try again([.mustWait(seconds: whole)])
        }
        // Of a user name that people choose this is told; of an address it is not.
        if context.realm.realm.registration == .username,
            try await isTaken(typed.person.username, context)
        {
            return try again([.userNameTaken])
        }
        let password: PasswordHash
        do {
            password = try await registration.hash(
                typed.password,
                for: typed.person,
                realmName: context.realm.name,
                by: context.asker(typed.person.username),
                random: context.moment.random
            )
        } catch is PasswordHashing.Busy {
            return try again([.busy])
        }
        let browser = try flow.browser(context)
        let draft = RegistrationDraft(
            typed.person,
            password,
            browser: browser.value,
            transaction: purpose.transaction
        )
        if let draft { return .mailed(try await send(draft, for: purpose, context)) }
        switch try await register(typed.person, password, proof: nil, context) {
        case .began(let begun): return .registered(begun)
        case .refused: return try again([.userNameTaken])
        }
    }

    /// Makes the account, and signs the person in.
    func register(
        _ person: Person,
        _ password: PasswordHash,
        proof: PersonRegistering.Proof?,
        _ context: RealmContext
    ) async throws -> Registered {
        let (session, cookie) = signIn.start.new(
            personID: person.id,
            epoch: 0,
            amr: ["pwd"],
            in: context.realm,
            device: DeviceName.of(context.headers[.userAgent]),
            at: context.moment
        )
        let outcome = try await mailboxes.register(
            PersonRegistering(
                person: person,
                password: password,
                roles: context.realm.realm.defaultRoles,
                groupIDs: context.realm.realm.defaultGroupIDs,
                proof: proof
            ),
            beginning: session,
            replacing: flow.cookies(of: context).sessionHash(context.headers),
            at: context.now
        )
        guard case .began(let kept, let beginning) = outcome else {
            return .refused(outcome)
        }
        let (live, ended) = try signIn.start.settle(session, beginning)
        events.note(.registrationDone, context, person: kept.id)
        return .began(
            try signIn.begun(
                LiveSession(session: live, person: kept),
                cookie: cookie,
                ended: ended,
                context
            )
        )
    }

    enum Registered: Sendable {
        case began(BrowserSignIn.Begun)
        case refused(PersonRegistered)
    }

    /// - Throws: ``NotOffered`` if the realm does not allow it, or mail that it takes cannot be sent.
    private func expectOffered(_ context: RealmContext) throws(NotOffered) {
        guard flow.offersRegistration(context) else { throw NotOffered() }
    }

    func isTaken(_ username: String, _ context: RealmContext) async throws -> Bool {
        try await people.credentials(
            realmID: context.realm.id,
            login: username,
            byEmail: false
        ) != nil
    }
}
