import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// What keycloak-js sends and decodes, in its order.
@Suite("keycloak-js (real-clients F1)") struct AdapterTests {
    private static let moved = Task { try await MovedServer() }

    /// As the adapter decodes tokens: what stands between the first two dots, base64 of JSON.
    private func decoded(_ token: String?) throws -> JSONObject {
        let parts = try #require(token).split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count >= 2)
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        return try JSONObject(parsing: Array(try #require(Data(base64Encoded: text))))
    }

    @Test("decision 0049: sign-in, refresh, profile and sign-out, as the adapter asks for them")
    func walk() async throws {
        let moved = try await Self.moved.value
        let browser = TestBrowser(moved.server)
        let origin: HTTPFields = [.origin: "https://spa.example.com", .accept: "application/json"]
        let redirect = "https://spa.example.com/app"
        var request = MovedServer.request(
            "spa",
            scope: "openid profile email",
            [("response_mode", "fragment")]
        )
        // check-sso by a redirect: no one is signed in.
        let silent = try await moved.authorize(request + [("prompt", "none")], browser)
        #expect(silent.location?.hasPrefix(redirect + "#error=login_required&") == true)
        request += [("ui_locales", "en")]
        let answer = try await moved.signIn("ann", request, browser)
        let fragment = try #require(answer.location?.split(separator: "#").last)
        let form = try FormParameters(decoding: fragment.utf8)
        #expect(form["state"] == "s-1" && form["iss"] != nil)
        let given = try await moved.server.post(
            MovedServer.path("token"),
            TestFlow.redemption(form["code"] ?? "", "spa", [("redirect_uri", redirect)]),
            headers: origin
        )
        let tokens = given.json
        let access = try decoded(tokens.string("access_token"))
        #expect(access.string("sid") == form["session_state"])
        #expect(try decoded(tokens.string("id_token")).string("nonce") == "n-1")
        let refresh = try decoded(tokens.string("refresh_token"))
        #expect(Set(refresh.map(\.name)) == ["exp", "typ", "sid"])
        #expect(refresh.string("typ") == "Refresh")
        #expect(refresh.string("sid") == form["session_state"])
        let now = moved.server.clock.seconds
        #expect(refresh.int64("exp") == now + (tokens.int64("refresh_expires_in") ?? 0))
        // updateToken
        let renewed = try await moved.refresh(
            try #require(tokens.string("refresh_token")),
            "spa",
            headers: origin
        )
        #expect(renewed.status == 200)
        let bearer = "bearer \(try #require(renewed.json.string("access_token")))"
        var headers = origin
        headers[.authorization] = bearer
        // loadUserProfile
        let profile = try await moved.get("/realms/acme/account", headers)
        #expect(profile.status == 200)
        #expect(profile.headers[.accessControlAllowOrigin] == "https://spa.example.com")
        #expect(
            profile.json == [
                "id": "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e01", "username": "ann",
                "firstName": "Ann", "lastName": "Ng", "email": "ann@example.com",
                "emailVerified": true, "attributes": ["team": ["blue"]],
            ]
        )
        let out = FormEncoding.appending(
            [
                (name: "client_id", value: "spa"),
                (name: "post_logout_redirect_uri", value: redirect),
                (name: "id_token_hint", value: renewed.json.string("id_token") ?? ""),
            ],
            to: MovedServer.path("logout")
        )
        #expect(try await browser.get(out).location == redirect)
        let dead = try await moved.refresh(renewed.json.string("refresh_token") ?? "", "spa")
        #expect(dead.error == "invalid_grant")
    }

    @Test("decision 0049: older adapters find the nonce in every token, where a mapper says so")
    func nonce() async throws {
        let moved = try await Self.moved.value
        for (client, has) in [("quiet", true), ("spa", false)] {
            let tokens = try await moved.tokens("ann", client).json
            for name in ["access_token", "refresh_token"] {
                let nonce = try decoded(tokens.string(name)).string("nonce")
                #expect(nonce == (has ? "n-1" : nil), "\(client) \(name)")
            }
            let renewed = try await moved.refresh(
                try #require(tokens.string("refresh_token")),
                client
            )
            #expect(renewed.status == 200)
        }
    }

    @Test("decision 0049: a realm from before version 25 has nonce and session_state in its tokens")
    func formerClaims() async throws {
        let moved = try await MovedServer(
            MovedServer.file.replacing(#""name": "basic""#, with: #""name": "former""#)
        )
        let tokens = try await moved.tokens("ann", "spa").json
        let session = try #require(tokens.string("session_state"))
        for name in ["access_token", "id_token"] {
            let claims = try decoded(tokens.string(name))
            #expect(claims.string("nonce") == "n-1", "\(name)")
            #expect(claims.string("session_state") == session, "\(name)")
        }
        #expect(try decoded(tokens.string("refresh_token")).string("nonce") == "n-1")
        let token = try #require(tokens.string("refresh_token"))
        let renewed = try await moved.refresh(token, "spa").json
        #expect(try decoded(renewed.string("refresh_token")).string("nonce") == nil)
        let later = try await Self.moved.value.tokens("ann", "spa").json
        #expect(try decoded(later.string("access_token")).string("session_state") == nil)
    }

    @Test("decision 0049: an offline token says so, and ends with its grant")
    func offline() async throws {
        let moved = try await Self.moved.value
        let tokens = try await moved.tokens("ann", "spa", scope: "openid offline_access").json
        let claims = try decoded(tokens.string("refresh_token"))
        #expect(claims.string("typ") == "Offline")
        let now = moved.server.clock.seconds
        #expect(claims.int64("exp") == now + (tokens.int64("refresh_expires_in") ?? 0))
    }

    @Test("decision 0035: a lost answer is given again byte for byte, claims and all")
    func repeated() async throws {
        let moved = try await MovedServer()
        let first = try #require(try await moved.tokens("ann", "spa").json.string("refresh_token"))
        moved.server.clock.advance(by: 100)
        let second = try await moved.refresh(first, "spa").json.string("refresh_token")
        moved.server.clock.advance(by: 2)
        let again = try await moved.refresh(first, "spa").json.string("refresh_token")
        #expect(second != nil && second == again && second != first)
        let third = try await moved.refresh(try #require(second), "spa")
        #expect(third.status == 200)
    }

    @Test("decision 0049: what stands before our own token counts for nothing")
    func untrusted() async throws {
        let moved = try await Self.moved.value
        let token = try #require(try await moved.tokens("ann", "spa").json.string("refresh_token"))
        let parts = token.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let others = Base64URL.encode(Array(#"{"exp":1,"typ":"Bearer","sid":"x"}"#.utf8))
        let altered = "\(parts[0]).\(others).\(parts[2])"
        // The bare form of before is the same token.
        let bare = try await moved.refresh(parts[2], "spa").json
        let access = try decoded(bare.string("access_token"))
        #expect(access.string("sub") == "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e01")
        let successor = try #require(bare.string("refresh_token"))
        for text in [altered, "\(parts[0])..\(parts[2])", token] {
            let again = try await moved.refresh(text, "spa").json
            #expect(again.string("refresh_token") == successor)
            #expect(try decoded(again.string("access_token")).string("sid") == access.string("sid"))
        }
        // Used twice, in whatever dress: the family ends.
        moved.server.clock.advance(by: 300)
        #expect(try await moved.refresh(altered, "spa").error == "invalid_grant")
        #expect(try await moved.refresh(successor, "spa").error == "invalid_grant")
    }

    @Test("decision 0049: a text of another form is no refresh token")
    func malformed() async throws {
        let moved = try await Self.moved.value
        let token = try #require(try await moved.tokens("ann", "spa").json.string("refresh_token"))
        let parts = token.split(separator: ".").map(String.init)
        let keycloaks = Base64URL.encode(Array(#"{"alg":"HS512","typ":"JWT","kid":"k"}"#.utf8))
        let long = String(repeating: "a", count: 2600)
        let wrong = parts[2].dropLast() + (parts[2].hasSuffix("A") ? "B" : "A")
        for text in [
            // As Keycloak's own begin: those are for another grant to judge.
            "\(keycloaks).\(parts[1]).\(parts[2])",
            "\(parts[0])=.\(parts[1]).\(parts[2])", ".\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[2])", "\(token).", "\(token).x", "\(parts[0]).\(long).\(parts[2])",
            "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1]).\(parts[2].dropLast())",
            "\(parts[0]).\(parts[1]).\(wrong)", "..", ".",
        ] {
            #expect(try await moved.refresh(text, "spa").error == "invalid_grant", "\(text)")
        }
        // None of them used it up.
        #expect(try await moved.refresh(token, "spa").status == 200)
    }

    @Test("decision 0049: who has no role of the account any more gets no profile by an old token")
    func profileWithoutRole() async throws {
        let moved = try await MovedServer()
        let token = try await moved.tokens("ann", "spa").json.string("access_token") ?? ""
        let headers: HTTPFields = [.accept: "application/json", .authorization: "Bearer " + token]
        #expect(try await moved.get("/realms/acme/account", headers).status == 200)
        let realm = try #require(moved.server.provider.realms.realm(named: "acme"))
        let change = try await moved.server.database.people.remove(
            RoleName(clientID: "account", name: "view-profile"),
            from: "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e01",
            realmID: realm.id
        )
        #expect(change == .changed)
        #expect(try await moved.get("/realms/acme/account", headers).status == 403)
    }

    @Test("decision 0072: the profile has the claims of the token's scope, and no others")
    func profileByScope() async throws {
        let moved = try await Self.moved.value
        let names: Set = ["username", "firstName", "lastName"]
        let address: Set = ["email", "emailVerified"]
        for (scope, members) in [
            ("openid", Set<String>()), ("openid profile", names), ("openid email", address),
            ("openid profile email", names.union(address)),
        ] {
            let token = try await moved.tokens("ann", "spa", scope: scope).json
                .string("access_token")
            let headers: HTTPFields = [
                .accept: "application/json", .authorization: "Bearer \(token ?? "")",
            ]
            let profile = try await moved.get("/realms/acme/account", headers)
            #expect(profile.status == 200)
            let more = members.union(["id", "attributes"])
            #expect(Set(profile.json.map(\.name)) == more, "\(scope): \(profile.text)")
        }
    }

    @Test("decision 0072: of a scope that some roles have the profile tells who has one of them")
    func profileByRole() async throws {
        let seen = #""clientRoles": {"account": ["view-profile"]}"#
        let limits = #""scopeMappings": [{"clientScope": "email", "roles": ["mailed"]}], "#
        var file = MovedServer.file
        for (old, new) in [
            (#""roles": {"client""#, #""roles": {"realm": [{"name": "mailed"}], "client""#),
            (#""clientScopes": ["#, limits + #""clientScopes": ["#),
            (seen, seen + #", "realmRoles": ["mailed"]"#),
            (#"9e02","#, #"9e02", "email": "bob@example.com", \#(seen),"#),
        ] {
            #expect(file.contains(old))
            file = file.replacing(old, with: new)
        }
        let moved = try await MovedServer(file)
        func profile(_ token: String) async throws -> JSONObject {
            let headers: HTTPFields = [
                .accept: "application/json", .authorization: "Bearer " + token,
            ]
            return try await moved.get("/realms/acme/account", headers).json
        }
        func token(_ name: String) async throws -> String {
            let tokens = try await moved.tokens(name, "spa", scope: "openid profile email")
            return try #require(tokens.json.string("access_token"))
        }
        let bob = try await profile(try await token("bob"))
        #expect(bob.string("username") == "bob")
        #expect(bob["email"] == nil && bob["emailVerified"] == nil)
        let access = try await token("ann")
        #expect(try await profile(access).string("email") == "ann@example.com")
        // Who has lost it is not shown by a token of before.
        let realm = try #require(moved.server.provider.realms.realm(named: "acme"))
        let change = try await moved.server.database.people.remove(
            RoleName(clientID: nil, name: "mailed"),
            from: "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e01",
            realmID: realm.id
        )
        #expect(change == .changed)
        let ann = try await profile(access)
        #expect(ann.string("username") == "ann" && ann["email"] == nil)
    }

    @Test("attack: the profile tells a client what mappers give to no one, or to APIs only")
    func profileByMappers() async throws {
        let mapper = #""user.attribute": "team", "claim.name": "team", "id.token.claim": "true"}}"#
        #expect(MovedServer.file.contains(mapper))
        for target in ["none", "introspection.token.claim", "userinfo.token.claim"] {
            let other = #"""
                , {"name": "other", "protocol": "openid-connect",
                   "protocolMapper": "oidc-usermodel-attribute-mapper", "config": {
                     "user.attribute": "secret", "claim.name": "secret",
                     "id.token.claim": "false", "access.token.claim": "false",
                     "userinfo.token.claim": "false", "introspection.token.claim": "false",
                     "lightweight.claim": "false"}}
                """#.replacing("\"\(target)\": \"false\"", with: "\"\(target)\": \"true\"")
            let moved = try await MovedServer(
                MovedServer.file.replacing(mapper, with: mapper + other)
            )
            let token = try await moved.tokens("ann", "spa").json.string("access_token") ?? ""
            let profile = try await moved.get(
                "/realms/acme/account",
                [.accept: "application/json", .authorization: "Bearer " + token]
            )
            #expect(profile.status == 200)
            let isTold = target.hasPrefix("userinfo")
            let attributes = profile.json.object("attributes")
            #expect(attributes?.strings("team") == ["blue"])
            #expect(attributes?.strings("secret") == (isTold ? ["hidden"] : nil), "\(target)")
        }
    }

    @Test("decision 0049: the profile is for live tokens of clients that may see the account")
    func profileRefusals() async throws {
        let moved = try await Self.moved.value
        func ask(_ token: String?, _ headers: HTTPFields = [:]) async throws -> Reply {
            var fields = headers
            fields[.accept] = "application/json"
            fields[.authorization] = token.map { "Bearer " + $0 }
            return try await moved.get("/realms/acme/account", fields)
        }
        let none = try await ask(nil)
        #expect(none.status == 401)
        let tokens = try await moved.tokens("ann", "spa").json
        let access = try #require(tokens.string("access_token"))
        #expect(try await ask(access).status == 200)
        for text in ["x", tokens.string("id_token") ?? "", tokens.string("refresh_token") ?? ""] {
            let reply = try await ask(text)
            #expect(reply.status == 401)
            #expect(reply.json.string("error") == "invalid_token")
        }
        for (name, client, error) in [
            // bob has no role of the account, and this client does not see roles.
            ("bob", "spa", "invalid_token"), ("ann", "plain", "invalid_token"),
            // Without the scope `roles`; with the roles, but meant for nobody; meant for the account,
            // but without a role.
            ("ann", "bare", "invalid_token"), ("ann", "other", "invalid_token"),
            ("ann", "meant", "access_denied"),
        ] {
            let token = try await moved.tokens(name, client).json.string("access_token")
            let reply = try await ask(token)
            #expect(reply.status == (error == "access_denied" ? 403 : 401), "\(client)")
            #expect(reply.json.string("error") == error, "\(client)")
            #expect(reply.json.string("email") == nil)
        }
        let foreign = try await ask(access, [.origin: "https://evil.example"])
        #expect(foreign.headers[.accessControlAllowOrigin] == nil)
        _ = try await moved.server.post(
            MovedServer.path("logout"),
            [("client_id", "spa"), ("refresh_token", tokens.string("refresh_token") ?? "")]
        )
        #expect(try await ask(access).status == 401)
        let own = try await moved.get("/realms/test/account", [.accept: "application/json"])
        #expect(own.status == 401)
    }
}
