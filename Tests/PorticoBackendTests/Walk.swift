import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

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

    /// Sends the form of a page that leads to `action`.
    func submit(_ page: Visited, to action: String, _ fields: [(String, String)]) async throws
        -> Visited
    {
        let index = HTMLForm.all(in: page.reply.text).firstIndex { $0.action == action }
        return try await submit(page, fields, form: index ?? 0)
    }

    /// One request of a program that has this browser's session.
    func program(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ form: [(String, String)] = []
    ) async throws -> Reply {
        var fields: HTTPFields = [.accept: "application/json"]
        fields[.portico] = "1"
        return try await request(path, method, form, from: "https://app.example.com/", fields)
    }

    /// The same, its redirect not followed: what the provider of a stand-in answers.
    func answered(_ page: Visited, _ fields: [(String, String)]) async throws -> Reply {
        let form = try #require(HTMLForm.all(in: page.reply.text).first)
        let address = "http://\(BackendUnderTest.standInHost)\(form.action)"
        return try await request(address, .post, form.hidden + fields, from: page.url)
    }

    /// Adds a sign-in method to the account, as a program begins it.
    func link(_ provider: String, as person: StandInPerson) async throws -> Visited {
        let begun = try await program(.post, "/v1/account/link/\(provider)")
        let page = try await open(try #require(begun.json.string("authorizationUrl")))
        return try await choose(person, at: page, provider)
    }

    /// Requests a code on the page that asks for proof, and enters it.
    func proveByCode(_ page: Visited) async throws -> Visited {
        let asked = try await press("code", on: page)
        let code = ("code", try await server.mailedCode() ?? "")
        return try await press("confirm", on: asked, [code])
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

extension TestVisitor.Visited {
    /// The code that an app is handed, in its address or on the page with its button.
    var code: String? {
        // The page's own address may have another: the provider's.
        for text in [reply.location ?? "", reply.text, url] {
            let code = text.firstMatch(of: /[?&](?:amp;)?code=([A-Za-z0-9_-]+)/)
            if let code { return String(code.1) }
        }
        return nil
    }
}

extension BackendUnderTest {
    /// A browser in which a person has signed in.
    func signedIn(_ provider: String = "google", as person: StandInPerson = .ann) async throws
        -> TestVisitor
    {
        let visitor = TestVisitor(self)
        _ = try await visitor.signIn(provider, as: person)
        return visitor
    }

    /// What a program gets that asks for JSON.
    func json(_ path: String) async throws -> Reply {
        try await send(.get, path, headers: [.accept: "application/json"])
    }

    /// What `/v1/auth/session` says to a program that has a session token.
    func session(of token: String) async throws -> Reply {
        try await send(.get, "/v1/auth/session", headers: [.authorization: "Bearer \(token)"])
    }

    /// The session's user of a browser.
    func user(of visitor: TestVisitor) async throws -> JSONObject {
        try await visitor.session().json.object("user") ?? [:]
    }

    func accounts() async throws -> [Person] {
        try await database.registered()
    }

    /// A token of Google's for an app; for a page where `audience` is `nil`, as One Tap has it.
    func googleToken(
        _ person: StandInPerson = .ann,
        for audience: String? = "notes.apps.example.com",
        nonce: String? = nil
    ) throws -> String {
        try #require(
            try standIns.identityToken(
                of: person,
                at: .google,
                audience: audience,
                nonce: nonce,
                changes: audience.map { ["azp": .string($0)] } ?? [:]
            )
        )
    }

    /// A token of Apple's for the app.
    func appleToken(_ nonce: String?) throws -> String {
        try #require(
            try standIns.identityToken(
                of: .ann,
                at: .apple,
                audience: "com.example.notes",
                nonce: nonce
            )
        )
    }

    /// The six digits that were mailed last; `nil` where none were.
    func mailedCode() async throws -> String? {
        let vault = SealedAtRest(ring: ring, purpose: "mailed code")
        for mail in try await database.outbox.latest(limit: 10) {
            guard case .confirmationCode(let sealed, _, _) = mail.draft.message,
                let bytes = Base64URL.decode(sealed)
            else { continue }
            return String(decoding: try vault.open(bytes, for: mail.draft.id.text), as: UTF8.self)
        }
        return nil
    }

    /// Six digits that are not those.
    static func otherCode(than code: String) -> String {
        code == "000000" ? "000001" : "000000"
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

    /// What it is handed when a person signs in.
    func code(at server: BackendUnderTest, from provider: String = "google") async throws -> String
    {
        try #require(try await TestVisitor(server).signIn(provider, as: .ann, start).code)
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
