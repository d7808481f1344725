import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
package import PorticoWeb

/// The addresses of the BFF, and its errors: JSON for programs, a page with plain text and an id
/// for people.
package struct BackendService: HTTPService {
    package let routes: RouteTable<BackendContext>
    package var headers: SecurityHeaders { responder.headers }
    let responder: BackendResponder

    /// Without a provider or an app, the BFF has no addresses.
    package func context(_ request: RequestContext, _ parameters: PathParameters)
        -> BackendContext?
    {
        // Where the last one was removed, people of its realm still have their account here.
        let isThere = responder.directory.isInUse || request.target.path.hasPrefix("/account")
        return isThere ? BackendContext(request, parameters) : nil
    }

    package func methodNotAllowed(_ audience: Audience, _ context: BackendContext) -> Response {
        responder.refuse(BackendError.methodNotAllowed, audience, context)
    }

    package func answer(_ error: any Error, _ audience: Audience, _ context: BackendContext)
        -> Response
    {
        responder.answer(error, audience, context)
    }
}

/// Signing in with identity providers below a realm that is not the backend's, or not on its host: the
/// backend's endpoints, at the realm's addresses and with its cookies (docs/decisions/0168).
package struct RealmSignInService: HTTPService {
    package let routes: RouteTable<BackendContext>
    package var headers: SecurityHeaders { SecurityHeaders(backend.publicURL) }
    private let backend: Backend
    private let realm: @Sendable (_ name: Substring, _ host: PublicURL?) -> Realm?

    init(
        _ backend: Backend,
        realm: @escaping @Sendable (_ name: Substring, _ host: PublicURL?) -> Realm?
    ) throws {
        routes = try RouteTable(backend.routesOfRealms)
        self.backend = backend
        self.realm = realm
    }

    /// The backend's own realm has these at the backend. The callbacks of its file's providers stay, and
    /// pages lead there. A program that asks for the account is answered by the Provider.
    package func context(_ request: RequestContext, _ parameters: PathParameters)
        -> BackendContext?
    {
        guard let realm = realm(parameters["realm"], request.realmHost) else { return nil }
        let isOverview = sameBytes(
            request.target.path,
            "/realms/\(parameters["realm"])\(BackendPath.accountOverview.rawValue)"
        )
        let isPage =
            [.get, .head].contains(request.method) && !AcceptedMedia.isJSON(request.headers)
        guard !isOverview || isPage else { return nil }
        guard backend.directory.isOf(realm.id, at: backend.publicURL.origin) else {
            return BackendContext(request, parameters, in: realm)
        }
        guard !parameters["provider"].isEmpty else { return BackendContext(request, parameters) }
        let isCallback = request.target.path.hasSuffix("/endpoint")
        let provider = backend.directory.provider(named: parameters["provider"])
        guard isCallback, case .file = provider?.record.source else { return nil }
        return BackendContext(request, parameters)
    }

    package func methodNotAllowed(_ audience: Audience, _ context: BackendContext) -> Response {
        responder(context).refuse(BackendError.methodNotAllowed, audience, context)
    }

    package func answer(_ error: any Error, _ audience: Audience, _ context: BackendContext)
        -> Response
    {
        responder(context).answer(error, audience, context)
    }

    package func finish(_ response: inout Response, _ context: BackendContext) {
        response.logged.realm = context.realm?.name
    }

    private func responder(_ context: BackendContext) -> BackendResponder {
        backend.endpoints(context).responder
    }
}

extension BackendResponder {
    func answer(_ error: any Error, _ audience: Audience, _ context: BackendContext)
        -> Response
    {
        switch error {
        case is SessionCheck.Absence
        where context.method == .post && FetchSite.isForeignPost(context.headers, to: page.origin):
            // The cookie is missing because another site sent it.
            return refuse(ForgedForm(), audience, context)
        case let absence as SessionCheck.Absence where audience.isPeople && !context.wantsJSON:
            // `try?`: what is no form is the page itself.
            let form = context.method == .post ? try? context.form() : nil
            let page = form.map(context.page) ?? context.target.path
            return toSignIn([("return_to", page)]).logged(error: absence.name)
        case let two as TwoPeople where audience.isPeople && !context.wantsJSON:
            // They see whose it is now.
            return toSignIn([("return_to", context.target.path)]).adding([two.cure])
                .logged(error: two.name)
        case let absence as HandleSessionCheck.Absence where context.opensPage:
            // A person who followed a link can sign in again, mostly without typing.
            let query = absence.handle.map { [(name: "handle", value: $0)] } ?? []
            return redirect(FormEncoding.appending(query, to: "/mobile-auth"))
                .logged(error: absence.name)
        case let refusal as any Refusal: return refuse(refusal, audience, context)
        case is StoreBusy: return refuse(BackendError.busy, audience, context)
        case let error as SQLError where error.whyUnwritable != nil:
            guard audience.isPeople, !context.wantsJSON else {
                return refuse(BackendError.cannotSave, audience, context)
            }
            return refuse(Unavailable.cannotSave, audience, context)
        default:
            events.failed(error, context)
            let fault = BackendError(.internalError, "Something went wrong here.")
            return refuse(fault, audience, context)
        }
    }

    func refuse(_ refusal: any Refusal, _ audience: Audience, _ context: BackendContext)
        -> Response
    {
        page.refuse(
            place.isRealm ? RefusalInRealm(refusal: refusal, place: place) : refusal,
            context.wantsJSON ? .programs : audience,
            context
        )
    }
}

/// The same refusal, whose page leads back to the realm.
private struct RefusalInRealm: Refusal {
    let refusal: any Refusal
    let place: SignInPlace

    var name: String { refusal.name }
    var status: HTTPResponse.Status { refusal.status }
    var json: JSONValue? { refusal.json }
    var retryAfter: Double? { refusal.retryAfter }
    var issue: ErrorPage.Issue { refusal.issue }
    var reason: String? { refusal.reason }

    func fields(realm: String) -> HTTPFields { refusal.fields(realm: realm) }

    func page(at moment: Moment) -> any Page {
        (refusal as? BackendError)?.page(at: moment, backTo: place) ?? refusal.page(at: moment)
    }
}

/// The endpoints of the BFF.
struct BackendEndpoints: Sendable {
    let responder: BackendResponder
    let start: StartEndpoint
    let callback: CallbackEndpoint
    let handles: HandleEndpoints
    let token: AppTokenEndpoint
    let refresh: AppRefreshEndpoint
    let native: NativeEndpoint
    let providerCalls: ProviderCallsEndpoint
    let session: SessionEndpoint
    let accounts: AccountEndpoint
    let reauthentication: ReauthenticationEndpoint
    let association: AssociationFilesEndpoint
    let proxy: ProxyEndpoint
    let handleSession: HandleSessionEndpoint
    let xrpc: XRPCEndpoint
    let choose: ChoosePages
    let join: AccountLinkingPages
    let overview: AccountPages
    let details: DetailsPages
    let ways: SignInMethodPages
    let proof: ConfirmPages
    let other: HomePages
}
