package import HTTPTypes
import Portico
import PorticoBytes
package import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
package import PorticoWeb

/// The outcome of a sign-in: JSON for programs, a redirect to the waiting app, a page or the
/// sign-in page for people (docs/decisions/0028). A page never leaves an app waiting.
package struct SignInResponder: Sendable {
    package let page: PageResponder
    package let headers: SecurityHeaders
    package let directory: ProviderDirectory
    let events: SignInLog
    package let forms: PageForms

    var place: SignInPlace { directory.place }

    /// 303 to a page of this server.
    package func go(to path: LocalPath, _ context: SignInContext, cookies: [HTTPField] = [])
        -> Response
    {
        guard let redirect = Redirect(to: place.address(of: path)) else {
            return page(ErrorPage(issue: .serverError), context, status: .internalServerError)
        }
        return Response(redirect, headers: headers, cookies: cookies)
    }

    package func completed(
        _ completed: SignInCompletion.Completed,
        _ signInReturn: SignInReturn,
        _ context: SignInContext
    ) -> Response {
        switch completed {
        case .inBrowser(_, let isNew, let path, let cookies):
            let changed = cookies + forms.cookies.removalOfSid(context.headers)
            return go(
                to: isNew && !place.isRealm ? .onboarding(then: path) : path,
                context,
                cookies: changed + forms.cookies.removal(after: path, context.headers)
            )
        case .inApp(let account, _, let target, let parameters):
            return handOver(target, parameters, to: account, context)
        case .ask: return go(to: .joining, context)
        case .again: return again(signInReturn, context)
        case .failed(let failure): return failed(failure, signInReturn, context)
        }
    }

    /// The same answer of a provider, or the same form, came before from this browser, and the first one
    /// counts. Its answer may not have arrived: so the same request begins again, and mostly nothing is
    /// asked (docs/decisions/0104).
    func again(_ signInReturn: SignInReturn, _ context: SignInContext) -> Response {
        if context.wantsJSON {
            return failed(SignInFailure(.invalidState, .unknown), signInReturn, context)
        }
        if case .link(_, let path) = signInReturn.destination { return go(to: path, context) }
        return redirect(signInReturn.restart(at: place))
    }

    /// Without a page for a claimed https redirect; otherwise with a page that names the app and
    /// the person, with a button (docs/decisions/0013).
    private func handOver(
        _ target: AppTarget,
        _ parameters: [(name: String, value: String)],
        to account: Person,
        _ context: SignInContext
    ) -> Response {
        guard let redirect = target.location(parameters) else {
            return page(ErrorPage(issue: .serverError), context, status: .internalServerError)
        }
        guard !target.isClaimed, let link = PageLink(redirect: redirect.location) else {
            return Response(redirect, headers: headers)
        }
        let app = directory.apps[target.app]
        return page(
            ReturnToAppPage(
                state: .ready,
                app: app?.name ?? target.app,
                person: account.fullName ?? account.email,
                link: link
            ),
            context
        )
    }

    package func failed(
        _ failure: SignInFailure,
        _ signInReturn: SignInReturn?,
        _ context: SignInContext
    )
        -> Response
    {
        if context.wantsJSON { return json(failure).response(headers: headers) }
        switch signInReturn?.destination {
        case .app(let target)?:
            guard let redirect = target.location(failure.forApps) else { break }
            return Response(redirect, headers: headers)
        case .web(let path, let isRemembered)?:
            var query = failure.query(signInReturn?.provider)
            // A person who proves nothing is asked once more on the same page.
            if path == .joiningProof {
                if FoundAccountPage.Notice.isToldOf(failure.reason) {
                    return redirect(
                        FormEncoding.appending(query, to: place.address(of: LocalPath.joining))
                    )
                }
            } else if path.isConfirming {
                return redirect(FormEncoding.appending(query, to: place.address(of: path)))
            }
            if path != .dashboard { query.append(("return_to", path.text)) }
            if isRemembered { query.append(("remember", "1")) }
            return toSignIn(query)
        case .link?:
            let query = failure.query(signInReturn?.provider)
            return redirect(FormEncoding.appending(query, to: place.address(of: .ways)))
        case nil: break
        }
        return unmatched(context)
    }

    /// Neither the browser nor an app is known: ``ExpiredPage``.
    func unmatched(_ context: SignInContext) -> Response {
        if context.wantsJSON {
            return ServiceError(.invalidState, "No sign-in of this browser has that state.")
                .response(headers: headers)
        }
        let restart = PageLink(path: place.home)
        return page(ExpiredPage(reason: .unmatched, restart: restart), context, status: .badRequest)
    }

    func toSignIn(_ query: [(name: String, value: String)]) -> Response {
        redirect(place.signIn(query))
    }

    package func redirect(_ location: String) -> Response {
        guard let redirect = Redirect(to: location) else {
            return Response(empty: .internalServerError, headers: headers)
        }
        return Response(redirect, headers: headers)
    }

    private func json(_ failure: SignInFailure) -> ServiceError {
        switch failure.error {
        case .accessDenied:
            failure.reason == .organisation
                ? ServiceError(
                    .accessDenied,
                    "The account's organisation is not one of those here."
                )
                : ServiceError(.accessDenied, "The person stopped the sign-in.")
        case .invalidState: ServiceError(.invalidState, "The sign-in could not be matched.")
        case .accountBlocked: ServiceError(.accountBlocked, "The account is blocked.")
        case .signUpClosed: ServiceError(.signUpClosed, "New accounts are closed.")
        case .linkRequired, .emailUnverified:
            ServiceError(.linkRequired, "The person has an account already.")
        case .authenticationFailed:
            failure.reason == .providerUnreachable
                ? ServiceError(.providerUnreachable, "The provider does not answer.", retryAfter: 5)
                : ServiceError(.providerError, "The provider's answer was not accepted.")
        }
    }
}

extension SignInFailure {
    /// The parameters for the sign-in page.
    func query(_ provider: String?) -> [(name: String, value: String)] {
        [("error", error.rawValue), ("reason", reason.rawValue)]
            + (provider.map { [("provider", $0)] } ?? [])
    }
}

/// What leads to the pages of the realm whose people sign in.
extension SignInResponder {
    /// What its addresses begin with; `nil` where it is on another host.
    private var realmBase: String? {
        guard !place.isRealm else { return place.base }
        // `try?`: without a realm there is none.
        guard let realm = try? directory.realm(), directory.isOf(realm.id, at: page.origin) else {
            return nil
        }
        return SignInPlace(realm).base
    }

    /// A person signs in, by whatever method, to an account that an identity is to be added to.
    func signInToJoin(_ context: SignInContext) -> Response {
        guard let realmBase else {
            return go(to: .signingIn(backTo: .joiningProof, asking: "login"), context)
        }
        return redirect(realmBase + LocalPath.joiningElsewhere)
    }

    /// Where people sign in with their password, or otherwise, and come back to a page of the backend; `nil`
    /// where its realm takes none, or has its pages at another host.
    package func signInOfRealm(
        backTo path: LocalPath,
        _ further: [(name: String, value: String)] = []
    ) -> String? {
        guard directory.takesPasswords(at: page.origin) else { return nil }
        return realmSignIn(backTo: path, further)
    }

    /// The same, whatever its people sign in with.
    func realmSignIn(backTo path: LocalPath, _ further: [(name: String, value: String)] = [])
        -> String?
    {
        guard !place.isRealm, let realmBase else { return nil }
        return FormEncoding.appending(
            [(name: "return_to", value: path.text)] + further,
            to: realmBase + LocalPath.waiting
        )
    }

    /// Where the person's password proves who they are, for a page of their account; `nil`: nowhere.
    func passwordProof(for path: LocalPath) -> String? {
        guard directory.takesPasswords(at: page.origin), let realmBase,
            let place = path.accountPlace()
        else { return nil }
        return FormEncoding.appending(
            [(name: "page", value: place.rawValue), (name: "prompt", value: "login")],
            to: realmBase + LocalPath.waiting
        )
    }

    /// Another person signs in, and comes to their own sign-in methods.
    func switchPerson(_ context: SignInContext) -> Response {
        place.isRealm
            ? redirect(place.signIn([("prompt", "select_account")], to: .methods))
            : go(to: .signingIn(backTo: .ways), context)
    }

    /// The pages of the account, the realm's included.
    var navigation: PageNavigation {
        let hasPassword = directory.takesPasswords(at: page.origin)
        guard !place.isRealm else {
            return .ofRealm(
                place.base,
                hasMethods: !directory.providers.isEmpty,
                hasPassword: hasPassword
            )
        }
        return realmBase.map { .shared(withRealmAt: $0, hasPassword: hasPassword) }
            ?? PageNavigation()
    }
}

/// The pages for a sign-in that cannot begin, and for the end of linking.
extension SignInResponder {
    func unknownProvider(_ known: [String], _ context: SignInContext) -> Response {
        guard context.wantsJSON else {
            return page(ErrorPage(issue: .notFound), context, status: .notFound)
        }
        return Response(
            json: [
                "error": .string(ServiceError.Code.invalidProvider.rawValue),
                "message": "There is no provider of that name.",
                "providers": .array(known.map { .string($0) }),
            ],
            status: .badRequest,
            headers: headers
        )
    }

    /// ``NotAnsweringPage``, with links for trying again and for the other sign-in methods.
    func notAnswering(
        _ provider: ProviderDirectory.LiveProvider,
        _ signInReturn: SignInReturn,
        _ error: SignInError,
        _ context: SignInContext
    ) -> Response {
        events.providerFailed(provider.name, error, context)
        let refusal = ServiceError(starting: error)
        if context.wantsJSON { return refusal.response(headers: headers) }
        let name = provider.client.provider.displayName
        guard case .transient = error.kind else {
            return page(
                ErrorPage(
                    issue: .providerMisconfigured(name: name),
                    back: PageLink(path: signInReturn.choice(at: place))
                ),
                context,
                status: .badGateway
            )
        }
        return page(
            NotAnsweringPage(
                provider: provider.label,
                since: provider.client.health.downSince,
                now: context.now,
                tryAgain: PageLink(path: signInReturn.restart(at: place)),
                otherMethods: PageLink(path: signInReturn.choice(at: place))
            ),
            context,
            status: .serviceUnavailable,
            retryAfter: 5
        )
    }

    /// Google signs no one in inside another app: ``OpenInBrowserPage`` (PRV-G-11).
    func openInBrowser(
        _ provider: ProviderDirectory.LiveProvider,
        _ signInReturn: SignInReturn,
        _ context: SignInContext
    ) -> Response {
        page(
            OpenInBrowserPage(
                provider: provider.label,
                address: page.origin + signInReturn.restart(at: place),
                platform: EmbeddedBrowser.platform(context.headers[.userAgent]),
                otherMethods: PageLink(path: signInReturn.choice(at: place))
            ),
            context,
            status: .forbidden
        )
    }

    func linked(
        _ outcome: LinkOutcome,
        _ provider: String,
        of session: PersonSession,
        _ path: LocalPath,
        _ context: SignInContext
    ) throws -> Response {
        switch outcome {
        case .linked, .alreadyLinked:
            return redirect(
                FormEncoding.appending([("added", provider)], to: place.address(of: path))
            )
        case .taken: return try taken(provider, .otherAccount, session, context)
        case .secondOfProvider: return try taken(provider, .secondOfProvider, session, context)
        case .spent, .sessionEnded:
            return failed(SignInFailure(.invalidState, .expired), nil, context)
        }
    }

    private func taken(
        _ provider: String,
        _ reason: IdentityTakenPage.Reason,
        _ session: PersonSession,
        _ context: SignInContext
    ) throws -> Response {
        let label =
            SignInMethods(directory).label(provider)
            ?? MethodLabel(kind: .generic, displayName: provider)
        let made = try forms.form(.accountWays, "ways", session.signIn, context)
        return page(
            IdentityTakenPage(method: label, reason: reason, form: made.form),
            context,
            status: .conflict,
            cookies: made.cookies
        )
    }
}
