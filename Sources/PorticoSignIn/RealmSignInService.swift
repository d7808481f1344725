import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
package import PorticoWeb

/// The sign-in core below realms: identity providers and the account pages, at the realm's addresses and with
/// its cookies. Those of the backend's realm on its host lead to the backend (docs/decisions/0168, 0170).
package struct RealmSignInService: HTTPService {
    package let routes: RouteTable<SignInContext>
    package var headers: SecurityHeaders { SecurityHeaders(signIn.publicURL) }
    private let signIn: SignIn
    private let realm: @Sendable (_ name: Substring, _ host: PublicURL?) -> Realm?

    init(
        _ signIn: SignIn,
        realm: @escaping @Sendable (_ name: Substring, _ host: PublicURL?) -> Realm?
    ) throws {
        routes = try RouteTable(signIn.routesOfRealms)
        self.signIn = signIn
        self.realm = realm
    }

    /// The backend's own realm has its pages at the backend, where its addresses lead. The callbacks of its
    /// file's providers stay. A program that asks for the account is answered by the Provider.
    package func context(_ request: RequestContext, _ parameters: PathParameters)
        -> SignInContext?
    {
        guard let realm = realm(parameters["realm"], request.realmHost) else { return nil }
        let isOverview = sameBytes(
            request.target.path,
            "/realms/\(parameters["realm"])\(SignInPath.accountOverview.rawValue)"
        )
        let isPage =
            [.get, .head].contains(request.method) && !AcceptedMedia.isJSON(request.headers)
        guard !isOverview || isPage else { return nil }
        guard signIn.directory.isOf(realm.id, at: signIn.publicURL.origin) else {
            return SignInContext(request, parameters, in: realm)
        }
        guard !parameters["provider"].isEmpty else { return SignInContext(request, parameters) }
        let isCallback = request.target.path.hasSuffix("/endpoint")
        let provider = signIn.directory.provider(named: parameters["provider"])
        guard isCallback, case .file = provider?.record.source else { return nil }
        return SignInContext(request, parameters)
    }

    package func methodNotAllowed(_ audience: Audience, _ context: SignInContext) -> Response {
        responder(context).refuse(ServiceError.methodNotAllowed, audience, context)
    }

    package func answer(_ error: any Error, _ audience: Audience, _ context: SignInContext)
        -> Response
    {
        responder(context).answer(error, audience, context)
    }

    package func finish(_ response: inout Response, _ context: SignInContext) {
        response.logged.realm = context.realm?.name
    }

    private func responder(_ context: SignInContext) -> SignInResponder {
        signIn.endpoints(context).responder
    }
}
