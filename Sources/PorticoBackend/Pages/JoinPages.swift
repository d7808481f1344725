import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// Somebody proven whom no account knows is asked whether one of theirs is here already
/// (docs/decisions/0030).
struct JoinPages: Sendable {
    let directory: BackendDirectory
    let check: SessionCheck
    let accounts: any AccountStore
    let pending: PendingCookie
    let complete: SignInCompletion
    let link: IdentityLinking
    let emails: EmailCodes
    let exits: BackendExits
    let forms: PageForms

    /// `GET /login/account`
    func ask(_ visit: BackendVisit) async throws -> Response {
        guard let waiting = pending.pending(visit.headers, at: visit.moment) else {
            return try await over(visit)
        }
        let ways = ProviderWays(directory)
        guard let newWay = ways.label(waiting.identity.provider) else {
            return exits.unmatched(visit)
        }
        let made = try forms.form(.joining, "join", waiting.attemptID.text, visit)
        if let live = try await prover(of: waiting, visit) {
            return exits.page(
                AddWayPage(newWay: newWay, account: PageAccount(live.account), form: made.form),
                visit,
                cookies: made.cookies
            )
        }
        if waiting.matches.isEmpty {
            return exits.page(
                RelayPage(provider: newWay, form: made.form),
                visit,
                formActions: actions(of: waiting, ways),
                cookies: made.cookies
            )
        }
        let known = waiting.matches.flatMap(\.providers)
        let isTheirs = try await party(to: waiting, visit) != nil
        return exits.page(
            FoundAccountPage(
                newWay: newWay,
                knownWays: ways.named(known.uniqued()),
                mailbox: waiting.identity.email.map { EmailCodePage.masked($0.address) },
                expelsOthers: !isTheirs && waiting.claimable?.verification.isProof == false,
                canSeparate: complete.rules.isSignUpOpen,
                form: made.form,
                notice: FoundAccountPage.Notice(try visit.query(), ways)
            ),
            visit,
            formActions: actions(of: waiting, ways),
            cookies: made.cookies
        )
    }

    /// `POST /login/account`
    func decide(_ visit: BackendVisit) async throws -> Response {
        guard let waiting = pending.pending(visit.headers, at: visit.moment) else {
            return try await over(visit)
        }
        let form = try await forms.checked("join", waiting.attemptID.text, visit)
        if let way = form["way"], directory.provider(named: way) != nil {
            return exits.go(to: .proving(at: way, backTo: .joiningProof), visit)
        }
        switch form["action"] {
        case "add": return try await add(waiting, visit)
        case "separate", "create":
            let completed = try await complete(
                waiting.subject,
                to: waiting.wayBack,
                rule: .separate,
                spending: [waiting.claim(at: visit.now)],
                visit
            )
            return exits.completed(completed, waiting.wayBack, visit).adding([pending.remove])
        case "link":
            // The choice of a way; whoever comes back signed in is asked about the new one.
            return exits.go(to: .signingIn(backTo: .joiningProof, asking: "login"), visit)
        case "mailbox":
            guard let address = waiting.identity.email?.address, !waiting.matches.isEmpty else {
                return exits.unmatched(visit)
            }
            // Whoever has the account's session as well is its person: nobody has to go for that.
            if let live = try await party(to: waiting, visit) {
                try await emails.start(proving: live, visit)
                return exits.go(to: .joiningCode, visit)
            }
            try await emails.start(for: waiting, address: address, visit)
            return exits.go(to: .code, visit)
        default:
            return exits.failed(
                SignInFailure(.accessDenied, .userDeniedPermission),
                waiting.wayBack,
                visit
            ).adding([pending.remove])
        }
    }

    /// `GET /login/code`
    func code(_ visit: BackendVisit) async throws -> Response {
        try await codePage(nil, visit)
    }

    /// `POST /login/code`
    func confirm(_ visit: BackendVisit) async throws -> Response {
        guard let waiting = pending.pending(visit.headers, at: visit.moment),
            let address = waiting.identity.email?.address, let match = waiting.claimable
        else { return try await over(visit) }
        let form = try await forms.checked("code", waiting.attemptID.text, visit)
        switch form["action"] {
        case "resend":
            try await emails.start(for: waiting, address: address, visit)
            return try await codePage(nil, wasResent: true, visit)
        case "change-address": return exits.go(to: .joining, visit)
        default: break
        }
        guard let code = form["code"] else { return try await codePage(.missing, visit) }
        let draft = try complete.session(for: waiting.wayBack, waiting.subject, visit)
        let event = complete.event(
            waiting.subject,
            draft.session,
            .never,
            [waiting.claim(at: visit.now)],
            visit
        )
        let failure: SignInFailure
        switch try await emails.claim(code, match.accountID, by: waiting, event, visit) {
        case .confirmed(let account):
            let completed = try complete.completed(
                account,
                isNew: false,
                draft,
                waiting.wayBack,
                visit
            )
            return exits.completed(completed, waiting.wayBack, visit).adding([pending.remove])
        case .wrong(let left, _):
            return try await codePage(left > 0 ? .wrong(triesLeft: left) : .tooMany, visit)
        case .expired: return try await codePage(.expired, visit)
        case .unknown: return try await codePage(.used, visit)
        case .taken, .spent: failure = SignInFailure(.invalidState, .unknown)
        case .blocked: failure = SignInFailure(.accountBlocked, .blocked)
        case .secondOfProvider: failure = SignInFailure(.linkRequired, .secondOfProvider)
        }
        return exits.failed(failure, waiting.wayBack, visit).adding([pending.remove])
    }

    private func codePage(
        _ problem: EmailCodePage.Problem?,
        wasResent: Bool = false,
        _ visit: BackendVisit
    ) async throws -> Response {
        guard let waiting = pending.pending(visit.headers, at: visit.moment),
            let address = waiting.identity.email?.address
        else { return try await over(visit) }
        let made = try forms.form(.code, "code", waiting.attemptID.text, visit)
        return exits.page(
            EmailCodePage(
                address: EmailCodePage.masked(address),
                form: made.form,
                problem: problem,
                canChangeAddress: false,
                minutes: Int(EmailCodes.lifetime / 60),
                wasResent: wasResent
            ),
            visit,
            formActions: waiting.appSources,
            cookies: made.cookies
        )
    }

    /// Nobody waits here any more, or never did. Whoever has finished, perhaps in another tab, is
    /// told that they are signed in.
    private func over(_ visit: BackendVisit) async throws -> Response {
        try await check.ifAny(visit) == nil
            ? exits.unmatched(visit) : exits.go(to: .login, visit)
    }

    /// `GET /login/cookies`: whether the cookie is here that was set on the way: if not,
    /// ``CookiesBlockedPage``.
    func cookies(_ visit: BackendVisit) -> Response {
        guard forms.cookies.visit(visit.headers) == nil else { return exits.unmatched(visit) }
        return exits.page(
            CookiesBlockedPage(restart: PageLink(path: BackendPageRoute.login.rawValue)),
            visit,
            status: .badRequest
        )
    }

    /// Both are proven: the identity joins the account of the session that proved it.
    private func add(_ waiting: PendingIdentity, _ visit: BackendVisit) async throws -> Response {
        guard let live = try await prover(of: waiting, visit) else {
            return exits.unmatched(visit)
        }
        let outcome = try await accounts.link(
            link.event(waiting.subject, live.session.id, [waiting.claim(at: visit.now)], visit),
            at: visit.now
        )
        guard outcome == .linked || outcome == .alreadyLinked else {
            return try exits.linked(
                outcome,
                waiting.identity.provider,
                of: live.session.id,
                .ways,
                visit
            ).adding([pending.remove])
        }
        let path: LocalPath =
            switch waiting.wayBack.destination {
            case .web(let path, _): path
            // The app gets its session by the same request once more: the identity is known now.
            case .app: LocalPath(waiting.wayBack.restart) ?? .dashboard
            case .link(_, let path): path
            }
        return exits.go(to: path, visit, cookies: [pending.remove])
    }

    /// Whoever is signed in to an account that the identity may join. A relay's address names no
    /// account: then it is whoever is signed in.
    private func party(to waiting: PendingIdentity, _ visit: BackendVisit) async throws
        -> LiveAccountSession?
    {
        guard let live = try await check.ifAny(visit),
            waiting.matches.isEmpty
                || waiting.matches.contains(where: { $0.accountID == live.account.id })
        else { return nil }
        return live
    }

    /// One that has proven lately who they are.
    private func prover(of waiting: PendingIdentity, _ visit: BackendVisit) async throws
        -> LiveAccountSession?
    {
        guard let live = try await party(to: waiting, visit), live.isProven(at: visit.now) else {
            return nil
        }
        return live
    }

    private func actions(of waiting: PendingIdentity, _ ways: ProviderWays) -> [String] {
        ways.formActions + waiting.appSources
    }
}

extension PendingIdentity {
    /// Where a form's answer may lead on to an app.
    var appSources: [String] {
        guard case .app(let target) = wayBack.destination,
            let source = PagePolicy.source(of: RedirectURI(target.redirectURI))
        else { return [] }
        return [source]
    }
}

extension LocalPath {
    static let code = LocalPath.known("/login/code")

    /// The choice of a way, coming back to `path`.
    static func signingIn(backTo path: LocalPath, asking prompt: String = "select_account")
        -> LocalPath
    {
        let text = FormEncoding.appending(
            [("return_to", path.text), ("prompt", prompt)],
            to: BackendPageRoute.login.rawValue
        )
        return LocalPath(text) ?? path
    }
}

extension Sequence where Element: Hashable {
    /// Each element once, where it stood first.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
