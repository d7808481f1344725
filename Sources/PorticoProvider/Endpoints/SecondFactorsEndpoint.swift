import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/account/second-factor`: a person's authenticator apps and recovery codes. Each
/// change needs a sign-in of the last five minutes, with the second factor they have
/// (docs/decisions/0050).
struct SecondFactorsEndpoint: Sendable {
    let access: AccountPageAccess
    let people: PersonStore
    let events: SecurityEvents

    /// In seconds.
    private static let freshness: Int64 = 300

    private var flow: BrowserFlow { access.flow }

    func show(_ context: RealmContext) async throws -> Response {
        try await access.enter(context) { session, form in
            let sealed =
                try form?["request"] ?? FormParameters(query: context.target)["request"]
            let request = SignedInRequest(session, ResumableRequest(sealed, flow, context), context)
            guard let form, let action = form["action"] else {
                return try await list(request, nil)
            }
            switch action {
            case "confirm": return try await confirm(form, request)
            case "add", "codes", "remove":
                guard request.isFresh(within: Self.freshness) else {
                    return try signInAgain(request)
                }
                switch action {
                case "add": return try setUp(AuthenticatorSetup(in: request), nil, request)
                case "codes": return try await makeCodes(request)
                default: return try await remove(form["id"], request)
                }
            default: return try await list(request, nil)
            }
        }
    }

    /// One request of a signed-in person.
    fileprivate struct SignedInRequest {
        let session: LiveBrowserSession
        /// The authorization request that waits.
        let waiting: ResumableRequest?
        let context: RealmContext

        init(
            _ session: LiveBrowserSession,
            _ waiting: ResumableRequest?,
            _ context: RealmContext
        ) {
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

        func isFresh(within seconds: Int64) -> Bool {
            context.now - session.session.authenticatedAt <= seconds
        }
    }

    private func signInAgain(_ request: SignedInRequest) throws -> Response {
        try flow.signInPage(
            for: AccountSignIn(.secondFactors, request.context),
            userName: request.person.email ?? request.person.username,
            again: true,
            in: flow.browser(request.context),
            request.context
        )
    }

    private func setUp(
        _ setup: AuthenticatorSetup,
        _ problem: AuthenticatorSetupPage.Problem?,
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
        guard let typed = form["code"], !typed.isEmpty else {
            return try setUp(setup, .missing, request)
        }
        let drift = context.realm.realm.codeDrift
        guard let step = setup.step(of: typed, at: context.now, drift: drift) else {
            return try setUp(setup, .wrong, request)
        }
        let credential = setup.credential(
            of: request.person,
            step: step,
            seal: CredentialSeal(ring: flow.ring),
            context.moment
        )
        let enrolment = try await people.enrol(
            credential,
            realmID: context.realm.id,
            notice: notice(.secondFactorAdded, request),
            at: context.now
        )
        guard enrolment == .added else { return try await list(request, .full) }
        events.secondFactorChanged("added", request.person, context)
        return try await list(request.marked(.success, flow), .added)
    }

    private func makeCodes(_ request: SignedInRequest) async throws -> Response {
        let context = request.context
        guard try await factors(request).contains(where: { $0.kind == .totp }) else {
            return try await list(request, nil)
        }
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
        _ = try await people.enrol(
            credential,
            realmID: context.realm.id,
            notice: notice(.recoveryCodesMade, request),
            at: context.now
        )
        events.secondFactorChanged("codes_made", request.person, context)
        let path = AccountPlace.secondFactors.path(context)
        return flow.page(
            RecoveryCodesPage(
                codes: made.codes,
                done: PageLink(
                    path: path + (request.waiting.map { "?request=" + $0.sealed } ?? "")
                )
            ),
            context
        )
    }

    private func remove(_ id: String?, _ request: SignedInRequest) async throws -> Response {
        guard let id, id.utf8.count <= 36 else { return try await list(request, nil) }
        let change = try await people.removeSecondFactor(
            id: id,
            of: request.person.id,
            realmID: request.context.realm.id,
            notice: notice(.secondFactorRemoved, request)
        )
        guard change == .changed else { return try await list(request, nil) }
        events.secondFactorChanged("removed", request.person, request.context)
        return try await list(request, .removed)
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
                form: frame.form,
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
