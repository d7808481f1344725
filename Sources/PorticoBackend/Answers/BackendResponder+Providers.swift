import HTTPTypes
import Portico
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// The pages for a sign-in that cannot begin, and for the end of linking.
extension BackendResponder {
    func unknownProvider(_ known: [String], _ context: BackendContext) -> Response {
        guard context.wantsJSON else {
            return page(ErrorPage(issue: .notFound), context, status: .notFound)
        }
        return Response(
            json: [
                "error": .string(BackendError.Code.invalidProvider.rawValue),
                "message": "There is no provider of that name.",
                "providers": .array(known.map { .string($0) }),
            ],
            status: .badRequest,
            headers: headers
        )
    }

    /// ``NotAnsweringPage``, with links for trying again and for the other sign-in methods.
    func notAnswering(
        _ provider: BackendDirectory.LiveProvider,
        _ signInReturn: SignInReturn,
        _ error: SignInError,
        _ context: BackendContext
    ) -> Response {
        events.providerFailed(provider.name, error, context)
        let refusal = BackendError(starting: error)
        if context.wantsJSON { return refusal.response(headers: headers) }
        let name = provider.client.provider.displayName
        guard case .transient = error.kind else {
            return page(
                ErrorPage(
                    issue: .providerMisconfigured(name: name),
                    back: PageLink(path: signInReturn.choice)
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
                tryAgain: PageLink(path: signInReturn.restart),
                otherMethods: PageLink(path: signInReturn.choice)
            ),
            context,
            status: .serviceUnavailable,
            retryAfter: 5
        )
    }

    /// Google signs no one in inside another app: ``OpenInBrowserPage`` (PRV-G-11).
    func openInBrowser(
        _ provider: BackendDirectory.LiveProvider,
        _ signInReturn: SignInReturn,
        _ context: BackendContext
    ) -> Response {
        page(
            OpenInBrowserPage(
                provider: provider.label,
                address: page.origin + signInReturn.restart,
                platform: EmbeddedBrowser.platform(context.headers[.userAgent]),
                otherMethods: PageLink(path: signInReturn.choice)
            ),
            context,
            status: .forbidden
        )
    }

    func linked(
        _ outcome: LinkOutcome,
        _ provider: String,
        of sessionID: UniqueID,
        _ path: LocalPath,
        _ context: BackendContext
    ) throws -> Response {
        switch outcome {
        case .linked, .alreadyLinked:
            return redirect(FormEncoding.appending([("added", provider)], to: path.text))
        case .taken: return try taken(provider, .otherAccount, sessionID, context)
        case .secondOfProvider: return try taken(provider, .secondOfProvider, sessionID, context)
        case .spent, .sessionEnded:
            return failed(SignInFailure(.invalidState, .expired), nil, context)
        }
    }

    private func taken(
        _ provider: String,
        _ reason: IdentityTakenPage.Reason,
        _ sessionID: UniqueID,
        _ context: BackendContext
    ) throws -> Response {
        let label =
            SignInMethods(directory).label(provider)
            ?? MethodLabel(kind: .generic, displayName: provider)
        let made = try forms.form(.accountWays, "ways", sessionID.text, context)
        return page(
            IdentityTakenPage(method: label, reason: reason, form: made.form),
            context,
            status: .conflict,
            cookies: made.cookies
        )
    }
}
