import Portico

func signedIn(keepingIn path: String) async throws -> Session {
    let client = SignInClient(
        issuer: "https://id.example.com/realms/shop",
        clientID: "shop-mac",
        storage: PrivateFile(path)
    )
    if case .signedIn(let session) = await client.restore() { return session }
    return try await client.signIn(using: .loopback())
}
