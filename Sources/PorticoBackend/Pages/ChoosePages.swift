import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// `GET /login` and `GET /signup`: the choice of a sign-in method.
struct ChoosePages: Sendable {
    let directory: ProviderDirectory
    let check: SessionCheck
    let cookies: SessionCookies
    let responder: SignInResponder
    let forms: PageForms
    let isSignUpOpen: Bool

    private var page: PageResponder { responder.page }

    func signIn(_ context: SignInContext) async throws -> Response {
        try await choose(.signIn, context)
    }

    func signUp(_ context: SignInContext) async throws -> Response {
        try await choose(.signUp, context)
    }

    /// `GET /login/back/orders?page=2&x=1` and `GET /login/back?return_to=/orders?page=2&x=1`: the sign-in,
    /// and from there to `/orders?page=2&x=1`. Proxies cannot escape a text, so that everything up to the
    /// end is the way back.
    func back(_ context: SignInContext) -> Response {
        let query = context.target.query.map { String(Substring($0)) }
        let path = context.target.path.dropFirst(SignInPath.back.rawValue.count)
        let way: String? =
            path.isEmpty
            ? query.flatMap { $0.dropping("return_to=") }.map(String.init)
            : String(path) + (query.map { "?" + $0 } ?? "")
        let asked = LocalPath.asked(way)
        let location = FormEncoding.appending(
            asked == .dashboard ? [] : [("return_to", asked.text)],
            to: SignInPath.login.rawValue
        )
        guard let redirect = Redirect(to: location) else {
            return Response(empty: .internalServerError, headers: page.headers)
        }
        return Response(redirect, headers: page.headers)
    }

    private func choose(_ mode: ChooseMethodPage.Mode, _ context: SignInContext) async throws
        -> Response
    {
        let query = try context.query()
        // A request for an app is checked before the person is redirected for it.
        let target = query["platform"] == "mobile" ? try AppTarget(query, in: directory.apps) : nil
        let ways = SignInMethods(directory)
        let isClosed = mode == .signUp && !isSignUpOpen
        let problem = isClosed ? .signUpClosed : ways.problem(in: query)
        let mode: ChooseMethodPage.Mode = isClosed ? .signIn : mode
        let methods = ways.all(lastUsed: cookies.lastProvider(context.headers))
            .filter { !$0.isHidden }
        let offersOther = mode == .signUp || isSignUpOpen && !methods.isEmpty
        if target == nil, problem == nil, query["prompt"] == nil,
            let live = try await check.ifAny(context)
        {
            return try alreadySignedIn(live, LocalPath.asked(query["return_to"]), context)
        }
        let app = target.flatMap { target in
            directory.apps[target.app]
        }
        let other = mode == .signIn ? SignInPath.signup : .login
        let fields = Self.fields(query, target)
        let password = responder.signInOfRealm(
            backTo: LocalPath.asked(query["return_to"]),
            query["prompt"] == "login" ? [(name: "prompt", value: "login")] : []
        )
        return page(
            ChooseMethodPage(
                mode: mode,
                app: app?.name,
                methods: methods,
                // An app that is handed its session has no page of the realm.
                password: target == nil && mode == .signIn
                    ? password.flatMap { PageLink(path: $0) } : nil,
                isRemembered: query["remember"] == "1",
                fields: fields,
                problem: problem,
                otherMode: !offersOther
                    ? nil
                    : PageLink(
                        path: FormEncoding.appending(
                            fields.map { ($0.name, $0.value) },
                            to: other.rawValue
                        )
                    )
            ),
            context,
            // PRV-E-2: the status also tells programs that a provider does not answer.
            status: query["reason"] == SignInFailure.Reason.providerUnreachable.rawValue
                ? .serviceUnavailable : .ok,
            redirecting: .onward
        )
    }

    /// ``AlreadySignedInPage``: a signed-in person continues, or chooses another account.
    private func alreadySignedIn(
        _ live: LiveSession,
        _ path: LocalPath,
        _ context: SignInContext
    ) throws -> Response {
        let made = try forms.form(.signOut, "sign out", live.session.signIn, context)
        guard let proceed = PageLink(path: path.text) else {
            throw ServiceError(.internalError, "A local path is always a link.")
        }
        return page(
            AlreadySignedInPage(
                account: PageAccount(live.person),
                proceed: proceed,
                form: made.form
            ),
            context,
            cookies: made.cookies
        )
    }

    /// The parameters that are passed on to the start of the sign-in: only those listed.
    private static func fields(_ query: FormParameters, _ target: AppTarget?) -> [PageField] {
        // A person who must prove who they are is asked by the provider too.
        let prompt = query["prompt"] == "login" ? [PageField("prompt", "login")] : []
        guard let target else {
            let path = LocalPath.asked(query["return_to"])
            return (path == .dashboard ? [] : [PageField("return_to", path.text)]) + prompt
        }
        var fields = [
            PageField("platform", "mobile"), PageField("app", target.app),
            PageField("redirect_uri", target.redirectURI),
        ]
        if let challenge = target.challenge {
            fields.append(PageField("code_challenge", challenge.text))
            fields.append(PageField("code_challenge_method", "S256"))
        }
        if let state = target.state { fields.append(PageField("state", state)) }
        return fields + prompt
    }
}
