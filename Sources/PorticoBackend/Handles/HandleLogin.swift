import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoWeb
import PorticoSignIn

/// `GET /mobile-auth`, and `GET` and `POST /login` with a handle: sends the browser to the
/// authorization server of the person's host (AT Protocol, OAuth).
struct HandleLogin: Sendable {
    let directory: ProviderDirectory
    let cookies: AttemptCookies
    let pages: HandlePages
    let events: SignInLog
    let limit: StartLimit
    /// Ours.
    let origin: String

    /// The purpose of the form that continues at another server.
    static let again: StaticString = "sign in at another host"
    /// The purpose of the link on the page with the host's name.
    static let shown: StaticString = "sign in at the host shown"

    /// Whether the request to `/login` begins a sign-in, so that no page has to ask how.
    func isAsked(_ context: SignInContext) throws(ServiceError) -> Bool {
        let query = try context.query()
        return directory.handles != nil && (query.contains("handle") || query.contains("mobile"))
    }

    /// `GET /mobile-auth`: the page that asks for the handle.
    func page(_ context: SignInContext) async throws -> Response {
        _ = try directory.liveHandles()
        let query = try context.query()
        let request = try HandleRequest.ofPage(query, directory.apps)
        return pages.ask(request, nil, context)
    }

    func get(_ context: SignInContext) async throws -> Response {
        var response = try await begin(try context.query(), context)
        // Existing apps expect this status; 303 means the same after GET.
        if response.status == .seeOther { response.status = .found }
        return response
    }

    func post(_ context: SignInContext) async throws -> Response {
        let form = try context.form()
        guard form["again"] == "1" else { return try await begin(form, context) }
        do {
            _ = try pages.responder.forms.checked(Self.again, form["handle"] ?? "", context)
        } catch is OutdatedForm {
            let request = try HandleRequest.ofLogin(form, directory.apps)
            throw OutdatedForm(again: pages.start(request))
        }
        let request = try HandleRequest.ofLogin(form, directory.apps)
        guard form["action"] == "continue" else {
            events.handleFailed(.denied, context, "again")
            return pages.failed(
                .denied,
                request.handle,
                request.signInReturn,
                request.fields,
                context
            )
        }
        events.handleAgain(request.handle, context)
        return try await begin(form, wasShown: true, context)
    }

    /// - Parameter wasShown: Whether our form has shown the host.
    private func begin(
        _ parameters: FormParameters,
        wasShown: Bool = false,
        _ context: SignInContext
    ) async throws -> Response {
        let live = try directory.liveHandles()
        let request = try HandleRequest.ofLogin(parameters, directory.apps)
        // Another site's page may not lead the browser to a host that signs it in to another
        // person's account without asking (WEB-CSRF-2).
        let isOtherSite = RequestOrigin.isOtherSite(context.headers, than: origin)
        // JSON shows the host to no one, and its cookies count as a page's do. ``OtherSites`` refuses
        // unseen requests before this.
        guard !isOtherSite || !context.wantsJSON else {
            throw ServiceError(.forbidden, "The request comes from another site.")
        }
        // Nor may a link in a mail do so, and a request that does not say where it comes from may be
        // such a link. Apps open such links themselves.
        let isLink =
            !request.isForApp
            && (FetchSite.isOfNoPage(context.headers)
                || FetchSite.isUnsaid(context.headers) && !wasShown
                    && !pages.wasShown(parameters["shown"], request, context))
        let showsHost = (request.asksForHost || isOtherSite || isLink) && !context.wantsJSON
        // Our own form asks twice for each sign-in; other sites' requests count separately.
        let step = isOtherSite ? "other site" : showsHost ? "host" : HandleProvider.kind
        do throws(HandleFault) {
            // A mistyped handle asks no host, and does not count.
            let start = try read(request.handle, live)
            let browser = try counted(step, context)
            let place = try await place(start, live)
            if showsHost {
                return pages.host(place.server, request, place.account, in: browser, context)
            }
            return try await leave(to: place, request, live, context).adding(browser.cookies)
        } catch {
            if error.isTold { events.handleFailed(error, context) }
            if case .notFound(let name) = error, !context.wantsJSON,
                let host = await host(named: name, live)
            {
                return pages.ask(request, .proposed(host), context)
            }
            return pages.ask(request, error, context)
        }
    }

    private func counted(_ step: String, _ context: SignInContext) throws(HandleFault)
        -> FormBrowser
    {
        let verdict: StartLimit.Verdict
        do {
            verdict = try limit.take(step, context)
        } catch {
            throw .busy
        }
        switch verdict {
        case .allowed(let browser): return browser
        case .wait(let seconds): throw .tooMany(seconds: seconds)
        }
    }

    /// The address of a host, if its bare name was typed, which looks like a handle.
    private func host(named name: String, _ live: HandleDirectory.Live) async -> String? {
        // `try?`: if it is no host, or has no sign-in, it is not proposed.
        guard let origin = try? ServerOrigin("https://\(name)", live.rules),
            // `try?`: the same reason.
            (try? await live.strangers.discovery.server(of: origin, wasNamed: true)) != nil
        else { return nil }
        return origin.text
    }

    /// Where an account signs in.
    private struct Place {
        let start: HandleInput.Start
        /// The origin that led to the server.
        let host: ServerOrigin
        let did: DID?
        let server: AuthorizationServer
        /// The confirmed handle, or the DID; `nil` of a server.
        let account: String?
    }

    private func read(_ typed: String, _ live: HandleDirectory.Live) throws(HandleFault)
        -> HandleInput.Start
    {
        switch HandleInput(typed, defaultDomain: live.provider.defaultDomain, live.rules) {
        case .start(let start): return start
        case .propose(let handle): throw .proposed(handle.text)
        case .unreadable: throw .unreadable
        }
    }

    private func place(_ start: HandleInput.Start, _ live: HandleDirectory.Live)
        async throws(HandleFault) -> Place
    {
        let (host, identity): (ServerOrigin, ATIdentity?)
        do throws(IdentityError) {
            switch start {
            case .handle(let handle):
                let found = try await live.strangers.identities.identity(of: handle)
                (host, identity) = (found.host, found)
            case .did(let did):
                let found = try await live.strangers.identities.identity(of: did)
                (host, identity) = (found.host, found)
            case .server(let origin): (host, identity) = (origin, nil)
            }
        } catch {
            throw HandleFault(error, of: start.text, directory: live.provider.directory.host)
        }
        do {
            let server = try await live.strangers.discovery.server(
                of: host,
                wasNamed: identity == nil
            )
            return Place(
                start: start,
                host: host,
                did: identity?.did,
                server: server,
                account: identity.map { $0.handle?.text ?? $0.did.text }
            )
        } catch {
            throw HandleFault(error, of: host.host)
        }
    }

    /// Pushes the request, and stores in the browser what its answer is checked against.
    private func leave(
        to place: Place,
        _ request: HandleRequest,
        _ live: HandleDirectory.Live,
        _ context: SignInContext
    ) async throws(HandleFault) -> Response {
        let moment = context.moment
        guard let client = live.newClient(at: moment.seconds) else { throw .busy }
        let attempt: HandleAttempt
        do {
            attempt = HandleAttempt(
                id: moment.id(),
                state: SecretText(moment.random.text(16)),
                verifier: CodeVerifier(random: moment.random),
                key: try DPoPKey(random: moment.random),
                host: place.host.text,
                issuer: place.server.issuer.text,
                did: place.did?.text,
                handle: place.start.text,
                clientKeyID: client.key?.keyID,
                isAgain: request.isAgain,
                isPopup: request.isPopup,
                prompt: request.prompt
            )
        } catch {
            throw .busy
        }
        let address: String
        do {
            address = try await live.strangers.servers.push(
                ATAuthorization(
                    state: attempt.state.reveal(),
                    challenge: attempt.verifier.challenge,
                    scope: live.provider.asked(at: moment.seconds),
                    start: place.start,
                    prompt: request.prompt
                ),
                to: place.server,
                as: client,
                key: attempt.key
            )
        } catch {
            throw HandleFault(error, of: place.server.issuer.host)
        }
        do {
            let kept = try cookies.begin(attempt, request.signInReturn, context.headers, at: moment)
            return pages.leave(to: address, attempt, live, cookies: kept, context)
        } catch {
            throw .busy
        }
    }
}

extension HandleInput.Start {
    var text: String {
        switch self {
        case .handle(let handle): handle.text
        case .did(let did): did.text
        case .server(let origin): origin.text
        }
    }
}
