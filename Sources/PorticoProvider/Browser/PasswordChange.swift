import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// A person who is signed in chooses a new password: they stay signed in in this browser, and nowhere
/// else.
struct PasswordChange: Sendable {
    let flow: BrowserFlow
    let people: PersonStore
    let registration: PersonRegistration
    let signIn: BrowserSignIn
    let events: SecurityEvents

    enum Outcome: Sendable {
        case changed(BrowserSignIn.Begun)
        case refused(NewPasswordPage.Problem)
        /// The session has ended, or does not prove the person now: they must sign in again.
        case unproven
    }

    /// Whether the person may be shown the page for it.
    func isProven(_ live: LiveSession, _ context: RealmContext) async throws -> Bool {
        try await flow.sessions.proves(live.session, .now, at: context.now)
    }

    /// - Parameter typed: The new password, as it was typed.
    /// - Throws: ``PasswordHashing/Busy``.
    func callAsFunction(
        to typed: String?,
        in live: LiveSession,
        _ context: RealmContext
    ) async throws -> Outcome {
        // The page may have been open for long.
        guard try await isProven(live, context) else { return .unproven }
        guard let typed, !typed.isEmpty else { return .refused(.missing) }
        let hash: PasswordHash
        do {
            hash = try await registration.hash(
                SecretText(typed),
                for: live.person,
                realmName: context.realm.name,
                by: context.asker(live.person.id),
                random: context.moment.random
            )
        } catch let refusal as PasswordPolicy.Refusal {
            return .refused(.init(refusal))
        }
        guard let new = try await change(to: hash, in: live, context) else { return .unproven }
        return .changed(new)
    }

    /// - Returns: `nil` where the session has ended meanwhile, or proves the person no more.
    private func change(
        to password: PasswordHash,
        in live: LiveSession,
        _ context: RealmContext
    ) async throws -> BrowserSignIn.Begun? {
        let cookie = context.moment.random.text(32)
        let notice: MailDraft? =
            flow.sendsMail
            ? live.person.email.map {
                MailDraft(.passwordChanged, id: context.moment.id(), to: $0, context)
            } : nil
        var session = live.session
        session.id = UniqueID(random: context.moment.random).text
        session.form = .browser(cookieHash: Hash256(of: cookie))
        session.createdAt = context.now
        session.lastSeenAt = context.now
        let kept = try await people.changePassword(
            password,
            in: live.session,
            continuing: session,
            notice: notice,
            at: context.now
        )
        guard let kept else { return nil }
        signIn.start.sessionEnded()
        events.note(.passwordChanged, context, person: live.person.id)
        return try signIn.begun(
            LiveSession(session: kept, person: live.person),
            cookie: cookie,
            ended: nil,
            context
        )
    }
}
