import PorticoPages
package import PorticoProtocol
package import PorticoSignIn
import PorticoWeb

/// The backend-for-frontend: the face of the sign-in core for web apps, and for apps that are handed a
/// session.
package struct Backend: Sendable {
    package let signIn: SignIn
    let apis: [ProxiedAPI]
    /// Asks APIs, and nothing else.
    let transport: any HTTPTransport
    let apiCalls = AccountCalls()
    let handleTokens: HandleTokens
    let handleCalls = AccountCalls()
    private let access: ProviderAccess

    /// - Parameter transport: For `apis` alone: providers do not wait for their connections.
    package init(_ signIn: SignIn, transport: any HTTPTransport, apis: [ProxiedAPI] = []) {
        self.signIn = signIn
        self.transport = transport
        self.apis = apis
        handleTokens = HandleTokens(
            handles: signIn.handles,
            vault: HandleTokenVault(ring: signIn.ring),
            servers: ATTokenServers(directory: signIn.directory),
            clock: signIn.clock
        )
        access = ProviderAccess(
            accounts: signIn.accounts,
            directory: signIn.directory,
            vault: ProviderTokens(ring: signIn.ring)
        )
    }

    /// The BFF's service.
    package var service: BackendService {
        get throws {
            let endpoints = endpoints
            return BackendService(
                routes: try RouteTable(endpoints.routes),
                responder: endpoints.core.responder
            )
        }
    }

    /// Gives every endpoint what it needs, and nothing else.
    private var endpoints: BackendEndpoints {
        let core = signIn.endpoints(of: nil, at: signIn.publicURL)
        let (directory, headers, responder) = (core.directory, core.headers, core.responder)
        let (accounts, sessions, ring) = (signIn.accounts, signIn.sessions, signIn.ring)
        let (events, limits) = (signIn.events, signIn.limits)
        return BackendEndpoints(
            core: core,
            handles: handleEndpoints(core),
            token: AppTokenEndpoint(
                directory: directory,
                sessions: sessions,
                handles: signIn.handles,
                ring: ring,
                headers: headers,
                events: events,
                guesses: limits.guesses
            ),
            refresh: AppRefreshEndpoint(
                sessions: core.live,
                directory: directory,
                ring: ring,
                headers: headers,
                events: events
            ),
            native: NativeEndpoint(
                directory: directory,
                complete: core.complete,
                accounts: accounts,
                sessions: core.live,
                nonces: NativeNonces(ring: ring),
                headers: headers,
                responder: responder,
                events: events,
                pending: core.pending,
                limit: NativeLimit(starts: limits.starts, refused: limits.refusedTokens)
            ),
            session: SessionEndpoint(
                check: core.check,
                departure: core.departure,
                signOut: core.signOut,
                headers: headers
            ),
            accounts: AccountEndpoint(
                check: core.check,
                accounts: accounts,
                directory: directory,
                start: core.begin,
                departure: core.departure,
                signOut: core.signOut,
                emails: core.emails,
                cookies: core.cookies,
                headers: headers,
                linkLimit: limits.links
            ),
            reauthentication: ReauthenticationEndpoint(
                check: core.check,
                emails: core.emails,
                cookies: core.cookies,
                headers: headers
            ),
            association: AssociationFilesEndpoint(directory: directory, headers: headers),
            proxy: ProxyEndpoint(
                apis: apis,
                check: core.check,
                access: access,
                transport: transport,
                calls: apiCalls,
                headers: headers
            ),
            handleSession: handleSession(core),
            xrpc: xrpc(core),
            choose: ChoosePages(
                directory: directory,
                check: core.check,
                cookies: core.cookies,
                responder: responder,
                forms: core.forms,
                isSignUpOpen: signIn.rules.isSignUpOpen
            ),
            other: HomePages(
                check: core.check,
                accounts: accounts,
                browserSignOut: core.signOut,
                emails: core.emails,
                directory: directory,
                identity: signIn.identity,
                responder: responder,
                forms: core.forms
            )
        )
    }
}
