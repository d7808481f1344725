import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoStores
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
        let method = visit.request.method
        // HEAD is GET without a body (RFC 9110 §9.3.2).
        let isAllowed =
            route.methods.contains(method) || method == .head && route.methods.contains(.get)
        guard isAllowed else { return Answered(exits.methodNotAllowed(route, visit)) }
        do {
            return Answered(try await respond(route, visit))
        } catch {
            return exits.answer(error, route, visit)
        }
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
