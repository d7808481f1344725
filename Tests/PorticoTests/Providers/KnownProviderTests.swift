import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

/// Providers that apps meet, each in the shape of its documents, from ``SignInClient/begin(_:)`` to a
/// session and a refresh.
@Suite("Known providers") struct KnownProviderTests {
    private func signIn(_ provider: ShapedProvider, _ client: SignInClient) async throws -> Session
    {
        if case .loopback = provider.shape.redirect.kind {
            let browser = FakeBrowser { address in
                let callback = try provider.authorize(address)
                Task { await browse(callback) }
            }
            return try await client.signIn(using: .loopback(open: browser))
        }
        let attempt = try await client.begin()
        return try await attempt.complete(try provider.authorize(attempt.address))
    }

    private func failure(_ provider: ShapedProvider, _ options: SignInClient.Options) async
        -> SignInError.Kind?
    {
        let client = provider.client(options)
        return await thrown {
            let attempt = try await client.begin()
            _ = try await attempt.complete(try provider.authorize(attempt.address))
        }
    }

    @Test("from its metadata to a session, and on to a refresh", arguments: ProviderShape.all)
    func session(shape: ProviderShape) async throws {
        let provider = ShapedProvider(shape)
        let client = provider.client()
        let session = try await signIn(provider, client)
        #expect(session.user.subject == "person-1")
        #expect(session.isActive)
        #expect(session.isRefreshable)
        let first = try await session.token()
        provider.clock.advance(by: 90_000)
        #expect(try await session.token() != first)
        let restored = try #require(await client.restore().session)
        #expect(restored.user == session.user)
        #expect(try await restored.token() == session.token())
    }

    @Test("what they need beyond the standards goes out with the request")
    func parameters() async throws {
        for (shape, parameter) in [
            (ProviderShape.auth0, "&audience=https%3A%2F%2Fapi.example.com"),
            (.cognito, "&identity_provider=Google"),
        ] {
            let attempt = try await ShapedProvider(shape).client().begin()
            #expect(attempt.address.hasSuffix(parameter))
        }
    }

    @Test("RFC 8252 §7.1: an authority in a private-use redirect has to be asked for by name")
    func authority() async throws {
        for (uri, isGood) in [
            ("com.example.notes://host/callback", true), ("com.example.notes://callback", true),
            ("com.example.notes:/callback", false), ("com.example.notes:///callback", false),
            ("notes://host/callback", false), ("https://host/callback", false),
            ("com.example.notes://*/callback", false), ("com.example.notes://h/a#b", false),
        ] {
            var shape = ProviderShape.okta
            shape.redirect = .scheme(uri)
            let plain = await failure(ShapedProvider(shape), shape.options)
            shape.redirect = .schemeWithAuthority(uri)
            let named = await failure(ShapedProvider(shape), shape.options)
            #expect(named == (isGood ? nil : .misconfigured(.redirectInvalid)), "\(uri)")
            if isGood { #expect(plain == .misconfigured(.redirectInvalid), "\(uri)") }
        }
    }

    @Test("roles come from where the provider has them")
    func roles() async throws {
        for (shape, role) in [(ProviderShape.cognito, "editors"), (.keycloak, "editor")] {
            let provider = ShapedProvider(shape)
            let session = try await signIn(provider, provider.client())
            #expect(session.roles.contains(role))
        }
    }

    @Test("PRV-O-2: without the named relaxation, issuers of many tenants are refused")
    func tenants() async throws {
        let shape = ProviderShape.entraCommon
        var options = shape.options
        options.tenantIssuers = nil
        #expect(await failure(ShapedProvider(shape), options) == .rejected(.metadataIssuer))
        for template in [
            "https://login.microsoftonline.com/{tenantid}/v1.0",
            "https://login.microsoftonline.com/{tenantId}/v2.0", "{tenantid}",
            "http://login.microsoftonline.com/{tenantid}/v2.0",
            "https://{tenantid}/v2.0", "https://login.microsoftonline.com/x{tenantid}/v2.0",
            "https://login.microsoftonline.com/{tenantid}/{tenantid}",
            "https://login.microsoftonline.com/v2.0",
        ] {
            options.tenantIssuers = template
            let kind = await failure(ShapedProvider(shape), options)
            #expect([.rejected(.metadataIssuer), .misconfigured(.issuerInvalid)].contains(kind))
        }
    }

    @Test("PRV-O-2: an ID Token's issuer is that of the tenant it names, byte for byte")
    func otherTenant() async throws {
        let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
        let issuer = "https://login.microsoftonline.com/\(tenant)/v2.0"
        for (iss, tid) in [
            (issuer, nil), (issuer, "72f988bf-86f1-41af-91ab-2d7cd011db48"),
            (issuer, tenant.uppercased()), (issuer + "/", tenant),
            ("https://login.microsoftonline.com/{tenantid}/v2.0", "{tenantid}"),
            ("https://login.microsoftonline.com/../v2.0", ".."),
            ("https://login.microsoftonline.com/\(tenant)/../x/v2.0", "\(tenant)/../x"),
        ] as [(String, String?)] {
            var shape = ProviderShape.entraCommon
            shape.claims = ["iss": .string(iss)]
            if let tid { shape.claims["tid"] = .string(tid) }
            #expect(
                await failure(ShapedProvider(shape), shape.options) == .rejected(.issuer),
                "\(iss) \(tid ?? "none")"
            )
        }
        // RFC 9207: an `iss` beside the code may be that of a tenant, and of no one else.
        for (iss, isGood) in [
            (issuer, true), ("https://login.microsoftonline.cow/\(tenant)/v2.0", false),
        ] {
            var shape = ProviderShape.entraCommon
            shape.response = [("iss", iss)]
            let kind = await failure(ShapedProvider(shape), shape.options)
            #expect(kind == (isGood ? nil : .rejected(.issuer)))
        }
    }

    @Test("metadata by hand: nothing is fetched, and it is checked like a document")
    func metadataByHand() async throws {
        let shape = ProviderShape.okta
        let provider = ShapedProvider(shape)
        let document = try JSONObject(parsing: Array(shape.metadata.utf8))
        var options = shape.options
        options.metadata = document
        let session = try await signIn(provider, provider.client(options))
        #expect(session.isActive)
        #expect(!provider.requests.contains(shape.discovery))
        for (name, value, kind) in [
            ("issuer", "https://other.example", .rejected(.metadataIssuer)),
            ("token_endpoint", nil, .misconfigured(.metadataInvalid)),
            ("token_endpoint", "http://dev-1234.okta.com/t", .misconfigured(.endpointInsecure)),
            ("code_challenge_methods_supported", nil, .misconfigured(.pkceNotAnnounced)),
        ] as [(String, JSONValue?, SignInError.Kind)] {
            var document = document
            document[name] = value
            options.metadata = document
            #expect(await failure(ShapedProvider(shape), options) == kind)
        }
    }
}

@Suite("Further parameters of an authorization request") struct FurtherParameterTests {
    private func failure(_ parameters: [String: String]) async -> SignInError.Kind? {
        let scene = Scene()
        let kind = await scene.failure(of: SignInRequest(parameters: parameters))
        if kind != nil { #expect(scene.provider.requests.isEmpty) }
        return kind
    }

    @Test("they are sent in the order of their names, and a request's own replace the client's")
    func sent() async throws {
        var options = SignInClient.Options()
        options.parameters = ["kc_idp_hint": "google", "audience": "a"]
        let scene = Scene(options: options)
        let request = SignInRequest(parameters: ["audience": "b & c", "connection": ""])
        let address = try await scene.client.begin(request).address
        #expect(address.hasSuffix("&audience=b%20%26%20c&connection=&kc_idp_hint=google"))
    }

    @Test(
        "RFC 6749 §10.12, RFC 7636 §7: what the library's checks rest on cannot be set",
        arguments: [
            "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope",
            "state", "nonce", "code_challenge", "code_challenge_method", "request", "request_uri",
            "registration", "login_hint", "prompt", "max_age", "acr_values", "claims",
            "ui_locales", "id_token_hint", "dpop_jkt", "client_assertion", "State",
        ]
    )
    func reserved(name: String) async {
        #expect(await failure([name: "x"]) == .misconfigured(.parameterReserved))
    }

    @Test("a malformed name and too long a value are refused before anything is sent")
    func malformed() async {
        for name in ["", "a b", "a&b", "é", String(repeating: "n", count: 65)] {
            #expect(await failure([name: "x"]) == .misconfigured(.parameterInvalid))
        }
        let long = String(repeating: "v", count: 2049)
        #expect(await failure(["a": long]) == .misconfigured(.parameterInvalid))
        #expect(await failure(["a": String(long.dropLast())]) == nil)
    }
}
