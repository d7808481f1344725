import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import Testing

@Suite("Registering a back-channel logout URI") struct BackchannelRegistrationTests {
    private func refusal(of client: Client) throws -> ClientRegistration.Refusal? {
        let registration = ClientRegistration(ring: try Fixture.ring())
        do {
            _ = try registration(
                client,
                schemes: [:],
                algorithms: RealmCreation.firstAlgorithms,
                random: .system
            )
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "OIDCBCL-2.2-1: it is https; http only for a confidential client on this machine",
        arguments: [
            ("https://app.example.com/logout", true, true),
            ("https://app.example.com:8443/logout?a=b", true, true),
            ("https://10.0.0.7/logout", true, true),
            ("http://127.0.0.1:8080/logout", false, true),
            ("http://[::1]:8080/logout", false, true),
            ("http://localhost:8080/logout", false, false),
            ("http://app.example.com/logout", false, false),
            ("http://10.0.0.7/logout", false, false),
            ("http://127.0.0.2/logout", false, false),
        ]
    )
    func schemes(uri: String, forPublic: Bool, forConfidential: Bool) throws {
        for (base, isAdmitted) in [
            (Fixture.native(), forPublic),
            (Fixture.web(), forConfidential),
        ] {
            var client = base
            client.backchannelLogoutURI = HTTPAddress(uri)
            #expect(client.backchannelLogoutURI != nil)
            let refusal = try refusal(of: client)
            #expect(refusal == (isAdmitted ? nil : .backchannelLogoutURI))
            #expect(
                refusal.map { "\($0.field)" } ?? "backchannel_logout_uri"
                    == "backchannel_logout_uri"
            )
        }
    }

    @Test(
        "OIDCBCL-2.2-1: it is absolute and has no fragment",
        arguments: [
            "/logout", "app.example.com/logout", "//app.example.com/logout",
            "https://app.example.com/logout#x", "https://app.example.com/logout#",
            "https://user@app.example.com/logout", "com.example.app:/logout", "javascript:alert",
            "https:///logout", "",
        ]
    )
    func shapes(uri: String) {
        #expect(HTTPAddress(uri) == nil)
    }

    @Test("OIDCBCL-2.2-1: its length is limited, and sid is only for notified clients")
    func bounds() throws {
        var client = Fixture.web()
        client.backchannelLogoutURI = HTTPAddress(
            "https://app.example.com/" + String(repeating: "a", count: 2000)
        )
        #expect(try refusal(of: client) == .backchannelLogoutURI)
        client.backchannelLogoutURI = nil
        client.backchannelLogoutSessionRequired = true
        #expect(try refusal(of: client) == .backchannelLogoutSession)
        client.backchannelLogoutURI = HTTPAddress("https://app.example.com/logout")
        #expect(try refusal(of: client) == nil)
    }
}
