import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Whether a person must be asked") struct ConsentRulesTests {
    @Test(
        "RFC 8252 §8.6: what was allowed before counts on a claimed https redirect only",
        arguments: [
            ("https://app.example.com/cb", false), ("com.example.app:/cb", true),
            ("http://127.0.0.1:4711/cb", true), ("http://[::1]/cb", true),
        ]
    )
    func earlier(uri: String, isNeeded: Bool) throws {
        var client = Client(
            id: "uuid",
            realmID: "realm",
            clientID: "native1",
            name: "Native",
            type: .public,
            authentication: .none
        )
        client.requiresConsent = true
        client.redirectURIs = [RedirectURI(uri)]
        let form = TestFlow.request().map { (name: $0.0, value: $0.1) }
        let rules = ConsentRules(
            client: client,
            redirect: try #require(PermittedRedirect(RedirectURI(uri), of: client, in: nil)),
            request: try AuthorizationRequest(FormParameters(form)),
            scope: try Scope("openid profile")
        )
        #expect(rules.isNeeded(earlier: try Scope("openid profile email")) == isNeeded)
        #expect(rules.dependsOnEarlier == !isNeeded)
        #expect(rules.isNeeded(earlier: try Scope("openid")))
        #expect(rules.isNeeded(earlier: nil))
    }
}
