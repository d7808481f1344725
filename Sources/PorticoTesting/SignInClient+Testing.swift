public import Portico
import PorticoBytes
import PorticoSystem

extension SignInClient {
    /// A client whose network, browser and clock are a fake provider's. Sign-in and sign-out open
    /// nothing, whatever method and browser the app gives.
    ///
    /// - Parameters:
    ///   - provider: One that other clients may use too.
    ///   - clientID: Any; a fake knows every client.
    ///   - redirect: As in the app.
    ///   - scopes: As in the app.
    ///   - options: As in the app.
    ///   - storage: One that is kept for a second client stands for a restart of the app.
    public static func testing(
        _ provider: FakeProvider,
        clientID: String = "app",
        redirect: Redirect = .loopback(),
        scopes: [ScopeToken] = [.openid, .profile, .email],
        options: Options = Options(),
        storage: any SessionStorage = .inMemory
    ) -> SignInClient {
        let clock = provider.clock
        return SignInClient(
            issuer: provider.issuer,
            clientID: clientID,
            redirect: redirect,
            scopes: scopes,
            options: options,
            storage: storage,
            transport: provider,
            browser: provider.browser,
            now: { clock.now },
            random: .system
        )
    }
}

extension BackendClient {
    /// A client whose network, browser and clock are a fake backend's. Sign-in opens nothing,
    /// whatever method and browser the app gives.
    ///
    /// - Parameters:
    ///   - backend: One that other clients may use too.
    ///   - app: Any; a fake knows every app.
    ///   - redirect: As in the app.
    ///   - options: As in the app.
    ///   - storage: One that is kept for a second client stands for a restart of the app.
    public static func testing(
        _ backend: FakeBackend,
        app: String = "app",
        redirect: Redirect = .loopback(),
        options: Options = Options(),
        storage: any SessionStorage = .inMemory
    ) -> BackendClient {
        let clock = backend.clock
        return BackendClient(
            backend: backend.address,
            app: app,
            redirect: redirect,
            options: options,
            storage: storage,
            transport: backend,
            browser: backend.browser,
            now: { clock.now },
            random: .system
        )
    }
}
