import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Sessions of real clients at a host of the AT Protocol") struct PlayedClientTests {
    private static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    private static let handle = "alice.example.com"

    private func client(_ document: JSONObject) async throws -> PlayedClient {
        let client = try await PlayedClient(did: Self.did, handle: Self.handle)
        try client.publish(document)
        return client
    }

    /// What clients of the profile refuse to go on with.
    private func check(_ reply: Reply) {
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.json.string("token_type") == "DPoP")
        #expect(reply.json.string("sub") == Self.did)
        #expect(reply.json.string("scope") == "atproto transition:generic")
        #expect(reply.json.int64("expires_in").map { $0 > 0 } == true)
        #expect(reply.json["id_token"] == nil)
    }

    /// In the order of the official client: `oauth-client-node`.
    private struct Official {
        static let id = "https://app.example.com/oauth-client-metadata.json"
        static let redirect = "https://app.example.com/oauth/callback"
        static let document: JSONObject = [
            "client_id": .string(id), "client_name": "App", "client_uri": "https://app.example.com",
            "application_type": "web", "redirect_uris": [.string(redirect)],
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "scope": "atproto transition:generic transition:email",
            "token_endpoint_auth_method": "private_key_jwt",
            "token_endpoint_auth_signing_alg": "ES256", "dpop_bound_access_tokens": true,
            "jwks_uri": "https://app.example.com/oauth/jwks.json",
        ]

        static func credentials(_ assertion: String) -> [(String, String)] {
            [("client_id", id), TestFlow.assertionType, ("client_assertion", assertion)]
        }

        static func request(
            _ name: String,
            hint: String? = nil,
            scope: String = "atproto transition:generic",
            prompt: String? = nil
        ) -> [(String, String)] {
            var form = [
                ("scope", scope), ("state", "state-\(name)"), ("redirect_uri", redirect),
                ("code_challenge", Base64URL.encode(Hash256(of: verifier(name)).bytes)),
                ("code_challenge_method", "S256"), ("response_mode", "query"),
                ("response_type", "code"),
            ]
            if let hint { form.append(("login_hint", hint)) }
            if let prompt { form.append(("prompt", prompt)) }
            return form + credentials("par-\(name)")
        }

        static func verifier(_ name: String) -> String {
            name + String(repeating: "v", count: 43)
        }

        static func redemption(_ name: String) -> [(String, String)] {
            [
                ("grant_type", "authorization_code"), ("redirect_uri", redirect),
                ("code", "code-\(name)"), ("code_verifier", verifier(name)),
            ] + credentials("code-\(name)")
        }
    }

    private func push(
        _ client: PlayedClient,
        _ name: String,
        hint: String? = nil,
        prompt: String? = nil
    ) async throws -> Reply {
        let pushed = try await client.post(
            "/oauth/par",
            Official.request(name, hint: hint, prompt: prompt),
            proof: .init(key: name),
            answered: ["request_uri": .string("urn-\(name)")]
        )
        #expect(pushed.status == 201, "\(pushed.text)")
        #expect(pushed.json.int64("expires_in").map { $0 > 0 } == true)
        return try await client.authorize([
            ("client_id", Official.id), ("request_uri", "urn-\(name)"),
        ])
    }

    private func redeem(_ client: PlayedClient, _ name: String) async throws {
        let answer = try client.callback("code-\(name)")
        #expect(answer["code"] != nil && answer["state"] == "state-\(name)")
        #expect(answer["iss"] == PlayedClient.issuer)
        check(
            try await client.post(
                "/oauth/token",
                Official.redemption(name),
                proof: .init(key: name),
                answered: [
                    "access_token": .string("access-\(name)"),
                    "refresh_token": .string("refresh-\(name)"),
                ]
            )
        )
    }

    @Test("ATP-CB-6, ATP-UI-3, ATP-DP-3: the official client signs in, refreshes and signs out")
    func official() async throws {
        let client = try await client(Official.document)
        // By handle. The first proof has no nonce, and the assertion goes out again with the second.
        let first = try await client.post(
            "/oauth/par",
            Official.request("one", hint: Self.handle),
            proof: .init(key: "one", hasNonce: false)
        )
        #expect(first.status == 400 && first.error == "use_dpop_nonce")
        let page = try await push(client, "one", hint: Self.handle)
        #expect(page.status == 200)
        #expect(try await client.signIn().status == 200)
        _ = try await client.submit([("action", "allow")])
        try await redeem(client, "one")
        for number in [1, 2] {
            let refresh = number == 1 ? "refresh-one" : "refresh-again"
            let reply = try await client.post(
                "/oauth/token",
                [("grant_type", "refresh_token"), ("refresh_token", refresh)]
                    + Official.credentials("refresh-\(number)"),
                proof: .init(key: "one"),
                answered: ["refresh_token": "refresh-again", "access_token": "access-one"]
            )
            check(reply)
        }
        // By DID: no page, because nothing is new.
        let silent = try await push(client, "two", hint: Self.did)
        #expect(silent.redirected["code"] != nil, "\(silent.text)")
        try await redeem(client, "two")
        // By server: no one is named, so the person is asked.
        #expect(try await push(client, "three").status == 200)
        _ = try await client.submit([("action", "allow")])
        try await redeem(client, "three")
        // It signs out by the access token.
        for name in ["one", "two"] {
            let reply = try await client.post(
                "/oauth/revoke",
                [("token", "access-\(name)")] + Official.credentials("revoke-\(name)"),
                proof: .init(key: name)
            )
            #expect(reply.status == 200)
        }
        let late = try await client.post(
            "/oauth/token",
            [("grant_type", "refresh_token"), ("refresh_token", "refresh-two")]
                + Official.credentials("late"),
            proof: .init(key: "two")
        )
        #expect(late.status == 400 && late.error == "invalid_grant")
        let other = try await client.post(
            "/oauth/par",
            Official.request("four", scope: "openid"),
            proof: .init(key: "four")
        )
        #expect(other.status == 400 && other.error == "invalid_scope")
        // The official client tells the person's word by the words of real servers.
        _ = try await push(client, "five", hint: Self.handle, prompt: "consent")
        let denied = try await client.submit([("action", "deny")]).redirected
        #expect(denied["error"] == "access_denied" && denied["state"] == "state-five")
        #expect(denied["error_description"] == "The user rejected the request")
        #expect(denied["iss"] == PlayedClient.issuer)
    }

    @Test("ATP-DP-3: the guide's library pushes without a proof, its state is JSON, and it passes")
    func guide() async throws {
        let id = "https://app.example.com/oauth-client-metadata.json"
        let redirect = "https://app.example.com/oauth/callback"
        let client = try await client([
            "client_id": .string(id), "client_name": "App", "redirect_uris": [.string(redirect)],
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "scope": "atproto transition:generic", "token_endpoint_auth_method": "none",
            "application_type": "web", "dpop_bound_access_tokens": true,
        ])
        let state = #"{"handle":"alice.example.com","timestamp":1800000000000,"mobile":true}"#
        let verifier = String(repeating: "v", count: 43)
        let pushed = try await client.post(
            "/oauth/par",
            [
                ("response_type", "code"), ("client_id", id), ("redirect_uri", redirect),
                ("scope", "atproto transition:generic"),
                ("code_challenge", Base64URL.encode(Hash256(of: verifier).bytes)),
                ("code_challenge_method", "S256"), ("state", state), ("login_hint", Self.handle),
            ],
            proof: nil,
            answered: ["request_uri": "urn"]
        )
        #expect(pushed.status == 201, "\(pushed.text)")
        _ = try await client.authorize([("client_id", id), ("request_uri", "urn")])
        _ = try await client.signIn()
        _ = try await client.submit([("action", "allow")])
        #expect(try client.callback("code")["state"] == state)
        // Its key is made here; it begins each request without a nonce.
        func token(_ form: [(String, String)]) async throws {
            let asked = try await client.post("/oauth/token", form, proof: .init(hasNonce: false))
            #expect(asked.status == 400 && asked.error == "use_dpop_nonce")
            check(
                try await client.post(
                    "/oauth/token",
                    form,
                    proof: .init(),
                    answered: ["refresh_token": "refresh"]
                )
            )
        }
        try await token([
            ("grant_type", "authorization_code"), ("client_id", id), ("redirect_uri", redirect),
            ("code", "code"), ("code_verifier", verifier),
        ])
        try await token([
            ("grant_type", "refresh_token"), ("client_id", id), ("refresh_token", "refresh"),
        ])
        let revoked = try await client.post(
            "/oauth/revoke",
            [("token", "refresh"), ("client_id", id)],
            proof: nil
        )
        #expect(revoked.status == 200)
    }
}
