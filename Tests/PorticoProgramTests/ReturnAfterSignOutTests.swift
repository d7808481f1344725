import Portico
import PorticoOutbound
import Testing

@Suite("Signing out, and the way back from the browser")
struct ReturnAfterSignOutTests {
    /// A person who signs in where there is a form, and looks at the page where there is none.
    private struct Browser: ExternalBrowser {
        let person: WebPerson
        let password: String

        func open(_ address: String) async throws {
            Task { [person, password] in
                _ = try await person.signIn(at: address, "ann", password)
            }
        }
    }

    @Test(
        "OIDCRPL-3-1, OIDCRPL-3-5, RFC 8252 §7.3: the app learns on a free port that all is over"
    )
    func roundTrip() async throws {
        try await DemoServer.run { server in
            let person = WebPerson()
            let transport = OutboundClient()
            let browser = Browser(person: person, password: server.passwords["ann"] ?? "")
            let client = SignInClient(
                issuer: server.issuer,
                clientID: "portico-cli",
                options: .allowInsecureLoopback,
                transport: transport
            )
            let session = try await client.signIn(using: .loopback(open: browser))
            let report = await session.signOut(using: browser, returnPath: "/signed-out")
            #expect(report.revocation == .revoked)
            #expect(report.browserSession == .ended)
            let refused = await #expect(throws: SignInError.self) {
                _ = try await client.signIn(
                    SignInRequest(prompt: [.none]),
                    using: .loopback(open: browser)
                )
            }
            #expect(refused?.kind == .interactionRequired(.loginRequired))

            // A path that is not registered leads nowhere: the person reads a page, and the app does
            // not wait for ever.
            let other = try await client.signIn(using: .loopback(open: browser))
            let lost = await other.signOut(
                using: browser,
                returnPath: "/elsewhere",
                timeout: .seconds(1)
            )
            #expect(lost.browserSession == .failed(SignInError.timedOut))
            try await person.close()
            try await transport.shutdown()
        }
    }
}

extension SignInError {
    fileprivate static let timedOut = SignInError(.cancelled(.timedOut))
}
