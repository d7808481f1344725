/// Whether a person is signed in at a provider, for views.
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
public typealias SignInModel = SessionModel<SignInClient>

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension SessionModel where Client == SignInClient {
    /// Signs in, unless that is under way already.
    ///
    /// - Parameters:
    ///   - request: What this sign-in asks for beyond the scopes.
    ///   - method: How; in SwiftUI on Apple's systems, `signIn.method()` of the environment.
    public func signIn(
        _ request: SignInRequest = SignInRequest(),
        using method: SignInMethod = .standard
    ) async {
        await signIn { () throws(SignInError) in try await client.signIn(request, using: method) }
    }

    /// Signs out. The person is signed out here at once, whatever becomes of the rest.
    ///
    /// - Parameters:
    ///   - scope: How much is ended.
    ///   - method: Shows the provider's sign-out page, if `scope` includes it.
    /// - Returns: `nil` if no one was signed in.
    @discardableResult
    public func signOut(
        _ scope: SignOutScope = .everything,
        using method: SignInMethod = .standard
    ) async -> SignOutReport? {
        await signOut { await $0.signOut(scope, using: method) }
    }
}

/// Whether a person is signed in at a backend, for views.
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
public typealias BackendSignInModel = SessionModel<BackendClient>

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension SessionModel where Client == BackendClient {
    /// Signs in, unless that is under way already.
    ///
    /// - Parameters:
    ///   - provider: As for ``BackendClient/signIn(with:using:)``.
    ///   - method: How; in SwiftUI on Apple's systems, `signIn.method()` of the environment.
    public func signIn(with provider: String? = nil, using method: SignInMethod = .standard) async {
        await signIn { () throws(SignInError) in
            try await client.signIn(with: provider, using: method)
        }
    }

    /// Signs in by internet handle, unless a sign-in is under way already.
    ///
    /// - Parameters:
    ///   - handle: As for ``BackendClient/signIn(byHandle:using:)``.
    ///   - method: How; in SwiftUI on Apple's systems, `signIn.method()` of the environment.
    public func signIn(byHandle handle: String?, using method: SignInMethod = .standard) async {
        await signIn { () throws(SignInError) in
            try await client.signIn(byHandle: handle, using: method)
        }
    }

    /// Signs out. The person is signed out here at once, whatever becomes of the rest.
    ///
    /// - Parameter everywhere: Whether to end all of the person's sessions, in every app and
    ///   browser.
    /// - Returns: `nil` if no one was signed in.
    @discardableResult
    public func signOut(everywhere: Bool = false) async -> SignOutReport? {
        await signOut { await $0.signOut(everywhere: everywhere) }
    }
}
