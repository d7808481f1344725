import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// Why a person must prove again who they are.
enum ConfirmReason: String, CaseIterable, Sendable {
    case adding
    case removing
    case changingEmail = "changing-email"
    case deleting

    var shown: ConfirmItsYouPage.Reason {
        switch self {
        case .adding: .adding
        case .removing: .removing
        case .changingEmail: .changingEmail
        case .deleting: .deleting
        }
    }
}

/// The proof required for changing how an account is reached: a sign-in at a provider that reports
/// when it asked, or a code emailed to the account's address
/// (``LiveAccountSession/isProven(at:)``).
struct ConfirmPages: Sendable {
    let directory: BackendDirectory
    let check: SessionCheck
    let accounts: AccountStore
    let emails: EmailCodes
    let cookies: SessionCookies
    let responder: BackendResponder
    let forms: PageForms

    /// The reason for the proof, and the page that follows.
    private struct Step {
        let reason: ConfirmReason?
        let path: LocalPath

        init(_ parameters: FormParameters) {
            reason = parameters["for"].flatMap { ConfirmReason(wire: $0) }
            path = LocalPath.asked(parameters["return_to"])
        }

        var fields: [PageField] {
            (reason.map { [PageField("for", $0.rawValue)] } ?? [])
                + [PageField("return_to", path.text)]
        }

        func at(_ page: BackendPath) -> LocalPath? {
            LocalPath(
                FormEncoding.appending(fields.map { ($0.name, $0.value) }, to: page.rawValue)
            )
        }
    }

    /// `GET /account/confirm`
    func ask(_ context: BackendContext) async throws -> Response {
        let live = try await check(context)
        let query = try context.query()
        let step = Step(query)
        guard !live.isProven(at: context.now) else { return responder.go(to: step.path, context) }
        let ways = SignInMethods(directory)
        let made = try forms.form(
            .confirmItsYou,
            "confirm",
            live.session.id.text,
            context,
            carrying: step.fields
        )
        return responder.page(
            ConfirmItsYouPage(
                reason: step.reason?.shown ?? .other,
                account: PageAccount(live.account),
                methods: ways.named(proving(live)),
                mailbox: (live.account.email?.address).map { EmailCodePage.masked($0) },
                form: made.form,
                problem: ways.problem(in: query)
            ),
            context,
            redirecting: .servers(ways.formActions),
            cookies: made.cookies
        )
    }

    /// `POST /account/confirm`
    func decide(_ context: BackendContext) async throws -> Response {
        let live = try await check(context)
        let form = try forms.checked("confirm", live.session.id.text, context)
        let step = Step(form)
        if let name = form["way"], proving(live).contains(where: { sameBytes($0, name) }) {
            // Back to this page: with a proof it continues, without one it offers another method.
            let path = step.at(.confirmItsYou) ?? step.path
            return responder.go(to: try await start(at: name, live, backTo: path), context)
        }
        guard form["action"] == "code" else { return responder.go(to: step.path, context) }
        try await emails.start(proving: live, context)
        return responder.go(to: step.at(.confirmCode) ?? step.path, context)
    }

    /// `GET /account/confirm/code`
    func code(_ context: BackendContext) async throws -> Response {
        let live = try await check(context)
        let step = Step(try context.query())
        guard !live.isProven(at: context.now) else { return responder.go(to: step.path, context) }
        return try codePage(live, step, nil, context)
    }

    /// `POST /account/confirm/code`
    func confirm(_ context: BackendContext) async throws -> Response {
        let live = try await check(context)
        let form = try forms.checked("confirm code", live.session.id.text, context)
        let step = Step(form)
        if form["action"] == "resend" {
            try await emails.start(proving: live, context)
            return try codePage(live, step, nil, wasResent: true, context)
        }
        guard let code = form["code"] else { return try codePage(live, step, .missing, context) }
        let (outcome, fields) = try await emails.prove(code, live, cookies, context)
        switch outcome {
        case .confirmed: return responder.go(to: step.path, context, cookies: fields)
        case .wrong(let left, _):
            let problem: EmailCodePage.Problem = left > 0 ? .wrong(triesLeft: left) : .tooMany
            return try codePage(live, step, problem, context)
        case .expired: return try codePage(live, step, .expired, context)
        case .unknown, .taken, .spent, .blocked, .secondOfProvider:
            return try codePage(live, step, .used, context)
        }
    }

    /// Providers with answers that can prove who a person is. If mail cannot be sent either, a
    /// sign-in at any of them counts, and one by handle, whose host reports no time.
    private func proving(_ live: LiveAccountSession) -> [String] {
        live.providers.filter { name in
            guard live.account.email != nil else { return directory.names.contains(name) }
            return directory.provider(named: name)?.client.provider.tellsAuthTime == true
        }
    }

    /// Where the sign-in begins: by handle at the host of the account's own DID, so that no one
    /// types it.
    private func start(at name: String, _ live: LiveAccountSession, backTo path: LocalPath)
        async throws -> LocalPath
    {
        guard sameBytes(name, HandleProvider.kind),
            let identity = try await accounts.identities(of: live.account.id).first(where: {
                sameBytes($0.provider, name)
            })
        else { return .proving(at: name, backTo: path) }
        let isRemembered = live.session.idleSeconds > SessionCookies.plain
        return .proving(identity.key.subject, isRemembered: isRemembered, backTo: path)
    }

    private func codePage(
        _ live: LiveAccountSession,
        _ step: Step,
        _ problem: EmailCodePage.Problem?,
        wasResent: Bool = false,
        _ context: BackendContext
    ) throws -> Response {
        guard let address = live.account.email?.address else {
            return responder.go(to: step.at(.confirmItsYou) ?? step.path, context)
        }
        let made = try forms.form(
            .confirmCode,
            "confirm code",
            live.session.id.text,
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
    static func proving(at provider: String, backTo path: LocalPath) -> LocalPath {
        let text = FormEncoding.appending(
            [("return_to", path.text), ("prompt", "login")],
            to: "/v1/auth/\(provider)"
        )
        return LocalPath(text) ?? path
    }

    /// The start of a sign-in by handle that does so. It shows the host first, with a link: a form may
    /// lead only to servers that its page names (CSP `form-action`), and hosts are anybody's.
    ///
    /// - Parameter isRemembered: Whether the session that it replaces was to last.
    static func proving(_ did: String, isRemembered: Bool, backTo path: LocalPath) -> LocalPath {
        let back = SignInReturn.Destination.web(path, isRemembered: isRemembered)
        let text = FormEncoding.appending(
            [("handle", did), ("prompt", "login"), ("ask", "host")] + back.handleParameters,
            to: BackendPath.login.rawValue
        )
        return LocalPath(text) ?? path
    }

    /// The page for proving again who a person is.
    static func confirming(
        _ reason: ConfirmReason,
        backTo path: LocalPath,
        at page: BackendPath = .confirmItsYou
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

    /// Whether it is the page that asks for a proof.
    var isConfirming: Bool { text.hasPrefix("\(BackendPath.confirmItsYou.rawValue)?") }
}
