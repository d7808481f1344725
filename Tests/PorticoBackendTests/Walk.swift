import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport

/// What people do with providers, in one line each.
extension TestVisitor {
    /// Starts at the provider, chooses a person there, and comes back.
    ///
    /// - Parameter query: What the start is asked with.
    func signIn(
        _ provider: String = "google",
        as person: StandInPerson = .ann,
        _ query: [(name: String, value: String)] = []
    ) async throws -> Visited {
        let start = FormEncoding.appending(query, to: "/v1/auth/\(provider)")
        return try await choose(person, at: try await open(start), provider)
    }

    /// Chooses a person on the provider's page, and goes on until a page of ours, or an app.
    func choose(_ person: StandInPerson, at page: Visited, _ provider: String) async throws
        -> Visited
    {
        let chosen = try await submit(page, [("person", person.id)])
        guard provider == "apple", chosen.url.contains("localhost") else { return chosen }
        // Apple's answer is a form that the browser posts to us from Apple's site.
        return try await submit(chosen, [])
    }

    /// What `/v1/auth/session` says in this browser.
    func session() async throws -> Reply {
        try await request("/v1/auth/session", .get, [], [.accept: "application/json"])
    }

    private func request(
        _ path: String,
        _ method: HTTPRequest.Method,
        _ form: [(String, String)],
        _ headers: HTTPFields
    ) async throws -> Reply {
        try await request(path, method, form, from: nil, headers)
    }
}

extension BackendUnderTest {
    /// The session's user of a browser.
    func user(of visitor: TestVisitor) async throws -> JSONObject {
        try await visitor.session().json.object("user") ?? [:]
    }

    func accounts() async throws -> [Account] {
        try await database.accounts.accounts(after: nil, email: nil, limit: 100)
    }
}

/// An app's side of a hand-off.
struct TestApp {
    let verifier = CodeVerifier(random: .system)
    var name = "notes"
    var redirectURI = "https://app.example.com/auth/callback"
    var state = "app-state"

    var start: [(name: String, value: String)] {
        [
            ("platform", "mobile"), ("app", name), ("redirect_uri", redirectURI),
            ("code_challenge", verifier.challenge.text), ("code_challenge_method", "S256"),
            ("state", state),
        ]
    }

    func redeem(
        _ code: String,
        at server: BackendUnderTest,
        changing changes: [String: String?] = [:]
    ) async throws -> Reply {
        var fields: [(String, String)] = [
            ("grant_type", "authorization_code"), ("code", code),
            ("code_verifier", verifier.reveal()), ("app", name), ("redirect_uri", redirectURI),
        ]
        for (name, value) in changes {
            fields.removeAll { $0.0 == name }
            if let value { fields.append((name, value)) }
        }
        return try await server.post("/v1/auth/token", fields)
    }
}
