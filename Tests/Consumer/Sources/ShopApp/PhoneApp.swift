#if canImport(SwiftUI) && canImport(AuthenticationServices)
    import AuthenticationServices
    import Portico
    import SwiftUI

    private let client = SignInClient(
        issuer: "https://id.example.com/realms/shop",
        clientID: "shop-phone",
        redirect: .https(
            "https://shop.example.com/signed-in",
            fallback: .scheme("com.example.shop:/signed-in")
        ),
        scopes: [.openid, .profile]
    )

    @available(iOS 17.0, macOS 14.0, *)
    struct ShopView: View {
        @State private var model = SignInModel(client)
        @Environment(\.signIn) private var signIn

        var body: some View {
            content.task { await model.restore() }
        }

        @ViewBuilder private var content: some View {
            switch model.state {
            case nil: ProgressView()
            case .locked(let problem): Text(problem.description)
            case .signedOut:
                Button("Sign in") { Task { await model.signIn(using: signIn.method()) } }
            case .signedIn(let session):
                Button("Sign out \(session.user.displayName)") {
                    Task { await model.signOut(using: signIn.method()) }
                }
            }
        }
    }

    /// The same by hand, without a model.
    @available(iOS 16.4, macOS 13.3, *)
    struct SignInByHand: View {
        @Environment(\.webAuthenticationSession) private var browser
        let client: SignInClient

        var body: some View {
            Button("Sign in") { Task { use(try await signIn()) } }
        }

        func signIn() async throws -> Session {
            let attempt = try await client.begin()
            guard let address = URL(string: attempt.address) else { throw URLError(.badURL) }
            let answer = try await browser.authenticate(
                using: address,
                callbackURLScheme: "com.example.shop"
            )
            return try await attempt.complete(answer.absoluteString)
        }

        private func use(_ session: Session) {}
    }

    /// A request that the app sends by URLSession.
    func authorized(_ url: URL, by session: Session) async throws -> URLRequest {
        var request = URLRequest(url: url)
        try await session.http.authorize(&request)
        return request
    }

    /// A request that the library sends, with its token, and again where the token was refused.
    func orders(of session: Session) async throws -> Data {
        guard let address = URL(string: "https://api.example.com/orders") else {
            throw URLError(.badURL)
        }
        let (data, _) = try await session.http.data(for: URLRequest(url: address))
        return data
    }

    @MainActor func signInWithApple(_ backend: BackendClient) async throws(SignInError)
        -> BackendSession
    {
        try await backend.signInWithApple()
    }

    func signInWithGoogle(
        _ backend: BackendClient,
        showing sheet: (_ nonce: String) async throws -> String
    ) async throws -> BackendSession {
        let attempt = try await backend.beginNative(with: "google")
        // GIDSignIn.sharedInstance.signIn(withPresenting:hint:additionalScopes:nonce:)
        return try await attempt.complete(idToken: sheet(attempt.nonce))
    }

    private let backend = BackendClient(
        backend: "https://api.shop.example.com",
        app: "shop-phone",
        redirect: .https("https://shop.example.com/signed-in")
    )

    /// An app that signs in by a backend.
    @available(iOS 17.0, macOS 14.0, *)
    struct BackendView: View {
        @State private var model = BackendSignInModel(backend)
        @Environment(\.signIn) private var signIn

        var body: some View {
            if let session = model.session {
                Button("Sign out \(session.user.displayName)") { Task { await model.signOut() } }
            } else {
                Button("Sign in") {
                    Task { await model.signIn(with: "google", using: signIn.method()) }
                }
            }
        }
    }

    /// From a window of UIKit or AppKit.
    @MainActor func signIn(in window: ASPresentationAnchor) async throws(SignInError) -> Session {
        try await client.signIn(using: .sheet(in: window, isEphemeral: true))
    }

    /// An app and its widget keep one session.
    let sharedClient = SignInClient(
        issuer: "https://id.example.com/realms/shop",
        clientID: "shop-phone",
        redirect: .scheme("com.example.shop:/signed-in"),
        storage: Keychain(
            accessGroup: "TEAM123456.com.example.shop",
            appGroup: "group.com.example.shop"
        )
    )
#endif
