import Foundation
import Portico

/// Where the provider and the API are. In an app of your own these are constants.
struct Settings {
    let issuer: String
    let clientID: String
    /// Scheme, host and port.
    let api: String
    let file: String

    init(_ environment: [String: String]) {
        issuer = environment["ORDERS_ISSUER"] ?? "http://127.0.0.1:8080/realms/demo"
        clientID = environment["ORDERS_CLIENT_ID"] ?? "portico-cli"
        api = environment["ORDERS_API"] ?? "http://127.0.0.1:8090"
        let home = environment["HOME"] ?? NSHomeDirectory()
        file = environment["ORDERS_FILE"] ?? "\(home)/.config/orders/session"
    }

    func client() -> SignInClient {
        var options = SignInClient.Options()
        // Only while the provider and the API run on this machine.
        options.allowInsecureLoopback = true
        options.apiOrigins = [api]
        return SignInClient(
            issuer: issuer,
            clientID: clientID,
            scopes: [.openid, .profile, .roles],
            options: options,
            storage: PrivateFile(file)
        )
    }
}
