import Foundation
import Portico

/// offices ISSUER: the screens that a person sees, by their role.
@main struct Offices {
    static func main() async {
        do {
            try await run(issuer: CommandLine.arguments.dropFirst().first ?? "")
        } catch {
            FileHandle.standardError.write(Data("offices: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(issuer: String) async throws {
        var options = SignInClient.Options.allowInsecureLoopback
        // The claim that the client's mapper writes.
        options.roleMapping = .claim("roles")
        let client = SignInClient(
            issuer: issuer,
            clientID: "rn-expo-app",
            redirect: .loopback(path: "/callback"),
            scopes: [.openid, .profile, .email],
            options: options
        )
        show(nil)
        let browser = SignInMethod.loopback(open: PrintingBrowser(), timeout: .seconds(60))
        let session = try await client.signIn(using: browser)
        // The roles are in the UserInfo answer, not in the ID Token.
        let person = try await session.userInfo()
        show(session)
        print("Profile: \(person.displayName), \(person.email ?? "no address")")
        await session.signOut(.tokens)
        show(session)
    }

    /// The app's navigation: what is there depends on the person alone.
    private static func show(_ session: Session?) {
        guard let session, session.isActive else {
            print("Screens: SignIn")
            return
        }
        var screens = ["Home"]
        for role in ["Manager", "IC"] where session.hasRole(role) { screens.append(role) }
        print("Screens: \((screens + ["Profile"]).joined(separator: ", "))")
    }
}
