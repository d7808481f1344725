public import Portico

/// A vendor's SDK inside an app. It takes over the app's tokens and shares them: the app's session
/// alone renews them, and neither signs the other out.
public struct VendorSDK: Sendable {
    private let session: Session

    /// - Parameters:
    ///   - credentials: From `session.credentials()` of the app.
    ///   - client: The app's own client, or one like it with a storage of the SDK's.
    public init(_ credentials: Credentials, client: SignInClient) async throws {
        session = try await Session(adopting: credentials, by: client)
    }

    /// Who is signed in, asked at the provider now.
    public func person() async throws -> String {
        try await session.userInfo().displayName
    }

    /// What the vendor's other app needs so that people need not sign in to it.
    ///
    /// - Parameter clientID: The other app's `client_id`.
    public func loginToken(for clientID: String) async throws -> LoginToken {
        try await session.loginToken(for: clientID)
    }

    /// Ends the SDK's session. The app stays signed in.
    public func stop() async {
        await session.signOut(.local)
    }
}
