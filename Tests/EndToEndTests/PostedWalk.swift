import PorticoBackend
import PorticoBytes
import PorticoSignIn
import PorticoStores
import PorticoTestSupport
import Testing

/// A backend whose mail really goes, and the mailboxes behind it.
struct PostedWalk: Sendable {
    let server: RunningBackend
    let mails: MailServer
    private let seen = Locked(0)

    static func run(
        _ scripts: Bool,
        _ linking: AccountRules.Linking = .ask,
        _ body: @escaping @Sendable (Walk, PostedWalk) async throws -> Void
    ) async throws {
        let mails = try await MailServer()
        let rules = AccountRules(linking: linking)
        try await Walk.run(scripts, rules: rules, mails: mails) { walk, server in
            try await body(walk, PostedWalk(server: server, mails: mails))
        }
    }

    private static let newDevice = "New sign-in to your Example account"

    /// The next mail that is no notice of a new device.
    func next() async throws -> ReceivedMail {
        try await server.sendMails()
        while true {
            let place = seen.withLock { seen in
                seen += 1
                return seen - 1
            }
            let mail = try await mails.mail(place)
            if mail.headers["subject"] != Self.newDevice { return mail }
        }
    }

    /// Whether nothing else came.
    func isEmpty() async throws -> Bool {
        try await server.sendMails()
        for place in seen.withLock(\.self)..<mails.count {
            let mail = try await mails.mail(place)
            guard mail.headers["subject"] == Self.newDevice else { return false }
        }
        return true
    }

    /// The code in the next mail.
    func code() async throws -> String {
        try Self.code(in: try await next())
    }

    func code(in mail: ReceivedMail) throws -> String {
        try Self.code(in: mail)
    }

    static func code(in mail: ReceivedMail) throws -> String {
        try #require(mail.text.firstMatch(of: /\b(\d{6})\b/).map { String($0.1) })
    }

    /// The sign-in methods of the only account with that address, in the order of linking.
    func ways(of address: String) async throws -> [String] {
        let found = try await server.accounts().filter { $0.email == address }
        #expect(found.count == 1)
        guard let account = found.first else { return [] }
        return try await server.database.accounts.identities(of: account.id).map(\.provider)
    }
}
