import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/account/password`: a person changes their password. It takes a session that proves
/// them now (``SessionStore/Proof``): a person who signed in a while ago signs in again first.
struct AccountPasswordEndpoint: Sendable {
    let access: AccountPageAccess
    let change: PasswordChange

    private var flow: BrowserFlow { access.flow }

    /// The session has another cookie after a change, and the same form once more may come without it.
    func show(_ context: RealmContext) async throws -> Response {
        guard context.method == .post else { return try await open(context) }
        let form = try context.form()
        return try await flow.sent(SentForm(form, context), at: context.now) { deed in
            guard case .signedIn(let sessionID)? = deed,
                try await flow.counts(access.form, form, context),
                let new = try await change.signIn.again(sessionID, context)
            else { return try await open(context) }
            return changed(new, context)
        }
    }

    private func open(_ context: RealmContext) async throws -> Response {
        guard context.realm.realm.signsInWithPassword else { throw NotOffered() }
        return try await access.enter(context) { session, form in
            if let form {
                switch form["action"] {
                case "cancel":
                    return try flow.redirect(to: AccountPlace.overview.path(flow, context))
                case "save": return try await save(form, session, context)
                default: break
                }
            }
            guard try await change.isProven(session, context) else {
                return try access.signInAgain(session, context)
            }
            return try page(session, nil, context)
        }
    }

    private func save(
        _ form: FormParameters,
        _ session: LiveSession,
        _ context: RealmContext
    ) async throws -> Response {
        switch try await change(to: form["password"], in: session, context) {
        case .changed(let new):
            flow.sent.note(
                .signedIn(sessionID: new.live.session.id),
                of: SentForm(form, context),
                at: context.now
            )
            return changed(new, context)
        case .refused(let problem): return try page(session, problem, context)
        case .unproven: return try access.signInAgain(session, context)
        }
    }

    private func changed(_ new: BrowserSignIn.Begun, _ context: RealmContext) -> Response {
        flow.page(
            ChangedPasswordPage(
                account: PageAccount(new.live.person),
                navigation: flow.navigation(context)
            ),
            context,
            cookies: new.cookies
        )
    }

    private func page(
        _ session: LiveSession,
        _ problem: NewPasswordPage.Problem?,
        _ context: RealmContext
    ) throws -> Response {
        try access.page(session, context) { frame in
            NewPasswordPage(
                userName: session.person.email ?? session.person.username,
                leastCharacters: PasswordPolicy.minimumLength,
                form: frame.form,
                problem: problem,
                canCancel: true,
                navigation: frame.navigation
            )
        }
    }
}

/// `GET /.well-known/change-password`: leads there (A Well-Known URL for Changing Passwords, §3).
/// Which realm it is: ``ProviderService/realmOfPasswords(_:)``.
struct ChangePasswordAddress: Sendable {
    let flow: BrowserFlow

    func get(_ context: RealmContext) throws -> Response {
        try flow.redirect(to: AccountPlace.password.path(flow, context))
    }
}
