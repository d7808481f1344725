import Portico

/// The app in which the person is signed in.
func tokenForShop(_ session: Session) async throws -> String {
    let token = try await session.loginToken(for: "shop-app")
    return token.reveal()
}

/// The app that it is passed to.
func signInToShop(_ client: SignInClient, passed text: String) async throws -> Session {
    try await client.signIn(loginToken: LoginToken(text))
}

func share(_ session: Session, in keychainGroup: any SessionStorage) async throws {
    try await session.shareDevice(in: keychainGroup)
}

func signInToShop(_ client: SignInClient, shared keychainGroup: any SessionStorage) async throws
    -> Session
{
    try await client.signIn(withSharedDevice: keychainGroup)
}

/// What an SDK does with the app's session.
func sdkSession(of session: Session, _ client: SignInClient) async throws -> Session {
    try await Session(adopting: try await session.credentials(), by: client)
}
