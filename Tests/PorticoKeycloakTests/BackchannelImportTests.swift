import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: back-channel logout") struct BackchannelImportTests {
    private func client(_ attributes: String, isPublic: Bool = false) async throws -> (
        client: Client?, report: ImportReport
    ) {
        let imported = try await RealmImportTests.read(
            """
            {"realm": "r", "clients": [{"clientId": "a", "publicClient": \(isPublic),
            "redirectUris": ["https://a.example/cb"], "attributes": {\(attributes)}}]}
            """
        )
        return (imported.first?.realm.clients.first, try #require(imported.first?.report))
    }

    @Test("OIDCBCL-2.2-1: a client's back-channel logout URL comes along")
    func imported() async throws {
        let (client, _) = try await client(
            """
            "backchannel.logout.url": "https://a.example/logout",
            "backchannel.logout.session.required": "true"
            """
        )
        #expect(client?.backchannelLogoutURI?.text == "https://a.example/logout")
        #expect(client?.backchannelLogoutSessionRequired == true)
        let other = try await self.client(
            """
            "backchannel.logout.url": "http://127.0.0.1:8080/logout",
            "backchannel.logout.session.required": "false"
            """
        ).client
        #expect(other?.backchannelLogoutURI?.text == "http://127.0.0.1:8080/logout")
        #expect(other?.backchannelLogoutSessionRequired == false)
        let without = try await self.client(
            #""backchannel.logout.url": "", "backchannel.logout.session.required": "true""#
        ).client
        #expect(without != nil)
        #expect(without?.backchannelLogoutURI == nil)
        #expect(without?.backchannelLogoutSessionRequired == false)
    }

    @Test(
        "OIDCBCL-2.2-1: an URL that is not admitted here is left out, and the report says so",
        arguments: [
            ("http://a.example/logout", false), ("/logout", false),
            ("https://a.example/logout#x", false), ("http://127.0.0.1:8080/logout", true),
        ]
    )
    func refused(url: String, isPublic: Bool) async throws {
        let (client, report) = try await client(
            #""backchannel.logout.url": "\#(url)""#,
            isPublic: isPublic
        )
        #expect(client != nil, "the client itself is imported")
        #expect(client?.backchannelLogoutURI == nil)
        #expect(report.lines.contains { "\($0)".contains("back-channel logout URL") })
    }
}
