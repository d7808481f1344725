import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/account/second-factor`: a person's authenticator apps and recovery codes. Each
/// change needs a session that proves the person now (``SessionStore/Proof``): a sign-in of the
/// last five minutes, with the second factor they have (docs/decisions/0050, 0081).
struct SecondFactorsEndpoint: Sendable {
    let access: AccountPageAccess
    let people: PersonStore
    let events: SecurityEvents
    let sessionEnded: @Sendable () -> Void

    private var flow: BrowserFlow { access.flow }

    func show(_ context: RealmContext) async throws -> Response {
        try await access.enter(context) { session, form in
            let waiting = ResumableRequest(try context.parameters()["request"], flow, context)
            let request = SignedInRequest(session, waiting, context)
            guard let form, let action = form["action"] else {
                return try await list(request, nil)
            }
            guard ["add", "confirm", "codes", "remove"].contains(action) else {
                return try await list(request, nil)
            }
            guard try await flow.sessions.proves(session.session, .now, at: context.now) else {
                return try signInAgain(request)
            }
            switch action {
            case "add": return try setUp(AuthenticatorSetup(in: request), nil, request)
            case "confirm": return try await confirm(form, request)
            case "codes":
                return try await flow.sent(SentForm(form, context), at: context.now) { deed in
                    try await makeCodes(form, after: deed, request)
                }
            default: return try await remove(form["id"], request)
            }
        }
    }

    /// One request of a signed-in person.
    fileprivate struct SignedInRequest {
        let session: LiveSession
        /// The authorization request that waits.
        let waiting: ResumableRequest?
        let context: RealmContext

        init(_ session: LiveSession, _ waiting: ResumableRequest?, _ context: RealmContext) {
            self.session = session
            self.waiting = waiting
            self.context = context
        }

        var person: Person { session.person }

        /// What became of the action that the request asks for, where it asks for one.
        func marked(_ status: RequestedAction.Status, _ flow: BrowserFlow) throws
            -> SignedInRequest
        {
            SignedInRequest(session, try waiting?.marked(status, flow, context), context)
        }
    }

    private func signInAgain(_ request: SignedInRequest) throws -> Response {
        try access.signInAgain(request.session, request: request.waiting?.sealed, request.context)
    }

    private func setUp(
        _ setup: AuthenticatorSetup,
        _ problem: AuthenticatorSetupPage.Problem?,
        endsOthers: Bool = true,
        _ request: SignedInRequest
    ) throws -> Response {
        let context = request.context
        let sealed = AuthenticatorSetupSeal(ring: flow.ring, realmID: context.realm.id)
            .seal(setup, at: context.moment)
        return try access.page(request.session, request: request.waiting?.sealed, context) {
            frame in
            AuthenticatorSetupPage(
                key: Base32.encode(setup.key),
                link: setup.link(of: request.person, in: context.realm),
                form: frame.form.with("setup", sealed),
                endsOthers: endsOthers,
                problem: problem
            )
        }
    }

    private func confirm(_ form: FormParameters, _ request: SignedInRequest) async throws
        -> Response
    {
        let context = request.context
        let setup = AuthenticatorSetupSeal(ring: flow.ring, realmID: context.realm.id)
            .open(form["setup"], in: request.session.session, at: context.moment)
        guard let setup else { return try await list(request, nil) }
        let endsOthers = form["others"] != nil
        guard let typed = form["code"], !TypedCode.compact(typed).isEmpty else {
            return try setUp(setup, .missing, endsOthers: endsOthers, request)
        }
        let drift = context.realm.realm.codeDrift
        guard let step = setup.step(of: typed, at: context.now, drift: drift) else {
            return try setUp(setup, .wrong, endsOthers: endsOthers, request)
        }
        let credential = setup.credential(
            of: request.person,
            step: step,
            seal: CredentialSeal(ring: flow.ring),
            context.moment
        )
        let enrolment = try await people.enrol(
            credential,
            in: request.session.session,
            endingOthers: endsOthers,
            notice: notice(.secondFactorAdded, request),
            at: context.now
        )
        switch enrolment {
        case .unproven: return try signInAgain(request)
        case .refused: return try await list(request, .full)
        case .added(let ended):
            events.note(.secondFactorAdded, context, person: request.person.id)
            if ended > 0 {
                events.signedOutElsewhere(request.session, ended, context)
                sessionEnded()
            }
            return try await added(request.marked(.success, flow))
        }
    }

    /// The next step: recovery codes, where there are none yet.
    private func added(_ request: SignedInRequest) async throws -> Response {
        guard try await factors(request).allSatisfy({ $0.kind != .recoveryCodes }) else {
            return try await list(request, .added)
        }
        let context = request.context
        return try access.page(request.session, request: request.waiting?.sealed, context) {
            frame in
            AppAddedPage(
                form: frame.form.with("replaces", ""),
                later: request.waiting?.restart(context)
                    ?? PageLink(path: AccountPlace.secondFactors.path(flow, context))
            )
        }
    }

    /// A form makes one set, in the place of the one that its page has shown: two would be on the screen
    /// and on paper, and one of them good (docs/decisions/0104).
    ///
    /// - Parameter deed: What the very same form did a moment ago, in this session.
    private func makeCodes(
        _ form: FormParameters,
        after deed: FormDeed?,
        _ request: SignedInRequest
    ) async throws -> Response {
        let context = request.context
        let before = try await factors(request)
        guard before.contains(where: { $0.kind == .totp }) else {
            return try await list(request, nil)
        }
        let old = before.first { $0.kind == .recoveryCodes }?.id ?? ""
        if case .made(let id, let page)? = deed, sameBytes(id, old) { return page }
        guard sameBytes(form["replaces"] ?? "", old) else { return try await list(request, nil) }
        let made = RecoveryCodes.make(context.moment.random)
        let id = context.moment.id().text
        let credential = Credential(
            id: id,
            personID: request.person.id,
            kind: .recoveryCodes,
            label: "",
            createdAt: context.now * 1000,
            priority: 20,
            parameters: made.parameters,
            sealedSecret: CredentialSeal(ring: flow.ring)
                .seal(made.secret, of: id, random: context.moment.random)
        )
        let enrolment = try await people.enrol(
            credential,
            in: request.session.session,
            endingOthers: false,
            notice: notice(.recoveryCodesMade, request),
            at: context.now
        )
        guard case .added = enrolment else { return try signInAgain(request) }
        events.note(.recoveryCodesMade, context, person: request.person.id)
        let page = flow.page(
            RecoveryCodesPage(
                account: PageAccount(request.person),
                codes: made.codes,
                replacesOthers: !old.isEmpty,
                done: PageLink(
                    path: AccountPlace.secondFactors.path(
                        flow,
                        context,
                        bringing: request.waiting
                    )
                )
            ),
            context
        )
        flow.sent.note(.made(id: id, page), of: SentForm(form, context), at: context.now)
        return page
    }

    private func remove(_ id: String?, _ request: SignedInRequest) async throws -> Response {
        guard let id, id.utf8.count <= 36 else { return try await list(request, nil) }
        let removal = try await people.removeSecondFactor(
            id: id,
            in: request.session.session,
            notice: notice(.secondFactorRemoved, request),
            at: request.context.now
        )
        switch removal {
        case .unproven: return try signInAgain(request)
        case .notFound: return try await list(request, nil)
        case .removed:
            events.note(.secondFactorRemoved, request.context, person: request.person.id)
            return try await list(request, .removed)
        }
    }

    private func list(_ request: SignedInRequest, _ status: SecondFactorsPage.Status?) async throws
        -> Response
    {
        let factors = try await factors(request)
        let codes = factors.first { $0.kind == .recoveryCodes }
        let isAdded = status == .added
        // To go on without an app is to cancel.
        let goOn = try request.waiting?.marked(.cancelled, flow, request.context)
        let isDemanded =
            !isAdded && request.person.requiredActions.contains(RequiredAction.configureTOTP)
        return try access.page(request.session, request: request.waiting?.sealed, request.context) {
            frame in
            SecondFactorsPage(
                account: frame.account,
                apps: factors.filter { $0.kind == .totp }.map {
                    .init(id: $0.id, addedAt: $0.createdAt / 1000)
                },
                codes: codes.map {
                    .init(id: $0.id, left: $0.codesLeft(CredentialSeal(ring: flow.ring)))
                },
                form: frame.form.with("replaces", codes?.id ?? ""),
                status: status,
                goOn: goOn?.restart(request.context),
                isDemanded: isDemanded,
                signOut: frame.signOut,
                navigation: frame.navigation
            )
        }
    }

    private func factors(_ request: SignedInRequest) async throws -> [Credential] {
        try await people.secondFactors(of: request.person.id, realmID: request.person.realmID)
    }

    /// Only where mail is sent.
    private func notice(_ message: MailDraft.Message, _ request: SignedInRequest) -> MailDraft? {
        guard flow.sendsMail, let address = request.person.email else { return nil }
        let moment = request.context.moment
        return MailDraft(message, id: moment.id(), to: address, request.context)
    }
}

extension AuthenticatorSetup {
    fileprivate init(in request: SecondFactorsEndpoint.SignedInRequest) {
        self.init(in: request.session.session, request.context.moment)
    }
}

extension Credential {
    /// How many recovery codes are left; none where they cannot be checked.
    fileprivate func codesLeft(_ seal: CredentialSeal) -> Int {
        // `try?`: what does not open is never right.
        let secret = try? seal.open(sealedSecret, of: id)
        return secret.flatMap { RecoveryCodes(parameters, secret: $0) }?.left(used: used) ?? 0
    }
}
