import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// The code that a new person proves their address with: ten minutes, five tries.
extension SelfRegistration {
    private static let minutes = Int(EmailConfirmations.lifetime / 60)

    /// Mails a code, or tells the person who already has the address that they have an account.
    /// Neither the page nor the time it takes tells which (WEB-ENUM-1).
    ///
    /// - Throws: ``TooManyRequests``.
    func send(
        _ draft: RegistrationDraft,
        isAgain: Bool = false,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response {
        let verdict = mails.take(
            "\(context.realm.id) \(draft.email)",
            for: nil,
            from: context.address,
            at: context.moment
        )
        if case .wait(let seconds) = verdict { throw TooManyRequests(seconds: seconds) }
        let random = context.moment.random
        let codes = MailedCode(ring: flow.ring)
        let code = MailedCode.draw(random)
        let owner = Self.owner(draft, context)
        let mailID = context.moment.id()
        guard let hash = codes.hash(of: code, for: owner) else { throw Unavailable.failed }
        try await mailboxes.startRegistration(
            EmailConfirmation(
                owner: owner,
                address: draft.email,
                codeHash: hash,
                expiresAt: context.now + EmailConfirmations.lifetime
            ),
            nobodys: Hash256(of: random.text(32)),
            realmID: context.realm.id,
            mail: MailDraft(
                .confirmationCode(
                    sealedCode: codes.seal(code, for: mailID, random: random),
                    use: .confirmAddress,
                    minutes: Self.minutes
                ),
                id: mailID,
                to: draft.email,
                context
            ),
            told: MailDraft(.alreadyRegistered, id: mailID, to: draft.email, context)
        )
        events.note(.registrationAsked, context)
        return try codePage(draft, nil, wasResent: isAgain, for: purpose, context)
    }

    /// The form of the page that asks for the code.
    func confirm(
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Outcome {
        guard flow.offersRegistration(context), flow.sendsMail else { throw NotOffered() }
        let seal = PageSeal<RegistrationDraft>(ring: flow.ring, realmID: context.realm.id)
        guard let sealed = form["draft"],
            let (draft, isLate) = seal.open(sealed, at: context.moment)
        else { throw LostRequest(.tookTooLong, restart: try purpose.restart(flow, context)) }
        let browser = try flow.browser(context)
        guard try await flow.isOfThisBrowser(draft.browser, context),
            sameBytes(draft.transaction, purpose.transaction)
        else { throw LostRequest(.unmatched, restart: try purpose.restart(flow, context)) }
        guard !isLate else {
            return .show(
                try flow.registrationPage(for: purpose, draft.entries, in: browser, context)
            )
        }
        switch form["action"] {
        case "resend":
            return .mailed(try await send(draft, isAgain: true, for: purpose, context))
        case "change-address":
            return .show(
                try flow.registrationPage(for: purpose, draft.entries, in: browser, context)
            )
        default: return try await present(form["code"] ?? "", draft, for: purpose, context)
        }
    }

    private func present(
        _ code: String,
        _ draft: RegistrationDraft,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Outcome {
        func again(_ problem: EmailCodePage.Problem) throws -> Outcome {
            .show(try codePage(draft, problem, for: purpose, context))
        }
        let owner = Self.owner(draft, context)
        guard !code.isEmpty,
            let hash = MailedCode(ring: flow.ring).hash(of: code, for: owner)
        else { return try again(.missing) }
        let registered = try await register(
            draft.person(realmID: context.realm.id, at: context.now),
            draft.password,
            proof: PersonRegistering.Proof(owner: owner, codeHash: hash),
            context
        )
        switch registered {
        case .began(let begun): return .registered(begun)
        case .refused(let outcome):
            switch outcome {
            case .wrong(let left):
                let mailbox = "\(context.realm.id) \(draft.email)"
                mails.countWrongCode(
                    for: mailbox,
                    by: "\(context.address) \(mailbox)",
                    at: context.moment
                )
                return try again(left > 0 ? .wrong(triesLeft: left) : .tooMany)
            case .expired: return try again(.expired)
            case .unknown, .began: return try again(.used)
            case .taken:
                let isName = try await isTaken(draft.username, context)
                let asksForName = context.realm.realm.registration == .username
                return .show(
                    try flow.registrationPage(
                        for: purpose,
                        draft.entries,
                        [isName && asksForName ? .userNameTaken : .emailTaken],
                        in: flow.browser(context),
                        context
                    )
                )
            }
        }
    }

    private func codePage(
        _ draft: RegistrationDraft,
        _ problem: EmailCodePage.Problem?,
        wasResent: Bool = false,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) throws -> Response {
        let browser = try flow.browser(context)
        let sealed = PageSeal<RegistrationDraft>(ring: flow.ring, realmID: context.realm.id)
            .seal(draft, at: context.moment)
        return flow.page(
            EmailCodePage(
                address: draft.email,
                form: try purpose.form(flow, in: browser, context).with("draft", sealed),
                problem: problem,
                minutes: Self.minutes,
                wasResent: wasResent
            ),
            context,
            redirecting: purpose.formTarget,
            cookies: browser.cookies
        )
    }

    private static func owner(_ draft: RegistrationDraft, _ context: RealmContext) -> Hash256 {
        Hash256(of: "registration \(context.realm.id) \(draft.personID)")
    }
}

extension RegistrationDraft {
    fileprivate var entries: RegistrationPage.Entries {
        var entries = RegistrationPage.Entries()
        entries.givenName = givenName
        entries.familyName = familyName
        entries.email = email
        entries.userName = username
        return entries
    }
}

extension SignInPurpose {
    /// Where it begins again.
    fileprivate func restart(_ flow: BrowserFlow, _ context: RealmContext) throws -> PageLink? {
        try sealed(flow, context).flatMap {
            PageLink(path: RealmURLs.restart($0, realmName: context.realm.name))
        }
    }
}
