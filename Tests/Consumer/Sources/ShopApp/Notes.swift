import HTTPTypes
import Portico

func notesSession(keepingIn path: String) async throws -> BackendSession {
    let client = BackendClient(
        backend: "https://api.notes.example.com",
        app: "notes-mac",
        storage: PrivateFile(path)
    )
    if case .signedIn(let session) = await client.currentSession() { return session }
    return try await client.signIn(with: "google")
}

/// An app that the system hands an https address to.
@MainActor final class NotesPhone {
    private let client = BackendClient(
        backend: "https://api.notes.example.com",
        app: "notes-ios",
        redirect: .https("https://notes.example.com/signed-in")
    )
    private var attempt: BackendSignIn?

    func start(opening browser: any ExternalBrowser) async throws {
        let attempt = try client.begin()
        self.attempt = attempt
        try await browser.open(attempt.address)
    }

    func came(_ address: String) async throws -> BackendSession? {
        try await attempt?.complete(address)
    }
}

func notes(of session: BackendSession) async throws -> String {
    let request = HTTPRequest(
        method: .get,
        scheme: "https",
        authority: "api.notes.example.com",
        path: "/bff/notes/latest"
    )
    let (data, response) = try await session.http.data(for: request)
    return "\(session.user.displayName): \(response.status.code), \(data.count) bytes"
}

func leaveNotes(_ session: BackendSession) async -> Bool {
    let report = await session.signOut(everywhere: true)
    return report.revoked
}

func signIn(
    byHandle handle: String?,
    at client: BackendClient,
    show: (String?, String?) -> Void
) async throws -> BackendSession {
    let session = try await client.signIn(byHandle: handle)
    show(session.user.handle, session.user.did)
    return session
}
