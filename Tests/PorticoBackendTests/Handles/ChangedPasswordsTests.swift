import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoTestSupport
import Testing

@testable import PorticoBackend

@Suite("Passwords of the cookie sid that change while a server runs") struct ChangedPasswordsTests {
    private static let session = "/api/auth/session"
    private static let next = SecretText("another password of ours, that is as long")

    /// The file says something else, and is looked at.
    private static func change(
        _ server: HostedBackend,
        _ lines: [(id: String, password: IronPasswords.Password)]
    ) throws {
        let passwords = try IronPasswords(lines, sealing: lines.last?.id)
        server.passwords.withLock { $0 = passwords }
        try server.backend.directory.refreshPasswords()
    }

    @Test("decision 0060: a new password seals, and one that was taken out opens nothing any more")
    func changed() async throws {
        let server = try await HostedBackend()
        let (_, seal) = try await server.signedIn()
        #expect(try await server.call(Self.session, seal).status == 200)
        try Self.change(server, [("1", .text(HostedBackend.password)), ("2", .text(Self.next))])
        server.clock.advance(by: 901)
        let rolled = try await server.call(Self.session, seal)
        #expect(rolled.status == 200)
        let newer = try #require(rolled.sid)
        #expect(newer.hasPrefix("Fe26.2*2*"))

        try Self.change(server, [("2", .text(Self.next))])
        let refused = try await server.call(Self.session, seal)
        #expect(refused.status == 401)
        #expect(refused.json.string("reason") == "INVALID_COOKIE")
        #expect(try await server.call(Self.session, newer).status == 200)
        // The same id with another password opens nothing, either.
        try Self.change(server, [("2", .text(HostedBackend.password))])
        #expect(try await server.call(Self.session, newer).status == 401)
    }

    @Test("decision 0060: where the passwords are gone, those from before stay, and it is told")
    func gone() async throws {
        let server = try await HostedBackend()
        let (_, seal) = try await server.signedIn()
        server.passwords.withLock { $0 = nil }
        #expect(throws: HandleProviderRefusal.noPasswords) {
            try server.backend.directory.refreshPasswords()
        }
        #expect(try await server.call(Self.session, seal).status == 200)
    }
}
