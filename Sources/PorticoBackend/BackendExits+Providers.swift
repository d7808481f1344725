import HTTPTypes
import Hummingbird
import Portico
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// What is shown where a sign-in cannot begin, and where a link ends.
extension BackendExits {
    func unknownProvider(_ known: [String], _ visit: BackendVisit) -> Response {
        guard visit.wantsJSON else {
            return page(ErrorPage(issue: .notFound), visit, status: .notFound)
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

    /// ``NotAnsweringPage``, with the way to try again and the other ways.
    func notAnswering(
        _ provider: BackendDirectory.LiveProvider,
        _ wayBack: WayBack,
        _ error: SignInError,
        _ visit: BackendVisit
    ) -> Response {
        events.providerFailed(provider.name, error, visit)
        let refusal = BackendError(starting: error)
        if visit.wantsJSON { return refusal.response(headers: headers) }
        let name = provider.client.provider.displayName
        guard case .transient = error.kind else {
            return page(
                ErrorPage(
                    issue: .providerMisconfigured(name: name),
                    wayBack: PageLink(path: wayBack.choice)
                ),
                visit,
                status: .badGateway
            )
        }
        return page(
            NotAnsweringPage(
                provider: provider.label,
                since: provider.client.health.downSince,
                now: visit.now,
                tryAgain: PageLink(path: wayBack.restart),
                otherWays: PageLink(path: wayBack.choice)
            ),
            visit,
            status: .serviceUnavailable,
            retryAfter: 5
        )
    }

    /// Google signs nobody in within another app: ``OpenInBrowserPage`` (PRV-G-11).
    func openInBrowser(
        _ provider: BackendDirectory.LiveProvider,
        _ wayBack: WayBack,
        _ visit: BackendVisit
    ) -> Response {
        page(
            OpenInBrowserPage(
                provider: provider.label,
                address: page.origin + wayBack.restart,
                platform: EmbeddedBrowser.platform(visit.headers[.userAgent]),
                otherWays: PageLink(path: wayBack.choice)
            ),
            visit,
            status: .forbidden
        )
    }

    func linked(
        _ outcome: LinkOutcome,
        _ provider: String,
        of sessionID: UniqueID,
        _ path: LocalPath,
        _ visit: BackendVisit
    ) throws -> Response {
        switch outcome {
        case .linked, .alreadyLinked:
            return redirect(FormEncoding.appending([("added", provider)], to: path.text))
        case .taken: return try taken(provider, .otherAccount, sessionID, visit)
        case .secondOfProvider: return try taken(provider, .secondOfProvider, sessionID, visit)
        case .spent, .sessionEnded:
            return failed(SignInFailure(.invalidState, .expired), nil, visit)
        }
    }

    private func taken(
        _ provider: String,
        _ reason: IdentityTakenPage.Reason,
        _ sessionID: UniqueID,
        _ visit: BackendVisit
    ) throws -> Response {
        let label =
            ProviderWays(directory).label(provider)
            ?? WayLabel(kind: .generic, displayName: provider)
        let made = try forms.form(.accountWays, "ways", sessionID.text, visit)
        return page(
            IdentityTakenPage(way: label, reason: reason, form: made.form),
            visit,
            status: .conflict,
            cookies: made.cookies
        )
    }
}
