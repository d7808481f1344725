import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// What an account's address is told when the account is changed or goes, whichever way that comes.
@Suite("Notices of an account") struct AccountNoticeTests {
    private let walker = Walker(language: .german)

    private static func notices(_ server: BackendUnderTest) async throws -> [MailDraft] {
        try await server.database.outbox.latest(limit: 100).map(\.draft).filter {
            if case .confirmationCode = $0.message { false } else { true }
        }
    }

    private static func uses(_ server: BackendUnderTest) async throws -> [MailedCodeUse] {
        try await server.database.outbox.latest(limit: 100).compactMap {
            if case .confirmationCode(_, let use, _) = $0.draft.message { use } else { nil }
        }
    }

    enum Way: CaseIterable {
        case page, program
    }

    @Test("WEB-BRUTE-3: a new address is told to the former one", arguments: Way.allCases)
    func changed(_ way: Way) async throws {
        let server = try await BackendUnderTest()
        let visitor = try await walker.registered(at: server)
        switch way {
        case .page:
            let details = try await visitor.open("/account/details")
            let typed = [("name", "Ann"), ("email", "new@example.net")]
            let asked = try await visitor.press("save", on: details, typed)
            let code = ("code", try await server.mailedCode() ?? "")
            _ = try await visitor.press("confirm", on: asked, [code])
        case .program:
            let fields = [("email", "new@example.net")]
            _ = try await visitor.program(.post, "/v1/account/email", fields)
            let code = [("code", try await server.mailedCode() ?? "")]
            _ = try await visitor.program(.post, "/v1/account/email/confirm", code)
        }
        #expect(try await server.user(of: visitor).string("email") == "new@example.net")
        #expect(try await Self.uses(server) == [.confirmAddress])
        let told = try await Self.notices(server)
        #expect(told.map(\.to) == ["ann@example.com"])
        #expect(told.map(\.message) == [.emailChanged])
        #expect(told.map(\.language) == ["de"])
    }

    enum Departure: CaseIterable {
        case page, program, apple, facebook
    }

    @Test(
        "WEB-BRUTE-3: that an account is deleted is told to its address",
        arguments: Departure.allCases
    )
    func deleted(_ departure: Departure) async throws {
        let server = try await BackendUnderTest()
        let provider =
            switch departure {
            case .page, .program: "google"
            case .apple: "apple"
            case .facebook: "facebook"
            }
        let visitor = try await walker.registered(provider, at: server)
        if departure == .facebook {
            // What Facebook says of an address is not known to be so.
            _ = try await visitor.program(
                .post,
                "/v1/account/email",
                [("email", "ann@example.com")]
            )
            let code = [("code", try await server.mailedCode() ?? "")]
            _ = try await visitor.program(.post, "/v1/account/email/confirm", code)
        }
        let reply: Reply
        switch departure {
        case .page:
            let page = try await visitor.open("/account/delete")
            reply = try await visitor.press("delete", on: page, [("sure", "1")]).reply
        case .program: reply = try await visitor.program(.delete, "/v1/account")
        case .apple:
            let payload = try server.standIns.appleNotification(.accountDelete, about: .ann)
            reply = try await server.post(
                "/v1/auth/apple/notifications",
                [("payload", try #require(payload))]
            )
        case .facebook:
            let request = server.standIns.signedRequest(about: .ann)
            reply = try await server.post(
                "/v1/auth/facebook/data-deletion",
                [("signed_request", try #require(request))]
            )
        }
        #expect(reply.status == 200)
        #expect(try await server.accounts().isEmpty)
        let told = try await Self.notices(server)
        #expect(told.map(\.to) == ["ann@example.com"])
        #expect(told.map(\.message) == [.accountDeleted])
        #expect(told.map(\.language) == ["de"])
    }

    @Test("a mail says so if its code creates an account for a new person")
    func claim() async throws {
        let server = try await BackendUnderTest()
        let (visitor, found) = try await walker.found(at: server)
        _ = try await visitor.press("mailbox", on: found)
        #expect(try await Self.uses(server) == [.claimAccount(provider: "facebook")])
    }
}
