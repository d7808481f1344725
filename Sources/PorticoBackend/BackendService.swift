import HTTPTypes
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
        responder.directory.isInUse ? BackendContext(request, parameters) : nil
    }

    package func methodNotAllowed(_ audience: Audience, _ context: BackendContext) -> Response {
        responder.refuse(BackendError.methodNotAllowed, audience, context)
    }

    package func answer(_ error: any Error, _ audience: Audience, _ context: BackendContext)
        -> Response
    {
        switch error {
        case let absence as SessionCheck.Absence where audience.isPeople && !context.wantsJSON:
            // `try?`: what is no form is the page itself.
            let form = context.method == .post ? try? context.form() : nil
            let page = form.map(context.page) ?? context.target.path
            return responder.toSignIn([("return_to", page)]).logged(error: absence.name)
        case let two as TwoPeople where audience.isPeople && !context.wantsJSON:
            // They see whose it is now.
            return responder.toSignIn([("return_to", context.target.path)]).adding([two.cure])
                .logged(error: two.name)
        case let absence as HandleSessionCheck.Absence where context.opensPage:
            // A person who followed a link can sign in again, mostly without typing.
            let query = absence.handle.map { [(name: "handle", value: $0)] } ?? []
            return responder.redirect(FormEncoding.appending(query, to: "/mobile-auth"))
                .logged(error: absence.name)
        case let refusal as any Refusal: return responder.refuse(refusal, audience, context)
        case is StoreBusy: return responder.refuse(BackendError.busy, audience, context)
        case let error as SQLError where error.whyUnwritable != nil:
            guard audience.isPeople, !context.wantsJSON else {
                return responder.refuse(BackendError.cannotSave, audience, context)
            }
            return responder.refuse(Unavailable.cannotSave, audience, context)
        default:
            responder.events.failed(error, context)
            let fault = BackendError(.internalError, "Something went wrong here.")
            return responder.refuse(fault, audience, context)
        }
    }
}

extension BackendResponder {
    func refuse(_ refusal: any Refusal, _ audience: Audience, _ context: BackendContext)
        -> Response
    {
        page.refuse(refusal, context.wantsJSON ? .programs : audience, context)
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
