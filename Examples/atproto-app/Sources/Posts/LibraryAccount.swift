import Foundation
import HTTPTypes
import Portico

/// The default: the redirect brings a code, which is good once, for this app, for a minute. The
/// library redeems it, keeps the cookie, and sends it.
struct LibraryAccount: Account {
    let backend: String
    let client: BackendClient

    func signIn(handle: String?) async throws -> Person? {
        let browser = SignInMethod.loopback(open: ShownBrowser())
        return Person(try await client.signIn(byHandle: handle, using: browser))
    }

    func restore() async throws -> Person? {
        switch await client.restore() {
        case .signedIn(let session): Person(session)
        case .signedOut: nil
        // Not "signed out": the device may be locked.
        case .locked(let problem): throw SignInError(.storage(problem))
        }
    }

    func validate() async throws -> Validity {
        let session = try await session()
        do throws(SignInError) {
            try await session.check()
            return .live
        } catch {
            return session.isActive ? .unknown(error.description) : .over
        }
    }

    func send(_ request: HTTPRequest, _ body: [UInt8]) async throws -> (body: Data, status: Int) {
        let (data, response) = try await session().http.data(for: request, body: body)
        return (data, response.status.code)
    }

    func renew() async throws {
        try await session().refresh()
    }

    func signOut() async throws -> Bool {
        try await session().signOut().revoked
    }

    private func session() async throws -> BackendSession {
        switch await client.restore() {
        case .signedIn(let session): return session
        case .signedOut: throw SignInError(.interactionRequired(.signedOut))
        case .locked(let problem): throw SignInError(.storage(problem))
        }
    }
}

extension Person {
    fileprivate init(_ session: BackendSession) {
        self.init(
            did: session.user.did ?? session.user.id,
            handle: session.user.handle ?? session.user.displayName
        )
    }
}
