import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// Why a person must prove again who they are.
package enum ConfirmReason: String, CaseIterable, Sendable {
    case adding
    case removing
    case changingEmail = "changing-email"
    case deleting
    case downloading

    var shown: ConfirmItsYouPage.Reason {
        switch self {
        case .adding: .adding
        case .removing: .removing
        case .changingEmail: .changingEmail
        case .deleting: .deleting
        case .downloading: .downloading
        }
    }
}

/// The proof required for changing how an account is reached: a sign-in at a provider that reports
/// when it asked, the password, or a code emailed to the account's address
/// (``LiveSession/isProven(at:)``).
struct ConfirmPages: Sendable {
    let directory: ProviderDirectory
    let check: SessionCheck
    let accounts: AccountStore
    let emails: EmailCodes
    let cookies: SessionCookies
    let responder: SignInResponder
    let forms: PageForms

    /// The reason for the proof, and the page that follows.
    private struct Step {
        let reason: ConfirmReason?
        let path: LocalPath

        init(_ parameters: FormParameters, _ place: SignInPlace) {
            reason = parameters["for"].flatMap { ConfirmReason(wire: $0) }
            path = place.asked(parameters["return_to"])
        }

        var fields: [PageField] {
            (reason.map { [PageField("for", $0.rawValue)] } ?? [])
                + [PageField("return_to", path.text)]
        }

        func at(_ page: SignInPath) -> LocalPath? {
            LocalPath(FormEncoding.appending(fields.map { ($0.name, $0.value) }, to: page.rawValue))
        }
    }

    /// `GET /account/confirm`
    func ask(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let query = try context.query()
        let step = Step(query, directory.place)
        guard !live.isProven(at: context.now) else { return responder.go(to: step.path, context) }
        let ways = SignInMethods(directory)
        let made = try forms.form(
            .confirmItsYou,
            "confirm",
            live.session.signIn,
            context,
            carrying: step.fields
        )
        return responder.page(
            ConfirmItsYouPage(
                reason: step.reason?.shown ?? .other,
                account: PageAccount(live.person),
                methods: ways.named(proving(live)),
                hasPassword: try await hasPassword(live, step),
                mailbox: (live.person.email).map { EmailCodePage.masked($0) },
                form: made.form,
                problem: ways.problem(in: query)
            ),
            context,
            redirecting: .onward,
            cookies: made.cookies
        )
    }

    /// `POST /account/confirm`
    func decide(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let form = try forms.checked("confirm", live.session.signIn, context)
        let step = Step(form, directory.place)
        if let name = form["way"], proving(live).contains(where: { sameBytes($0, name) }) {
            // Back to this page: with a proof it continues, without one it offers another method.
            let path = step.at(.confirmItsYou) ?? step.path
            return responder.go(to: try await start(at: name, live, backTo: path), context)
        }
        if form["action"] == "password", let proof = responder.passwordProof(for: step.path) {
            return responder.redirect(proof)
        }
        guard form["action"] == "code" else { return responder.go(to: step.path, context) }
        return try await forms.once(form, context) {
            try await emails.start(proving: live, context)
            return (responder.go(to: step.at(.confirmCode) ?? step.path, context), isDone: true)
        }
    }

    /// `GET /account/confirm/code`
    func code(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let step = Step(try context.query(), directory.place)
        guard !live.isProven(at: context.now) else { return responder.go(to: step.path, context) }
        return try codePage(live, step, nil, context)
    }

    /// `POST /account/confirm/code`: the session has another cookie afterwards, and the same form once more
    /// may come without it.
    func confirm(_ context: SignInContext) async throws -> Response {
        let form = try forms.ours("confirm code", context)
        let step = Step(form, directory.place)
        guard form["action"] != "resend" else { return try await resend(form, step, context) }
        return try await forms.once(
            form,
            context,
            again: { try await repeated($0, form, step, context) }
        ) {
            let live = try await check(context)
            try forms.check(form, isAbout: live.session.signIn, context)
            return try await confirm(form, live, step, context)
        }
    }

    /// The answer to the very same form once more: to the session that it is about, as long as that lives.
    ///
    /// - Parameter first: Has the session's new cookie, and may not have arrived.
    private func repeated(
        _ first: Response,
        _ form: FormParameters,
        _ step: Step,
        _ context: SignInContext
    ) async throws -> Response {
        do {
            let live = try await check(context)
            try forms.check(form, isAbout: live.session.signIn, context)
            return responder.go(to: step.path, context)
        } catch let absence as SessionCheck.Absence {
            guard let hash = cookies.session(setBy: first.headers),
                let live = try await check.sessions.live(cookie: hash, at: context.now),
                forms.forms.isAbout(live.session.signIn, form)
            else { throw absence }
            return first
        }
    }

    /// Another code. The page is the person's own: without the session it is not shown again either.
    private func resend(_ form: FormParameters, _ step: Step, _ context: SignInContext)
        async throws -> Response
    {
        let live = try await check(context)
        try forms.check(form, isAbout: live.session.signIn, context)
        return try await forms.once(form, context) {
            try await emails.start(proving: live, context)
            return (try codePage(live, step, nil, wasResent: true, context), isDone: true)
        }
    }

    /// - Returns: Whether the person has proven who they are.
    private func confirm(
        _ form: FormParameters,
        _ live: LiveSession,
        _ step: Step,
        _ context: SignInContext
    ) async throws -> (Response, isDone: Bool) {
        guard let code = form["code"] else {
            return (try codePage(live, step, .missing, context), isDone: false)
        }
        let (outcome, fields) = try await emails.prove(code, live, cookies, context)
        let problem: EmailCodePage.Problem
        switch outcome {
        case .confirmed:
            return (responder.go(to: step.path, context, cookies: fields), isDone: true)
        case .wrong(let left, _): problem = left > 0 ? .wrong(triesLeft: left) : .tooMany
        case .expired: problem = .expired
        case .unknown, .taken, .spent, .blocked, .secondOfProvider: problem = .used
        }
        return (try codePage(live, step, problem, context), isDone: false)
    }

    /// Providers with answers that can prove who a person is. If mail cannot be sent either, a
    /// sign-in at any of them counts, and one by handle, whose host reports no time.
    private func proving(_ live: LiveSession) -> [String] {
        live.providers.filter { name in
            guard live.person.email != nil else { return directory.names.contains(name) }
            return directory.provider(named: name)?.client.provider.tellsAuthTime == true
        }
    }

    private func hasPassword(_ live: LiveSession, _ step: Step) async throws -> Bool {
        guard responder.passwordProof(for: step.path) != nil else { return false }
        return try await accounts.hasPassword(live.person.id)
    }

    /// Where the sign-in begins: by handle at the host of the account's own DID, so that no one
    /// types it.
    private func start(at name: String, _ live: LiveSession, backTo path: LocalPath)
        async throws -> LocalPath
    {
        guard sameBytes(name, HandleProvider.kind),
            let identity = try await accounts.identities(of: live.person.id).first(where: {
                sameBytes($0.provider, name)
            })
        else { return .proving(at: name, backTo: path, directory.place) }
        let isRemembered = live.session.isRemembered
        return .proving(identity.subject, isRemembered: isRemembered, backTo: path)
    }

    private func codePage(
        _ live: LiveSession,
        _ step: Step,
        _ problem: EmailCodePage.Problem?,
        wasResent: Bool = false,
        _ context: SignInContext
    ) throws -> Response {
        guard let address = live.person.email else {
            return responder.go(to: step.at(.confirmItsYou) ?? step.path, context)
        }
        let made = try forms.form(
            .confirmCode,
            "confirm code",
            live.session.signIn,
            context,
            carrying: step.fields
        )
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
            cookies: made.cookies
        )
    }
}

extension LocalPath {
    /// The start of a sign-in that proves who a person is.
    static func proving(at provider: String, backTo path: LocalPath, _ place: SignInPlace)
        -> LocalPath
    {
        let text = FormEncoding.appending(
            [("return_to", path.text), ("prompt", "login")],
            to: place.path(startingAt: provider)
        )
        return LocalPath(text) ?? path
    }

    /// The start of a sign-in by handle that does so. It shows the host first.
    ///
    /// - Parameter isRemembered: Whether the session that it replaces was to last.
    static func proving(_ did: String, isRemembered: Bool, backTo path: LocalPath) -> LocalPath {
        let back = SignInReturn.Destination.web(path, isRemembered: isRemembered)
        let text = FormEncoding.appending(
            [("handle", did), ("prompt", "login"), ("ask", "host")] + back.handleParameters,
            to: SignInPath.login.rawValue
        )
        return LocalPath(text) ?? path
    }

    /// The page for proving again who a person is.
    package static func confirming(
        _ reason: ConfirmReason,
        backTo path: LocalPath,
        at page: SignInPath = .confirmItsYou
    ) -> LocalPath {
        let text = FormEncoding.appending(
            [("for", reason.rawValue), ("return_to", path.text)],
            to: page.rawValue
        )
        return LocalPath(text) ?? account
    }

    /// The page that checks a proof for ``joining``, and where its code is entered.
    static let joiningProof = confirming(.adding, backTo: joining)
    static let joiningCode = confirming(.adding, backTo: joining, at: .confirmCode)

    /// Whether it is the question about an identity that waits, or the proof that it asked for.
    package var isOfJoining: Bool {
        self == .joining || self == .joiningProof || text.hasSuffix(Self.joiningElsewhere)
    }

    /// The realm's sign-in that leads to ``joining``, below the realm.
    static let joiningElsewhere = "\(waiting)?page=joining"

    /// Whether it is the page that asks for a proof.
    var isConfirming: Bool { text.hasPrefix("\(SignInPath.confirmItsYou.rawValue)?") }
}
