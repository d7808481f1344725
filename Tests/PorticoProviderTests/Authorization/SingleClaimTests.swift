import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Single claims, asked for by claims (OpenID Connect Core §5.5)") struct SingleClaimTests {
    private static let claims = #"{"id_token":{"email":null},"userinfo":{"given_name":null}}"#

    @Test(
        "OpenID Connect Core §3.1.2.4, §5.5: a single claim needs the consent that its scope needs",
        arguments: [
            (#"{"id_token":{"email":null}}"#, "email"),
            (#"{"userinfo":{"email_verified":{"essential":true}}}"#, "email"),
            (#"{"userinfo":{"given_name":null}}"#, "profile"),
            (#"{"id_token":{"phone_number":null}}"#, "phone"),
            (#"{"userinfo":{"address":null}}"#, "address"),
        ]
    )
    func consent(_ claims: String, _ scope: String) async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser()
        let first = try await browser.signIn("alice", TestFlow.request("third", scope: "openid"))
        expectCode(try await browser.submit(first, [("action", "allow")]), of: "third")
        let request = TestFlow.request("third", scope: "openid", [("claims", claims)])
        let silent = TestFlow.change(request, [("prompt", "none")])
        expectError(try await browser.authorize(silent), "consent_required", of: "third")
        let page = try await browser.authorize(request)
        expectPage(page, "consent")
        let named = try await browser.authorize(TestFlow.request("third", scope: "openid \(scope)"))
        expectPage(named, "consent")
        // The page says the same as for the scope.
        #expect(Self.words(page).sorted() == Self.words(named).sorted())
        #expect(Self.words(page).count > Self.words(first).count)
        expectCode(try await browser.submit(page, [("action", "allow")]), of: "third")
        expectCode(try await browser.authorize(silent), of: "third")
    }

    @Test("OpenID Connect Core §3.1.2.4: no one is asked for what the client may not have")
    func notAsked() async throws {
        let server = try await ProviderUnderTest()
        try await server.change("third") { $0.optionalScopes = ["profile"] }
        let browser = TestBrowser(server)
        let first = try await browser.signIn("alice", TestFlow.request("third", scope: "openid"))
        expectCode(try await browser.submit(first, [("action", "allow")]), of: "third")
        let claims = [("claims", #"{"id_token":{"phone_number":null}}"#), ("prompt", "none")]
        let request = TestFlow.request("third", scope: "openid", claims)
        expectCode(try await browser.authorize(request), of: "third")
    }

    /// What the consent page lists.
    private static func words(_ page: Reply) -> [Substring] {
        page.text.split(separator: "<li").dropFirst().map { $0.prefix { $0 != "\n" } }
    }

    @Test("OpenID Connect Core §5.5: a client gets no single claim whose scope it may not ask for")
    func registered() async throws {
        let server = try await ProviderUnderTest()
        try await server.change("native1") { $0.optionalScopes = ["profile"] }
        let tokens = try await server.tokens(scope: "openid", [("claims", Self.claims)])
        let token = try tokens.claims
        #expect(token["email"] == nil)
        let access = try tokens.accessToken
        #expect(try await server.userInfo(access).json.string("given_name") == "Alice")
        let both = #"{"id_token":{"given_name":null},"userinfo":{"email":null}}"#
        let others = try await server.tokens(scope: "openid", [("claims", both)])
        let further = try others.accessToken
        #expect(try await server.userInfo(further).json["email"] == nil)
        #expect(try others.claims.string("given_name") == "Alice")
    }

    @Test("attack: a single claim goes round the roles of its scope, or comes from another scope")
    func limitedScope() async throws {
        let server = try await ProviderUnderTest { new in
            let editor = RoleName(clientID: nil, name: "editor")
            var staff = ClientScope(
                id: UniqueID(random: .system).text,
                realmID: new.realm.id,
                name: "staff"
            )
            for index in new.scopes.indices {
                let scope = new.scopes[index]
                if scope.name == "email" {
                    new.scopes[index].isLimited = true
                    new.roleLimits.append(RoleLimit(owner: .scope(scope.id), role: editor))
                } else if scope.name == "profile" {
                    staff.mappers = scope.mappers.filter { $0.claim?.root == "given_name" }
                    new.scopes[index].mappers.removeAll(where: staff.mappers.contains)
                }
            }
            #expect(staff.mappers.count == 1)
            new.scopes.append(staff)
        }
        let asked = ("claims", #"{"id_token":{"email":null,"given_name":null,"family_name":null}}"#)
        for (name, address) in [("alice", "alice@example.com"), ("bob", nil)] {
            let tokens = try await server.tokens(name, scope: "openid", [asked])
            let claims = try tokens.claims
            #expect(claims.string("email") == address, "\(name)")
            #expect(claims.string("family_name") == "Example")
            #expect(claims["given_name"] == nil)
        }
    }
}
