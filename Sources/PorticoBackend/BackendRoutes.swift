import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoStores
import PorticoUpstream
package import PorticoWeb

/// Which endpoint answers at which address.
package struct BackendRoutes: Sendable {
    let clock: Clock
    let exits: BackendExits
    let headers: SecurityHeaders
    let start: StartEndpoint
    let callback: CallbackEndpoint
    let token: AppTokenEndpoint
    let refresh: AppRefreshEndpoint
    let native: NativeEndpoint
    let providerCalls: ProviderCallsEndpoint
    let session: SessionEndpoint
    let account: AccountEndpoint
    let reauthentication: ReauthenticationEndpoint
    let association: AssociationFilesEndpoint
    let proxy: ProxyEndpoint
    let pages: PageEndpoints

    /// The answer at an address of the BFF, or `nil` where the path is none.
    package func respond(to arrival: Arrival) async -> Answered? {
        // Without a provider or an app nobody has asked for a backend.
        guard exits.directory.isInUse, let route = BackendRoute.find(arrival.target.path) else {
            return nil
        }
        let visit = BackendVisit(arrival, at: clock.moment())
        let methods = methods(of: route)
        guard permits(visit.request.method, methods, route) else {
            return Answered(exits.methodNotAllowed(methods, route, visit))
        }
        do {
            return Answered(try await respond(route, visit))
        } catch {
            return exits.answer(error, route, visit)
        }
    }

    /// An answer comes by the method that was asked for (OAuth 2.0 Form Post Response Mode §2): what
    /// was posted goes on by GET, and nothing is posted where nobody asked for it.
    private func methods(of route: BackendRoute) -> [HTTPRequest.Method] {
        guard let name = route.answering, let provider = exits.directory.provider(named: name),
            !provider.client.provider.usesFormPost
        else { return route.methods }
        return [.get]
    }

    /// HEAD is GET without a body (RFC 9110 §9.3.2). Nobody looks beforehand at a callback, which
    /// spends what it is given.
    private func permits(
        _ method: HTTPRequest.Method,
        _ methods: [HTTPRequest.Method],
        _ route: BackendRoute
    ) -> Bool {
        methods.contains(method)
            || method == .head && methods.contains(.get) && route.answering == nil
    }

    private func respond(_ route: BackendRoute, _ visit: BackendVisit) async throws -> Response {
        switch route {
        case .start(let provider): try await start.get(provider, visit)
        case .callback(let provider): try await answer(provider, isLink: false, visit)
        case .linkCallback(let provider): try await answer(provider, isLink: true, visit)
        case .token: try await token.post(visit)
        case .refresh: try await refresh.post(visit)
        case .nativeNonce(let provider): try await native.nonce(provider, visit)
        case .native(let provider): try await native.post(provider, visit)
        case .oneTap: try await native.oneTap(visit)
        case .backchannelLogout(let provider): try await providerCalls.logout(provider, visit)
        case .appleNotifications: try await providerCalls.appleNotification(visit)
        case .facebookDeauthorize: try await providerCalls.facebookDeauthorize(visit)
        case .facebookDataDeletion: try await providerCalls.facebookDataDeletion(visit)
        case .session: try await session.get(visit)
        case .logout: try await session.logout(visit)
        case .account:
            if visit.request.method == .delete {
                try await account.delete(visit)
            } else {
                try await account.get(visit)
            }
        case .accountSessions: try await account.sessions(visit)
        case .accountSession(let id): try await account.endSession(id, visit)
        case .accountProviders: try await account.providers(visit)
        case .link(let provider): try await account.link(provider, visit)
        case .unlink(let provider): try await account.unlink(provider, visit)
        case .email: try await account.setEmail(visit)
        case .confirmEmail: try await account.confirmEmail(visit)
        case .reauthentication: try await reauthentication.start(visit)
        case .confirmReauthentication: try await reauthentication.confirm(visit)
        case .proxy(let api, let rest): try await proxy.respond(api, rest, visit)
        case .appleAssociation: association.apple()
        case .assetLinks: association.android()
        case .page(let page): try await pages.respond(page, visit)
        }
    }

    private func answer(_ provider: Substring, isLink: Bool, _ visit: BackendVisit) async throws
        -> Response
    {
        if visit.request.method == .post {
            try await callback.post(provider, isLink: isLink, visit)
        } else {
            try await callback.get(provider, isLink: isLink, visit)
        }
    }
}
