import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("When clients are told of a logout") struct WokenLogoutTests {
    /// What ends sessions in other browsers.
    enum Ending: CaseIterable {
        case mailedLink, forgottenPassword, changedPassword, addedApp, devices
    }

    @Test(
        "OIDCBCL-2.5-1: clients are told at once of sessions that end from another browser",
        .timeLimit(.minutes(2)),
        arguments: Ending.allCases
    )
    func atOnce(_ ending: Ending) async throws {
        let receiver = try LogoutReceiver()
        let server = try await ProviderUnderTest(
            tellingBy: receiver.transport,
            wakes: true,
            sendsMail: true
        ) { new in
            new.clients[client: "web1"].backchannelLogoutURI = receiver.uri()
            guard ending == .changedPassword else { return }
            // Where apps ask people to do something.
            new.clients[client: "native1"].becomeImported()
        }
        let tokens = try await server.tokens("alice", "web1")
        server.clock.advance(by: 10)
        #expect(receiver.requests.isEmpty)
        try await end(ending, server)
        try await waitUntil("the client is told", within: 20) { !receiver.requests.isEmpty }
        let sid = try tokens.claims.string("sid")
        let told = try receiver.tokens.map { try JWT(parsing: $0).uncheckedClaims().string("sid") }
        #expect(sid != nil && told == [sid])
    }

    private func end(_ ending: Ending, _ server: ProviderUnderTest) async throws {
        let browser = TestBrowser(server)
        let new = ("password", ResetWalk.password)
        switch ending {
        case .mailedLink:
            let actions = [RequiredAction.updatePassword]
            let link = try await ActionLinkTests.link(actions, to: "alice", server)
            let done = try await browser.submit(try await browser.get(link), [new])
            #expect(done.text.contains("Your password has been changed"))
        case .forgottenPassword:
            let walk = ResetWalk(server)
            #expect(try await walk.browser.submit(walk.open(), [new]).status == 200)
        case .changedPassword:
            let action = ("kc_action", "UPDATE_PASSWORD")
            let request = TestFlow.request("native1", scope: "openid", [action])
            let page = try await browser.signIn("alice", request)
            expectPage(page, "required-action")
            let done = try await browser.submit(page, [new])
            #expect(done.redirected["kc_action_status"] == "success")
        case .addedApp:
            let (browser, page) = try await SecondFactorAccountTests.signedIn(server)
            let setup = try await browser.press(page, [("action", "add")])
            let app = try SecondFactorAccountTests.app(setup)
            let code = SecondFactorAccountTests.code(app, server)
            let sent = [("action", "confirm"), ("code", code), ("others", "1")]
            #expect(try await browser.press(setup, sent).text.contains("has been added"))
        case .devices:
            _ = try await server.tokens("alice", "native1", browser: browser)
            let path = "/realms/test/account/devices"
            let page = try await browser.get(path)
            let form = page.formProof + [("action", "end-others")]
            _ = try await browser.post(path, form)
        }
    }
}
