import Foundation
import HTTPTypes
import Portico

/// Signs a person in with their browser, keeps the session, calls an API, and signs out.
@main struct Orders {
    static func main() async {
        do {
            try await run(CommandLine.arguments.dropFirst().first ?? "list")
        } catch let error as SignInError {
            say(advice(for: error))
            exit(1)
        } catch {
            say("\(error)")
            exit(1)
        }
    }

    private static func run(_ command: String) async throws {
        let settings = Settings(ProcessInfo.processInfo.environment)
        switch command {
        case "sign-in":
            let session = try await settings.client().signIn(
                using: .loopback(open: ShownBrowser())
            )
            print("Signed in as \(session.user.displayName)")
        case "list":
            print(try await orders(at: settings.api, for: session(of: settings.client())))
        case "sign-out":
            let report = try await session(of: settings.client()).signOut(.tokens)
            print(report.revoked ? "Signed out" : "Signed out of this computer")
        default:
            say("usage: orders sign-in | list | sign-out")
            exit(2)
        }
    }

    /// The session of an earlier run. Nothing is sent.
    private static func session(of client: SignInClient) async throws -> Session {
        switch await client.restore() {
        case .signedIn(let session): return session
        case .signedOut: throw SignInError(.interactionRequired(.signedOut))
        case .locked(let problem): throw SignInError(.storage(problem))
        }
    }

    /// The token is fresh, goes to the named API only, and is never in an address.
    private static func orders(at api: String, for session: Session) async throws -> String {
        let parts = api.split(separator: "://")
        let request = HTTPRequest(
            method: .get,
            scheme: parts.first.map(String.init),
            authority: parts.last.map(String.init),
            path: "/orders"
        )
        let (data, response) = try await session.http.data(for: request)
        guard response.status == .ok else { throw Refused(status: response.status.code) }
        return String(decoding: data, as: UTF8.self)
    }

    /// One switch, and a sentence for each.
    private static func advice(for error: SignInError) -> String {
        switch error.kind {
        case .cancelled, .denied: "Not signed in."
        case .interactionRequired: "\(error) Run: orders sign-in"
        case .transient: "\(error) Try again later."
        case .misconfigured, .rejected, .storage: "\(error)"
        }
    }

    static func say(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }

    struct Refused: Error, CustomStringConvertible {
        let status: Int

        var description: String { "The API refused the request (status \(status))." }
    }
}

/// Shows the address as well, for a person whose browser runs on another machine.
struct ShownBrowser: ExternalBrowser {
    func open(_ address: String) async throws {
        Orders.say("Open \(address)")
        do {
            try await SystemBrowser().open(address)
        } catch {
            // The person can still open it.
            Orders.say("\(error)")
        }
    }
}
