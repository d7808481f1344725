import Foundation
import Portico
import VendorSDK

// The first app: mail-app ISSUER SHOP-APP
// The person signs in here. Then it starts the second app, signed in as the same person.

let issuer = CommandLine.arguments[1]
let shopApp = CommandLine.arguments[2]

func client() -> SignInClient {
    SignInClient(
        issuer: issuer,
        clientID: "mail-app",
        scopes: [.openid, .profile, .email, .offlineAccess],
        options: .allowInsecureLoopback
    )
}

func say(_ text: String) {
    print("mail-app: \(text)")
    fflush(nil)
}

struct PrintingBrowser: ExternalBrowser {
    func open(_ address: String) { say("open \(address)") }
}

let session = try await client().signIn(using: .loopback(open: PrintingBrowser()))
say("signed in as \(session.user.displayName)")

// The SDK gets what the app has. Only the app's session renews it.
let sdk = try await VendorSDK(try await session.credentials(), client: client())
say("the SDK sees \(try await sdk.person())")

// The token goes to the other app by a pipe: not in its arguments, which others can read.
let token = try await sdk.loginToken(for: "shop-app")
let pipe = Pipe()
let shop = Process()
shop.executableURL = URL(fileURLWithPath: shopApp)
shop.arguments = [issuer]
shop.standardInput = pipe
try shop.run()
try pipe.fileHandleForWriting.write(contentsOf: Data(token.reveal().utf8))
try pipe.fileHandleForWriting.close()
shop.waitUntilExit()

await sdk.stop()
say("still signed in as \(try await session.userInfo().displayName)")
exit(shop.terminationStatus)
