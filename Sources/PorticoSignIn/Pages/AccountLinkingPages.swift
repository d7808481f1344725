import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// Asks a proven but unknown person whether they already have an account (docs/decisions/0030).
struct AccountLinkingPages: Sendable {
    let directory: ProviderDirectory
    let check: SessionCheck
    let accounts: AccountStore
    let pending: PendingCookie
    let complete: SignInCompletion
    let link: IdentityLinking
    let emails: EmailCodes
    let responder: SignInResponder
    let forms: PageForms

    /// `GET /login/account`
    func ask(_ context: SignInContext) async throws -> Response {
        guard let waiting = try await waiting(context) else {
            return try await over(context)
        }
        let ways = SignInMethods(directory)
        guard let newWay = ways.label(waiting.identity.provider) else {
            return responder.unmatched(context)
        }
        let made = try forms.form(.joining, "join", waiting.attemptID.text, context)
        if let live = try await prover(of: waiting, context) {
            return responder.page(
                AddMethodPage(
                    newMethod: newWay,
                    identity: waiting.shown,
                    account: PageAccount(live.person),
                    form: made.form
                ),
                context,
                cookies: made.cookies
            )
        }
        if waiting.matches.isEmpty {
            return responder.page(
                RelayPage(provider: newWay, form: made.form),
                context,
                redirecting: .onward,
                cookies: made.cookies
            )
        }
        // The method that was just used leads back here.
        let known = waiting.matches.flatMap(\.providers)
            .filter { !sameBytes($0, waiting.identity.provider) }
        let live = try await party(to: waiting, context)
        let expelsOthers = live == nil && waiting.claimable?.verification.isProof == false
        // An account has one identity of each provider.
        let match = waiting.matches.first { $0.personID == live?.person.id } ?? waiting.claimable
        let hasOne = match?.providers.contains { sameBytes($0, waiting.identity.provider) }
        let address = hasOne == true && !expelsOthers ? nil : waiting.identity.email?.address
        return responder.page(
            FoundAccountPage(
                newMethod: newWay,
                knownMethods: ways.named(known.uniqued()),
                mailbox: address.map { EmailCodePage.masked($0) },
                expelsOthers: expelsOthers,
                hasPassword: directory.takesPasswords(at: responder.page.origin)
                    && waiting.matches.contains(where: \.hasPassword),
                canSeparate: complete.rules.isSignUpOpen,
                form: made.form,
                notice: FoundAccountPage.Notice(try context.query(), ways)
            ),
            context,
            redirecting: .onward,
            cookies: made.cookies
        )
    }

    /// `POST /login/account`
    func decide(_ context: SignInContext) async throws -> Response {
        guard let waiting = try await waiting(context) else {
            return try await over(context)
        }
        let form = try forms.checked("join", waiting.attemptID.text, context)
        if let way = form["way"], directory.names.contains(way) {
            return responder.go(
                to: .proving(at: way, backTo: .joiningProof, directory.place),
                context
            )
        }
        switch form["action"] {
        case "add":
            return try await forms.once(form, context) { try await add(waiting, context) }
        case "separate", "create":
            let completed = try await complete(
                waiting.subject,
                to: waiting.signInReturn,
                rule: .separate,
                spending: [waiting.claim(at: context.now)],
                context
            )
            return responder.completed(completed, waiting.signInReturn, context).adding([
                pending.remove
            ])
        case "link":
            // The choice of a sign-in method; after signing in, the person is asked about the new
            // identity.
            return responder.signInToJoin(context)
        case "mailbox":
            return try await forms.once(form, context) { try await mail(waiting, context) }
        default:
            return responder.failed(
                SignInFailure(.accessDenied, .userDeniedPermission),
                waiting.signInReturn,
                context
            ).adding([pending.remove])
        }
    }

    /// - Returns: Whether a code was mailed.
    private func mail(_ waiting: PendingIdentity, _ context: SignInContext) async throws -> (
        Response, isDone: Bool
    ) {
        guard let address = waiting.identity.email?.address, !waiting.matches.isEmpty else {
            return (responder.unmatched(context), isDone: false)
        }
        // A person who has the account's session already is its owner: they need not sign in again.
        if let live = try await party(to: waiting, context) {
            try await emails.start(proving: live, context)
            return (responder.go(to: .joiningCode, context), isDone: true)
        }
        try await emails.start(for: waiting, address: address, context)
        return (responder.go(to: .code, context), isDone: true)
    }

    /// `GET /login/code`
    func code(_ context: SignInContext) async throws -> Response {
        try await codePage(nil, context)
    }

    /// `POST /login/code`
    func confirm(_ context: SignInContext) async throws -> Response {
        guard let waiting = try await waiting(context),
            let address = waiting.identity.email?.address, let match = waiting.claimable
        else { return try await over(context) }
        let form = try forms.checked("code", waiting.attemptID.text, context)
        switch form["action"] {
        case "resend":
            return try await forms.once(form, context) {
                try await emails.start(for: waiting, address: address, context)
                return (try await codePage(nil, wasResent: true, context), isDone: true)
            }
        case "change-address": return responder.go(to: .joining, context)
        default: break
        }
        guard let code = form["code"] else { return try await codePage(.missing, context) }
        // The first answer may have a code for an app.
        let again = responder.again(waiting.signInReturn, context).adding([pending.remove])
        return try await forms.once(form, context, again: { _ in again }) {
            try await claim(code, match, by: waiting, context)
        }
    }

    /// - Returns: Whether the person was signed in by it.
    private func claim(
        _ code: String,
        _ match: AccountMatch,
        by waiting: PendingIdentity,
        _ context: SignInContext
    ) async throws -> (Response, isDone: Bool) {
        let draft = try await complete.session(for: waiting.signInReturn, waiting.subject, context)
        let event = try complete.event(
            waiting.subject,
            draft.session,
            .never,
            [waiting.claim(at: context.now)],
            context
        )
        let failure: SignInFailure
        switch try await emails.claim(code, match.personID, by: waiting, event, context) {
        case .confirmed(let account):
            let completed = try complete.completed(
                account,
                isNew: false,
                draft,
                waiting.signInReturn,
                context
            )
            return (
                responder.completed(completed, waiting.signInReturn, context).adding([
                    pending.remove
                ]), isDone: true
            )
        case .wrong(let left, _):
            let problem: EmailCodePage.Problem = left > 0 ? .wrong(triesLeft: left) : .tooMany
            return (try await codePage(problem, context), isDone: false)
        case .expired: return (try await codePage(.expired, context), isDone: false)
        case .unknown: return (try await codePage(.used, context), isDone: false)
        case .spent:
            let again = responder.again(waiting.signInReturn, context)
            return (again.adding([pending.remove]), isDone: false)
        case .taken: failure = SignInFailure(.invalidState, .unknown)
        case .blocked: failure = SignInFailure(.accountBlocked, .blocked)
        case .secondOfProvider: failure = SignInFailure(.linkRequired, .secondOfProvider)
        }
        let failed = responder.failed(failure, waiting.signInReturn, context)
        return (failed.adding([pending.remove]), isDone: false)
    }

    private func codePage(
        _ problem: EmailCodePage.Problem?,
        wasResent: Bool = false,
        _ context: SignInContext
    ) async throws -> Response {
        guard let waiting = try await waiting(context),
            let address = waiting.identity.email?.address
        else { return try await over(context) }
        let made = try forms.form(.code, "code", waiting.attemptID.text, context)
        return responder.page(
            EmailCodePage(
                address: EmailCodePage.masked(address),
                form: made.form,
                problem: problem,
                canChangeAddress: false,
                minutes: Int(EmailCodes.lifetime / 60),
                wasResent: wasResent
            ),
            context,
            redirecting: .onward,
            cookies: made.cookies
        )
    }

    /// The identity that waits in this browser: not where another person has signed in since, to whom the
    /// question was not put.
    private func waiting(_ context: SignInContext) async throws -> PendingIdentity? {
        guard let waiting = try pending.pending(context.headers, at: context.moment) else {
            return nil
        }
        guard let live = try await check.ifAny(context),
            live.session.authenticatedAt > waiting.askedAt, !waiting.isOpen(to: live)
        else { return waiting }
        return nil
    }

    /// No identity is waiting any more, or none ever was. A person who has finished, perhaps in
    /// another tab, sees that they are signed in.
    private func over(_ context: SignInContext) async throws -> Response {
        try await check.ifAny(context) == nil
            ? responder.unmatched(context) : responder.redirect(directory.place.home)
    }

    /// `GET /login/cookies`: checks for the cookie that was set with the redirect: without it,
    /// ``CookiesBlockedPage``.
    func cookies(_ context: SignInContext) -> Response {
        guard forms.cookies.form.value(context.headers) == nil else {
            return responder.unmatched(context)
        }
        return responder.page(
            CookiesBlockedPage(restart: PageLink(path: directory.place.home)),
            context,
            status: .badRequest
        )
    }

    /// Both are proven: adds the identity to the account of the session that proved it.
    ///
    /// - Returns: Whether it was added.
    private func add(_ waiting: PendingIdentity, _ context: SignInContext) async throws -> (
        Response, isDone: Bool
    ) {
        guard let live = try await prover(of: waiting, context) else {
            return (responder.unmatched(context), isDone: false)
        }
        let outcome = try await accounts.link(
            link.event(waiting.subject, live.session.id, [waiting.claim(at: context.now)], context),
            at: context.now
        )
        guard outcome == .linked || outcome == .alreadyLinked else {
            let refused = try responder.linked(
                outcome,
                waiting.identity.provider,
                of: live.session,
                .ways,
                context
            )
            return (refused.adding([pending.remove]), isDone: false)
        }
        let path: LocalPath =
            switch waiting.signInReturn.destination {
            case .web(let path, _): path
            // The app gets its session when the same request is repeated: the identity is known
            // now.
            case .app: LocalPath(waiting.signInReturn.restart(at: directory.place)) ?? .dashboard
            case .link(_, let path): path
            }
        return (responder.go(to: path, context, cookies: [pending.remove]), isDone: true)
    }

    /// The session of an account that the identity may join. A relay's address names no account:
    /// then any signed-in account may.
    private func party(to waiting: PendingIdentity, _ context: SignInContext) async throws
        -> LiveSession?
    {
        guard let live = try await check.ifAny(context), waiting.isOpen(to: live) else {
            return nil
        }
        return live
    }

    /// A session that has recently proven who its person is.
    private func prover(of waiting: PendingIdentity, _ context: SignInContext) async throws
        -> LiveSession?
    {
        guard let live = try await party(to: waiting, context), live.isProven(at: context.now)
        else {
            return nil
        }
        return live
    }
}

extension PendingIdentity {
    /// Whether the session's account may get it.
    fileprivate func isOpen(to live: LiveSession) -> Bool {
        matches.isEmpty || matches.contains { $0.personID == live.person.id }
    }
}

extension LocalPath {
    static let code = LocalPath.known("/login/code")

    /// The choice of a sign-in method, returning to `path`.
    package static func signingIn(backTo path: LocalPath, asking prompt: String = "select_account")
        -> LocalPath
    {
        let text = FormEncoding.appending(
            [("return_to", path.text), ("prompt", prompt)],
            to: SignInPath.login.rawValue
        )
        return LocalPath(text) ?? path
    }
}

extension Sequence where Element: Hashable {
    /// Each element once, at its first position.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

extension FoundAccountPage.Notice {
    /// The outcome of a sign-in that had to prove the account; `nil` if none was tried.
    init?(_ query: FormParameters, _ ways: SignInMethods) {
        guard let label = query["provider"].flatMap({ ways.label($0) }) else { return nil }
        switch query["reason"].flatMap({ SignInFailure.Reason(wire: $0) }) {
        case .userDeniedPermission?: self = .stopped(label)
        case .notReauthenticated?: self = .notReauthenticated(label)
        default: return nil
        }
    }

    static func isToldOf(_ reason: SignInFailure.Reason) -> Bool {
        reason == .userDeniedPermission || reason == .notReauthenticated
    }
}
