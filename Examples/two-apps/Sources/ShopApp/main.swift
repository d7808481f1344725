import Foundation
import Portico

// The second app: shop-app ISSUER, with a login token on standard input.

let client = SignInClient(
    issuer: CommandLine.arguments[1],
    clientID: "shop-app",
    scopes: [.openid, .profile, .email],
    options: .allowInsecureLoopback
)

struct PrintingBrowser: ExternalBrowser {
    func open(_ address: String) {
        print("shop-app: open \(address)")
        fflush(nil)
    }
}

let text = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
let session = try await client.signIn(
    loginToken: LoginToken(text),
    using: .loopback(open: PrintingBrowser(), timeout: .seconds(60))
)
print("shop-app: signed in as \(session.user.displayName)")
