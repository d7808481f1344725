package import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
package import PorticoSeals
package import PorticoStores
import PorticoUpstream
import PorticoWeb

/// Makes a session for a proven person: the callback's only transaction (docs/decisions/0030).
package struct SignInCompletion: Sendable {
    package let accounts: AccountStore
    let directory: ProviderDirectory
    let whose: WhoseBrowser
    package let ring: KeyRing
    package let cookies: SessionCookies
    let devices: KnownDevice
    package let rules: AccountRules

    /// The result to answer with.
    package enum Completed: Sendable {
        /// In this browser; the fields set its cookies.
        case inBrowser(Person, isNew: Bool, LocalPath, cookies: [HTTPField])
        /// The app gets these parameters on its redirect.
        case inApp(Person, isNew: Bool, AppTarget, parameters: [(name: String, value: String)])
        /// The person must be asked first.
        case ask([AccountMatch])
        /// It was completed before, from another tab or by a second click.
        case again
        case failed(SignInFailure)
    }

    /// - Parameters:
    ///   - rule: Overrides the provider's email rule, after the person was asked.
    ///   - spending: Values that may be used once.
    ///   - question: What is spent if the person must be asked.
    package func callAsFunction(
        _ subject: Subject,
        to signInReturn: SignInReturn,
        rule: SignInEvent.EmailRule,
        spending: [SpentOnce],
        asking question: SpentOnce? = nil,
        _ context: SignInContext
    ) async throws -> Completed {
        let draft = try await session(for: signInReturn, subject, context)
        var event = try event(subject, draft.session, rule, spending, context)
        event.question = question
        switch try await accounts.signIn(event, at: context.now) {
        case .signedIn(let account, let isNew):
            return try completed(account, isNew: isNew, draft, signInReturn, context)
        case .spent: return .again
        case .blocked: return .failed(SignInFailure(.accountBlocked, .blocked))
        case .signUpClosed: return .failed(SignInFailure(.signUpClosed, .closed))
        case .matches(let matches): return .ask(matches)
        }
    }

    /// The event for a proven person, with a new session.
    package func event(
        _ subject: Subject,
        _ session: NewSession,
        _ rule: SignInEvent.EmailRule,
        _ spending: [SpentOnce],
        _ context: SignInContext
    ) throws -> SignInEvent {
        SignInEvent(
            realmID: try directory.realm().id,
            spending: spending,
            identity: subject.identity,
            name: subject.name,
            picture: subject.picture,
            language: context.language.tag,
            emailRule: rule,
            isSignUpOpen: rules.isSignUpOpen,
            newPersonID: context.moment.id().text,
            session: session,
            userAgent: context.userAgent,
            notice: notice(subject, session, context),
            linkNotice: .wayAdded(subject.identity.provider, context),
            knownHere: devices.people(cookies.device(context.headers), at: context.moment)
                .map(\.id)
        )
    }

    /// A person proven by a provider.
    package struct Subject: Sendable {
        package let identity: Identity
        let name: String?
        let picture: String?
        let providerSessionID: String?
        /// `auth_time`, if the provider returns it: when the person last authenticated.
        let provenAt: Int64?

        package init(
            identity: Identity,
            name: String?,
            picture: String?,
            providerSessionID: String?,
            provenAt: Int64?
        ) {
            self.identity = identity
            self.name = name
            self.picture = picture
            self.providerSessionID = providerSessionID
            self.provenAt = provenAt
        }
    }

    /// A new session, and the secret for its holder.
    package struct Draft: Sendable {
        package var session: NewSession
        package let secret: Secret

        package enum Secret: Sendable {
            case cookie(String)
            case handOffCode(String)
            /// The compatibility mode (docs/decisions/0013).
            case state(RefreshState)
        }
    }

    /// A new session. What a browser has before, by whichever cookie, ends as it begins.
    ///
    /// - Throws: `invalid_app` if what the sign-in is for was taken away since its return was judged:
    ///   a host may take long to answer.
    package func session(
        for signInReturn: SignInReturn,
        _ subject: Subject,
        _ context: SignInContext
    )
        async throws
        -> Draft
    {
        let signInReturn = try signInReturn.judged(by: directory)
        switch signInReturn.destination {
        case .web(_, let isRemembered):
            let value = context.moment.random.text(32)
            // In a realm its sessions last as the realm says.
            let realm = directory.place.isRealm ? try directory.realm() : nil
            let life = isRemembered ? SessionCookies.remembered : SessionCookies.plain
            var new = session(
                .browser(cookieHash: Hash256(of: value)),
                subject,
                device: DeviceName.of(context.userAgent),
                idle: realm == nil ? life : nil,
                longest: realm?.lifetimes.sessionMaximum ?? life,
                context
            )
            if case .hash(let old) = cookies.session(context.headers) { new.replaces = old }
            new.replacesByHandle = try await whose(context).byHandle.session?.handle.sessionID
            return Draft(session: new, secret: .cookie(value))
        case .app(let target):
            return appSession(target, subject, context)
        case .link: throw ServiceError(.internalError, "Linking begins no session.")
        }
    }

    private func appSession(_ target: AppTarget, _ subject: Subject, _ context: SignInContext)
        -> Draft
    {
        let form: PersonSession.Form
        let secret: Draft.Secret
        if let challenge = target.challenge {
            let code = context.moment.random.text(32)
            form = .handOff(
                HandOff(
                    codeHash: Hash256(of: code),
                    app: target.app,
                    redirectHash: Hash256(of: target.redirectURI),
                    challenge: challenge.hash,
                    expiresAt: context.now + HandOffRule.lifetime
                )
            )
            secret = .handOffCode(code)
        } else {
            let state = AppSessionAnswer.firstState(at: context.moment, ring: ring)
            form = .app(name: target.app, refresh: state)
            secret = .state(state)
        }
        return Draft(
            session: session(
                form,
                subject,
                device: DeviceName.of(context.userAgent, app: target.app),
                idle: AppSessionAnswer.idle,
                longest: AppSessionAnswer.longest,
                context
            ),
            secret: secret
        )
    }

    package func session(
        _ form: PersonSession.Form,
        _ subject: Subject,
        device: String,
        idle: Int64?,
        longest: Int64,
        _ context: SignInContext
    ) -> NewSession {
        NewSession(
            id: context.moment.id().text,
            form: form,
            providerSessionID: subject.providerSessionID,
            device: device,
            address: context.request.client.address?.description,
            provenAt: subject.provenAt,
            idleSeconds: idle,
            expiresAt: context.now + longest
        )
    }

    /// An email to the person if they have not signed in from this browser before.
    private func notice(_ subject: Subject, _ session: NewSession, _ context: SignInContext)
        -> MailDraft
    {
        MailDraft(
            id: context.moment.id(),
            to: nil,
            message: .newDevice(
                device: session.device,
                at: context.now,
                provider: subject.identity.provider
            ),
            language: context.language.tag,
            service: context.owner,
            createdAt: context.now
        )
    }

    package func completed(
        _ account: Person,
        isNew: Bool,
        _ draft: Draft,
        _ signInReturn: SignInReturn,
        _ context: SignInContext
    ) throws -> Completed {
        switch (signInReturn.destination, draft.secret) {
        case (.web(let path, _), .cookie(let value)):
            let people = devices.people(cookies.device(context.headers), at: context.moment)
            let device = devices.adding(account.id, to: people, at: context.moment)
            return .inBrowser(
                account,
                isNew: isNew,
                path,
                cookies: [
                    try cookies.setSession(value, for: draft.session.idleSeconds),
                    try cookies.setDevice(device),
                    try cookies.setLastProvider(signInReturn.provider),
                ]
            )
        case (.app(let target), .handOffCode(let code)):
            return .inApp(account, isNew: isNew, target, parameters: [("code", code)])
        case (.app(let target), .state(let state)):
            guard
                let token = KeyedToken(
                    .session,
                    of: draft.session.id,
                    number: context.now + AppSessionAnswer.tokenLifetime,
                    state: state,
                    ring: ring
                )
            else { throw KeyIsGone() }
            return .inApp(
                account,
                isNew: isNew,
                target,
                parameters: [("session_token", token.text(.session))]
            )
        default: throw ServiceError(.internalError, "The session does not fit its destination.")
        }
    }
}

/// The operator's rules for accounts.
package struct AccountRules: Hashable, Sendable {
    package var isSignUpOpen: Bool
    package var linking: Linking

    /// What an account's verified address means for an unknown person (docs/decisions/0030).
    package enum Linking: String, Hashable, Sendable {
        case ask
        case auto
    }

    package init(isSignUpOpen: Bool = true, linking: Linking = .ask) {
        self.isSignUpOpen = isSignUpOpen
        self.linking = linking
    }
}

enum HandOffRule {
    /// How many seconds a hand-off code is valid (docs/decisions/0013).
    static let lifetime: Int64 = 60
}
