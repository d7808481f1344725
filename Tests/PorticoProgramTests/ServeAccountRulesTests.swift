import HTTPTypes
import PorticoBackend
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("serve: whose accounts are made and joined, as it is set") struct ServeAccountRulesTests {
    private static func run(
        _ arguments: [String],
        _ body: (DemoServer) async throws -> Void
    ) async throws {
        let portico = try PorticoProcess()
        let server = try await DemoServer(in: portico, arguments: arguments)
        try await body(server)
    }

    /// Signs a person in with a stand-in, as far as that leads.
    ///
    /// - Returns: Where it leads.
    private func arrive(
        _ person: WebPerson,
        _ provider: String,
        as name: String,
        at server: DemoServer
    ) async throws -> Reply {
        let found = try #require(server.running.stdout.firstMatch(of: /Stand-ins +(\S+)/))
        let standIns = String(found.1)
        let chooser = try await person.get("\(server.url)/v1/auth/\(provider)")
        let chosen = try await person.submit(chooser, from: standIns, [("person", name)])
        // Apple's answer is a form.
        guard provider == "apple" else { return chosen }
        return try await person.submit(chosen, from: standIns, [])
    }

    /// The same.
    ///
    /// - Returns: What the session's address answers then: 200 with a session, 401 without.
    private func signIn(
        _ person: WebPerson,
        _ provider: String,
        as name: String,
        at server: DemoServer
    ) async throws -> Int {
        _ = try await arrive(person, provider, as: name, at: server)
        let fields: HTTPFields = [.accept: "application/json"]
        return try await person.get("\(server.url)/v1/auth/session", with: fields).status
    }

    @Test(
        "no one new gets an account where sign-up is closed",
        arguments: [("open", 200), ("closed", 401)]
    )
    func signUp(_ setting: String, _ expected: Int) async throws {
        try await Self.run(["--accounts-sign-up", setting]) { server in
            let person = WebPerson()
            #expect(try await signIn(person, "google", as: "ben", at: server) == expected)
            try await person.close()
        }
    }

    @Test(
        "pages.onboarding: who has a new account sees our page first, or goes on where it is off",
        arguments: [([], true), (["--pages-onboarding", "off"], false)] as [([String], Bool)]
    )
    func onboarding(_ arguments: [String], isOurs: Bool) async throws {
        try await Self.run(arguments) { server in
            let person = WebPerson()
            let end = try await arrive(person, "google", as: "ben", at: server)
            #expect(end.status == 200)
            #expect((end.formAction == "/onboarding") == isOurs, "\(end.formAction ?? "none")")
            #expect(end.text.contains("You’re signed in") != isOurs)
            try await person.close()
        }
    }

    @Test("WEB-ACC-1: an address joins no two accounts by itself, unless that was set")
    func linking() {
        var settings = Settings(dataDirectory: "/nowhere")
        #expect(AccountRules(settings).linking == .ask && AccountRules(settings).isSignUpOpen)
        settings.linking = .auto
        #expect(AccountRules(settings).linking == .auto && AccountRules(settings).isSignUpOpen)
        settings.isSignUpOpen = false
        #expect(!AccountRules(settings).isSignUpOpen)
    }
}
