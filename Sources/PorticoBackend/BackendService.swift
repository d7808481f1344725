import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
package import PorticoSignIn
package import PorticoWeb

/// The addresses of the BFF, and its errors: JSON for programs, a page with plain text and an id
/// for people.
package struct BackendService: HTTPService {
    package let routes: RouteTable<SignInContext>
    package var headers: SecurityHeaders { responder.headers }
    let responder: SignInResponder

    /// Without a provider or an app, the BFF has no addresses.
    package func context(_ request: RequestContext, _ parameters: PathParameters)
        -> SignInContext?
    {
        // Where the last one was removed, people of its realm still have their account here.
        let directory = responder.directory
        let isAccount = request.target.path.utf8.starts(with: "/account".utf8)
        let isThere = directory.isInUse || directory.hasPeople && isAccount
        return isThere ? SignInContext(request, parameters) : nil
    }

    package func methodNotAllowed(_ audience: Audience, _ context: SignInContext) -> Response {
        responder.refuse(ServiceError.methodNotAllowed, audience, context)
    }

    package func answer(_ error: any Error, _ audience: Audience, _ context: SignInContext)
        -> Response
    {
        responder.answer(error, audience, context)
    }
}

/// The endpoints of the BFF.
struct BackendEndpoints: Sendable {
    let core: SignInEndpoints
    let handles: HandleEndpoints
    let token: AppTokenEndpoint
    let refresh: AppRefreshEndpoint
    let native: NativeEndpoint
    let session: SessionEndpoint
    let accounts: AccountEndpoint
    let reauthentication: ReauthenticationEndpoint
    let association: AssociationFilesEndpoint
    let proxy: ProxyEndpoint
    let handleSession: HandleSessionEndpoint
    let xrpc: XRPCEndpoint
    let choose: ChoosePages
    let other: HomePages
}
