import Foundation
import HTTPTypes
import Portico

/// Who is signed in. The DID stays; the handle is for display, and may pass to another person.
struct Person: Sendable {
    let did: String
    let handle: String
}

/// What an app does with its session. There are two ways to get one: see ``LibraryAccount`` and
/// ``GuideAccount``.
protocol Account: Sendable {
    /// Scheme, host and port.
    var backend: String { get }
    /// Opens the browser.
    ///
    /// - Parameter handle: `nil`: the backend's page asks for it.
    /// - Returns: `nil` where the answer comes to another start of the app.
    func signIn(handle: String?) async throws -> Person?
    /// Who signed in before. Nothing is sent.
    func restore() async throws -> Person?
    /// Asks the backend whether the session is live. One that is over is forgotten.
    func validate() async throws -> Validity
    /// A request to the backend with the session, and `X-Portico: 1` for its host.
    func send(_ request: HTTPRequest, _ body: [UInt8]) async throws -> (body: Data, status: Int)
    /// Has the backend make the cookie anew.
    func renew() async throws
    /// - Returns: Whether the backend was told. The device forgets the session in any case.
    func signOut() async throws -> Bool
}

enum Validity {
    case live, over
    /// There was no answer that says so: the session stays.
    case unknown(String)
}

enum Failure: Error, CustomStringConvertible {
    case signedOut, ended, notOurs, notAsked
    /// With the handle of who is.
    case signedInAs(String)
    case answered(Int)
    case denied(String)
    case noSession

    var description: String {
        switch self {
        case .signedOut: "No one is signed in. Run: posts sign-in"
        case .ended: "The server has ended the session. Run: posts sign-in"
        case .notOurs: "That session is not the one it says it is."
        case .notAsked: "That address answers no sign-in of this app."
        case .signedInAs(let handle): "\(handle) is signed in. Run first: posts sign-out"
        case .answered(let status): "The server answered \(status)."
        case .denied(let error): "Not signed in: \(error)"
        case .noSession: "That address brings no session of this app."
        }
    }
}

/// Shows the address as well, for a person whose browser runs on another machine.
struct ShownBrowser: ExternalBrowser {
    func open(_ address: String) async throws {
        Posts.say("Open \(address)")
        do {
            try await SystemBrowser().open(address)
        } catch {
            // The person can still open it.
            Posts.say("\(error)")
        }
    }
}

extension Account {
    /// A request to the backend.
    func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        let parts = backend.split(separator: "://")
        return HTTPRequest(
            method: method,
            scheme: parts.first.map(String.init),
            authority: parts.last.map(String.init),
            path: path
        )
    }
}
