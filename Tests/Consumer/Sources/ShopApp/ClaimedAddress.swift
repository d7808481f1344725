import Portico

/// An app that opens the browser itself, and that the system hands an https address to.
@MainActor final class ClaimedAddress {
    private let client = SignInClient(
        issuer: "https://id.example.com/realms/shop",
        clientID: "shop-phone",
        redirect: .https("https://shop.example.com/signed-in"),
        scopes: [.openid, .profile]
    )
    private var attempt: SignIn?

    func start(opening browser: any ExternalBrowser) async throws {
        let attempt = try await client.begin(SignInRequest(prompt: [.selectAccount]))
        self.attempt = attempt
        try await browser.open(attempt.address)
    }

    func came(_ address: String) async throws -> Session? {
        try await attempt?.complete(address)
    }
}
