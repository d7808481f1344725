import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/auth` (RFC 6749 §3.1, OpenID Connect Core §3.1.2.1).
struct AuthorizationEndpoint: Sendable {
    let flow: BrowserFlow

    func begin(_ context: RealmContext) async throws -> Response {
        try await begin(try context.parameters(), context)
    }

    /// `GET …/registrations`: an authorization request with `prompt=create`.
    func register(_ context: RealmContext) async throws -> Response {
        guard context.realm.realm.registration != nil else { throw RegistrationClosed() }
        let parameters = try context.parameters().all.filter { !sameBytes($0.name, "prompt") }
        let prompt = (name: "prompt", value: Prompt.create.rawValue)
        return try await begin(FormParameters(parameters + [prompt]), context)
    }

    /// `GET …/forgot-credentials`: an authorization request that begins with the page for a forgotten
    /// password.
    func forgotCredentials(_ context: RealmContext) async throws -> Response {
        guard flow.sendsMail, context.realm.allowsPasswordReset else { throw NotOffered() }
        let browser = try flow.browser(context)
        let (begun, proven) = try await flow.requests.begin(
            try context.parameters(),
            in: context.realm,
            browser: Hash256(of: browser.value),
            from: context.sender,
            at: context.moment
        )
        return try redirect(begun, proven, cookies: browser.cookies, context) {
            context.path(.resetCredentials) + "?request=" + $0
        }
    }

    /// Writes nothing: a code is a seal, and a page carries its request (docs/decisions/0034).
    private func begin(_ form: FormParameters, _ context: RealmContext) async throws -> Response {
        var context = context
        context.speak(form)
        if flow.isForeignPost(context) { return try await comeBack(form, context) }
        let browser = try flow.browser(context)
        var (begun, proven) = try await flow.requests.begin(
            form,
            in: context.realm,
            browser: Hash256(of: browser.value),
            from: context.sender,
            at: context.moment
        )
        begun.isBeginning = true
        guard proven.loginToken != nil else {
            return try await show(proven, begun, try await flow.session(context), browser, context)
        }
        // A link is a GET, and anyone can write one.
        let isLink = context.method != .post && !begun.isPushed
        return try await next(proven, begun, isLink: isLink, inURL: isLink, browser, context)
    }

    /// Continues a request with a login token as `login_hint`.
    ///
    /// - Parameters:
    ///   - isLink: Whether the token came by a way that a link takes: then the person is asked.
    ///   - inURL: Whether the address of this request contains the token.
    private func next(
        _ proven: ProvenRequest,
        _ begun: AuthorizationFlow,
        isLink: Bool,
        inURL: Bool,
        _ browser: FormBrowser,
        _ context: RealmContext
    ) async throws -> Response {
        let good = try await flow.loginTokens.good(
            for: proven,
            in: context.realm,
            at: context.moment
        )
        if let good, try await isAccepted(good, isLink: isLink, context) {
            var accepted = begun
            accepted.handedOn = good.handedOn
            // Without a page the browser needs no cookie, and gets none.
            if let answer = try await flow.response(to: proven, accepted, good.session, context) {
                return answer
            }
            guard inURL else {
                return try await show(proven, accepted, good.session, browser, context)
            }
        }
        let mayShow = !proven.request.prompt.contains(.none)
        // OpenID Connect Core §3.1.2.6. Not as if the hint were absent: the app would get the
        // account of another person, whose browser this is.
        guard good == nil || mayShow else {
            throw AuthorizationRefusal.redirect(
                OAuthError(.interactionRequired, "The person must be asked about this account."),
                proven.target
            )
        }
        if inURL, mayShow {
            return try restart(begun, proven, cookies: browser.cookies, context)
        }
        guard let good else {
            return try await show(proven, begun, try await flow.session(context), browser, context)
        }
        return try flow.accountPage(
            .handedOn(by: good.source.name),
            PendingPage(proven, begun, in: browser, context),
            good.session
        )
    }

    /// Whether a good token needs no word of the person: not where they are signed in in this browser,
    /// which would have answered without the token as well. Never a silent change of account.
    private func isAccepted(_ good: LoginTokens.Good, isLink: Bool, _ context: RealmContext)
        async throws -> Bool
    {
        switch try await flow.isSignedIn(good.session.person, context) {
        case true?: true
        case false?: false
        case nil: !isLink || good.isSilent
        }
    }

    private func show(
        _ proven: ProvenRequest,
        _ begun: AuthorizationFlow,
        _ session: LiveSession?,
        _ browser: FormBrowser,
        _ context: RealmContext
    ) async throws -> Response {
        try await flow.next(
            proven,
            begun,
            session: session,
            browser: browser.value,
            cookies: browser.cookies,
            context
        )
    }

    /// A page of the client posts the request (OpenID Connect Core §3.1.2.1): the browser withholds
    /// its cookies, and must not lose those that other tabs need. It is redirected to fetch the
    /// same request from our origin, with its cookies.
    private func comeBack(_ form: FormParameters, _ context: RealmContext) async throws -> Response
    {
        let (begun, proven) = try await flow.requests.begin(
            form,
            in: context.realm,
            browser: Hash256(of: ""),
            from: context.sender,
            at: context.moment
        )
        var posted = begun
        posted.isPosted = !begun.isPushed
        return try restart(posted, proven, context)
    }

    /// Redirects to the same request with all of it sealed.
    private func restart(
        _ begun: AuthorizationFlow,
        _ proven: ProvenRequest,
        cookies: [HTTPField] = [],
        _ context: RealmContext
    ) throws -> Response {
        try redirect(begun, proven, cookies: cookies, context) {
            RealmURLs.restart($0, realmName: context.realm.name)
        }
    }

    /// - Parameter path: Of the page, which gets the sealed request.
    private func redirect(
        _ begun: AuthorizationFlow,
        _ proven: ProvenRequest,
        cookies: [HTTPField],
        _ context: RealmContext,
        to path: (String) -> String
    ) throws -> Response {
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: context.realm.id)
        let sealed: String
        do {
            sealed = try seal.seal(begun, at: context.moment)
        } catch {
            throw AuthorizationRefusal.redirect(error, proven.target)
        }
        return try flow.redirect(to: path(sealed), cookies: cookies)
    }

    /// `GET …/restart`: the same request from the beginning, in any browser.
    func restart(_ context: RealmContext) async throws -> Response {
        let form = try FormParameters(query: context.target)
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: context.realm.id)
        guard let sealed = form["request"], let old = seal.open(sealed, at: context.moment) else {
            throw LostRequest(.unmatched, restart: nil)
        }
        let browser = try flow.browser(context)
        let isSameBrowser = old.browser == Hash256(of: browser.value)
        // Back from a page of the account, where the person has signed in for this very request: it
        // goes on, and is answered once.
        let goesOn =
            old.authenticatedSession != nil && isSameBrowser && !old.isStale(at: context.now)
            && !flow.requests.spent.isSpent(old.requestID, at: context.now)
        var begun =
            goesOn
            ? old
            : old.restarted(in: browser, context)
        // This is an address, and no form.
        if begun.isPushed { begun.wasShown = false }
        let proven = try await flow.requests.resume(
            begun,
            in: context.realm,
            from: context.sender,
            at: context.moment
        )
        var context = context
        context.speak(try FormParameters(decoding: old.parameters))
        guard proven.loginToken == nil else {
            let isLink = !begun.isPushed && !begun.isPosted
            return try await next(proven, begun, isLink: isLink, inURL: false, browser, context)
        }
        return try await show(proven, begun, try await flow.session(context), browser, context)
    }
}
