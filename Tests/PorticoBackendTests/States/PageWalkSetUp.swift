import Foundation
import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport

/// What many walks begin with.
extension Walker {
    /// A person who has registered with a provider just now, and has proven who they are.
    func registered(
        _ provider: String = "google",
        as person: StandInPerson = .ann,
        at server: BackendUnderTest
    ) async throws -> TestVisitor {
        let visitor = visitor(server)
        let welcome = try await visitor.signIn(provider, as: person)
        guard welcome.path.hasPrefix("/onboarding") else { throw WrongWay(page: welcome.path) }
        try await server.proveSessions()
        return visitor
    }

    /// Ann with two sign-in methods: Google, and an account at Facebook that tells no address.
    func withTwoWays(at server: BackendUnderTest) async throws -> TestVisitor {
        let visitor = try await registered(at: server)
        _ = try await visitor.add("facebook", as: .paul)
        return visitor
    }

    /// Ann, who has an account, comes with another provider, and is asked.
    func found(_ provider: String = "facebook", at server: BackendUnderTest) async throws -> (
        TestVisitor, TestVisitor.Visited
    ) {
        _ = try await registered(at: server)
        let visitor = visitor(server)
        return (visitor, try await visitor.signIn(provider))
    }

    /// A walk that ended where it should not.
    struct WrongWay: Error {
        let page: String
    }
}

extension TestVisitor {
    /// Adds a sign-in method to the account, up to the page that tells what became of it.
    func add(_ provider: String, as person: StandInPerson) async throws -> Visited {
        let page = try await open("/account/ways")
        return try await choose(
            person,
            at: try await press(("way", provider), on: page),
            provider
        )
    }

    /// Sends the form that has a button of this name and value, whatever stands in its fields.
    func press(
        _ button: (name: String, value: String),
        on page: Visited,
        _ fields: [(String, String)] = []
    ) async throws -> Visited {
        let forms = HTMLForm.all(in: page.reply.text)
        let index = forms.firstIndex { form in
            form.buttons.contains { $0.name == button.name && $0.value == button.value }
        }
        guard let index else {
            throw Walker.WrongWay(page: "\(page.path) without \(button.value)")
        }
        return try await submit(page, fields + [(button.name, button.value)], form: index)
    }

    /// Presses one of the buttons that are told apart by `action`.
    func press(_ action: String, on page: Visited, _ fields: [(String, String)] = [])
        async throws -> Visited
    {
        try await press(("action", action), on: page, fields)
    }
}

extension BackendUnderTest {
    /// A person has gone from the OpenID provider an hour ago without signing out.
    func leaveSession(of person: StandInPerson = .ann) {
        let hourAgo = clock.now.addingTimeInterval(-3600)
        standIns.configure(.openID) { $0.oldSession = .init(of: person, since: hourAgo) }
    }

    /// The operator changes how a provider is set up.
    func setUp(_ names: String..., change: (inout ProviderRecord) -> Void) async throws {
        for var record in try await database.configuration.configuration().providers
        where names.contains(record.name) {
            change(&record)
            try await database.configuration.put(record)
        }
        try await backend.directory.refresh()
    }
}

extension StandInPerson {
    /// Gives no name.
    static func nameless(hidingEmail: Bool = false) -> StandInPerson {
        StandInPerson(
            id: "nameless",
            givenName: "",
            familyName: "",
            email: "nameless@example.net",
            hidesEmail: hidingEmail
        )
    }
}
