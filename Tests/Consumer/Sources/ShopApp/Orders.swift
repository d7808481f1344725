import Foundation
import HTTPTypes
import Portico

struct Orders: Sendable {
    let session: Session

    func list() async throws -> Data {
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "api.example.com",
            path: "/orders"
        )
        let (data, response) = try await session.http.data(for: request)
        guard response.status == .ok else { throw Refused() }
        return data
    }

    /// What is shown. It is the server of the orders that decides.
    var canEdit: Bool { session.roles.contains("editor", in: .client("shop-api")) }

    struct Refused: Error {}
}

func client(keepingIn path: String) -> SignInClient {
    var options = SignInClient.Options()
    options.apiOrigins = ["https://api.example.com"]
    return SignInClient(
        issuer: "https://id.example.com/realms/shop",
        clientID: "shop-mac",
        options: options,
        storage: PrivateFile(path)
    )
}

func boundClient(keepingIn path: String) -> SignInClient {
    var options = SignInClient.Options()
    options.dpop = true
    options.apiOrigins = ["https://api.example.com"]
    return SignInClient(
        issuer: "https://id.example.com/realms/shop",
        clientID: "shop-mac",
        options: options,
        storage: PrivateFile(path)
    )
}
