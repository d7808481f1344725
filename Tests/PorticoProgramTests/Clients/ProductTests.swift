import ArgumentParser
import Foundation
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import Testing

@testable import PorticoProgram

@Suite("Products that are known")
struct ProductTests {
    private static let products = (try? ClientProduct.all()) ?? []  // `try?`: a test says so

    @Test("those that were promised are there, and nothing in the file is broken")
    func present() throws {
        let names = try ClientProduct.all().map(\.name)
        let promised = [
            "spring", "spring-resource-server", "oauth2-proxy", "kubelogin", "kube-apiserver",
            "nextauth", "express-openid-connect", "django-allauth", "mozilla-django-oidc",
            "social-auth", "jupyterhub", "synapse", "streamlit", "minio", "step-ca", "dex",
            "mod_auth_openidc", "grafana", "gitea", "openid-client", "oidc-client-ts", "expo",
            "appauth-ios", "appauth-android", "oidc-agent", "omniauth", "nginx", "keycloak-js",
            "angular", "quarkus", "flask", "php", "traefik", "apisix", "vault", "api",
            "swift",
        ]
        #expect(Set(names).isSuperset(of: promised))
        for name in names { #expect(name.wholeMatch(of: /[a-z0-9_-]+/) != nil, "\(name)") }
    }

    /// The client that `--for` makes, as the realm would keep it.
    private func made(_ product: ClientProduct, urls: [String]) throws -> Client {
        let chosen = try ChosenProduct(product, urls: urls)
        try chosen.check(clientID: product.name)
        let registration = try chosen.registration(of: product.name, hasRedirects: false)
        var client = registration.template.client(id: "c", realmID: "r", clientID: product.name)
        try registration.fields.apply(to: &client, random: .system)
        return try ClientRegistration(ring: try KeyRing(random: .system))(
            client,
            secret: client.type == .public ? .unchanged : .made,
            schemes: [:],
            algorithms: RealmCreation.firstAlgorithms,
            random: .system
        ).client
    }

    @Test(
        "FAPI 2.0 §5.3: the template proves itself by a key, pushes, uses PKCE, and binds its tokens"
    )
    func fapi() throws {
        var client = ClientTemplate.fapi2.client(id: "c", realmID: "r", clientID: "bank")
        client.redirectURIs = [RedirectURI("https://bank.example.com/callback")]
        let key = try SigningKey(generating: .es256, random: .system)
        client.keySet = ["keys": [.object(key.verificationKey.jwk.object)]]
        let made = try ClientRegistration(ring: try KeyRing(random: .system))(
            client,
            schemes: [:],
            algorithms: RealmCreation.firstAlgorithms,
            random: .system
        ).client
        #expect(made.type == .confidential && made.authentication == .privateKeyJWT)
        #expect(made.requiresPushedRequests && made.dpopBoundAccessTokens)
        #expect(made.codeProtection == .pkce && made.secret == nil)
        #expect(made.idTokenAlgorithm == .es256 && made.accessTokenAlgorithm == .es256)
        #expect(
            !made.takesTokenEndpointAudience
                && made.grantTypes == [.authorizationCode, .refreshToken]
        )
    }

    private func values(
        _ product: ClientProduct,
        _ client: Client,
        issuer: String = "https://id.example.com/realms/shop"
    ) -> ProductValues {
        ProductValues(
            urls: RealmURLs(issuer: issuer),
            realm: "shop",
            clientID: client.clientID,
            secret: "the-clients-own-words",
            url: product.url,
            redirectURI: client.redirectURIs.first?.text ?? "",
            postLogoutRedirectURI: client.postLogoutRedirectURIs.first?.text ?? "",
            random: { "RANDOM" }
        )
    }

    @Test("every entry makes a client that may be registered", arguments: products)
    func admissible(product: ClientProduct) throws {
        let client = try made(product, urls: product.hasStandardURL ? [] : [product.url])
        let signsIn = client.grantTypes.contains(.authorizationCode)
        #expect(signsIn == !client.redirectURIs.isEmpty)
    }

    @Test(
        "every configuration is filled in: no placeholder stays, a secret stands in it once",
        arguments: products
    )
    func filled(product: ClientProduct) throws {
        let client = try made(product, urls: [product.url])
        let values = values(product, client)
        let texts = product.configuration.map { values.filled($0.place + "\n" + $0.text) }
        let notes = product.notes.map(values.filled)
        for text in texts + notes {
            // What is left in braces is the product's own.
            let rest = text.matches(of: /\{([a-z_]+)\}/).map { String($0.1) }
            #expect(Set(rest).isSubset(of: ["id_token"]), "\(text)")
        }
        let all = texts.joined()
        #expect(all.contains("https://id.example.com/realms/shop"))
        #expect(all.contains(client.clientID))
        let secrets = all.matches(of: /the-clients-own-words/).count
        #expect(secrets == (client.secret == nil ? 0 : 1))
        #expect(!all.contains("\"\"") || ["nginx", "appauth-ios"].contains(product.name))
    }

    @Test("the commands that notes name can be typed", arguments: products)
    func commands(product: ClientProduct) throws {
        let values = values(product, try made(product, urls: [product.url]))
        for note in product.notes.map(values.filled) {
            for match in note.matches(of: /portico ((?:[^ ,]+ )*[^ ,]+)(?:,|$)/) {
                let words = match.1.split(separator: " ").map(String.init)
                #expect(throws: Never.self, "\(match.1)") { try Program.parseAsRoot(words) }
            }
        }
    }

    @Test("the view of the library allows http for an issuer on this machine, and only for that")
    func loopbackIssuer() throws {
        let product = try ClientProduct.named("swift")
        let client = try made(product, urls: [product.url])
        for (issuer, isAllowed) in [
            ("http://127.0.0.1:8080/realms/demo", true),
            ("https://id.example.com/realms/shop", false),
        ] {
            let values = values(product, client, issuer: issuer)
            let view = values.filled(product.configuration.first?.text ?? "")
            #expect(view.contains("issuer: \"\(issuer)\""))
            #expect(view.contains(",\n    options: .allowInsecureLoopback\n)") == isAllowed)
        }
    }

    @Test(
        "decision 0111: our own app does not ask for what outlives a sign-out; others say what it does",
        arguments: products
    )
    func outlivingSignOut(product: ClientProduct) throws {
        let client = try made(product, urls: [product.url])
        guard client.staySignedIn == .realm else { return }
        let asks = product.configuration.contains {
            $0.text.contains("offline_access") || $0.text.contains("offlineAccess")
        }
        #expect(!asks || product.name != "swift")
        #expect(asks == product.notes.contains { $0.contains("offline_access") })
        // It stays signed in by itself.
        #expect(!product.notes.contains { $0.contains("Without offline_access") })
    }

    @Test("what was never run has its documentation named, and the page says so")
    func honest() throws {
        let page = ProductPage(try ProductFile(ProductList.text)).text
        for product in Self.products {
            #expect(product.hasRun || !product.sources.isEmpty, "\(product.name)")
            let section = page.components(separatedBy: "\n## \(product.name)\n").last ?? ""
            let own = section.components(separatedBy: "\n## ")[0]
            #expect(own.contains("never run") == !product.hasRun, "\(product.name)")
        }
    }

    @Test("each address gets a redirect; what there is one of gets the first")
    func several() throws {
        let product = try ClientProduct.named("synapse")
        let client = try made(product, urls: ["https://a.example/", "https://b.example:8443"])
        let path = "/_synapse/client/oidc"
        #expect(
            client.redirectURIs.map(\.text) == [
                "https://a.example\(path)/callback", "https://b.example:8443\(path)/callback",
            ]
        )
        let logout = "https://a.example\(path)/backchannel_logout"
        #expect(client.backchannelLogoutURI?.text == logout)
    }

    @Test(
        "an address that could end a line or a string of a configuration is refused",
        arguments: [
            "", "app.example.com", "ftp://app.example.com", "https://", "https://a b",
            "https://a.example/?q", "https://a.example/#f", "https://a\"b", "https://a'b",
            "https://a$b", "https://a;b", "https://a{b}", "https://a.example/'",
            "https://a.example/$(id)",
            "https://a.example/\"", "https://a\nb", "https://user@a.example",
            "https://a.example/" + String(repeating: "a", count: 1000),
            "https://" + String(repeating: "e\u{301}", count: 2000),
        ]
    )
    func addresses(url: String) throws {
        let product = try ClientProduct.named("grafana")
        do {
            _ = try ChosenProduct(product, urls: [url])
            Issue.record("\(url.prefix(40)) was taken")
        } catch {
            #expect(error.problem == .wrongValue)
            #expect(error.what.utf8.count < 2000)
        }
    }

    @Test("an app on a device is at its own scheme: an address of the web is another registration")
    func scheme() throws {
        for name in ["expo", "appauth-ios"] {
            let product = try ClientProduct.named(name)
            for url in ["https://app.example.com", "http://127.0.0.1:8081/cb"] {
                #expect(throws: Failure.self) { try ChosenProduct(product, urls: [url]) }
            }
            #expect(throws: Never.self) { try ChosenProduct(product, urls: ["com.example:/cb"]) }
        }
    }

    @Test(
        "an address that was said by another option is as good as one of --url",
        arguments: [
            "https://a.example/cb'+alert(1)+'", "https://a.example/$(id)", "https://a.example/;id",
            "https://a.example/x?a=1&client_id=evil", "https://a.example/%26",
            "https://a.example/+",
            "https://a.example/`id`", "https://a.example/\"", "https://a.example/\\",
        ]
    )
    func otherAddresses(uri: String) throws {
        let chosen = try ChosenProduct(try ClientProduct.named("grafana"), urls: [])
        var client = try made(
            try ClientProduct.named("grafana"),
            urls: ["https://grafana.example.com"]
        )
        #expect(throws: Never.self) { try chosen.check(addressesOf: client) }
        let redirects = client.redirectURIs
        client.redirectURIs.append(RedirectURI(uri))
        #expect(throws: Failure.self) { try chosen.check(addressesOf: client) }
        client.redirectURIs = redirects
        client.postLogoutRedirectURIs.append(RedirectURI(uri))
        #expect(throws: Failure.self) { try chosen.check(addressesOf: client) }
    }

    @Test(
        "a client_id is quoted where YAML could take it for a number or a truth",
        arguments: products
    )
    func quoted(product: ClientProduct) {
        for part in product.configuration where !part.text.contains("--") {
            for line in part.text.split(separator: "\n") {
                let value = line.drop { $0 == " " }
                #expect(!value.hasSuffix(": {client_id}") && value != "- {client_id}", "\(line)")
            }
        }
    }

    @Test(
        "a client_id that a configuration would have to quote is refused",
        arguments: [
            "", "a b", "a\"b", "a'b", "a$(b)", "a:b", "a\\b", String(repeating: "a", count: 201),
        ]
    )
    func clientIDs(clientID: String) throws {
        let chosen = try ChosenProduct(try ClientProduct.named("kubelogin"), urls: [])
        #expect(throws: Failure.self) { try chosen.check(clientID: clientID) }
        #expect(throws: Never.self) { try chosen.check(clientID: "a-B_1.c") }
    }

    @Test("what no product is called is a wrong value, with the nearest name and all of them")
    func unknown() {
        for (name, nearest) in [
            ("sprng", "spring"), ("Grafana", "grafana"), ("", nil), ("zzzz", nil),
            (String(repeating: "e\u{301}", count: 8000), nil),
        ] as [(String, String?)] {
            do {
                _ = try ClientProduct.named(name)
                Issue.record("\(name.prefix(20)) is known")
            } catch let failure as Failure {
                #expect(failure.problem.exitStatus == .usage)
                #expect(failure.what.utf8.count < 1000)
                #expect(failure.advice.last?.contains("Available: angular api") == true)
                #expect(failure.advice.count == (nearest == nil ? 1 : 2))
                if let nearest {
                    #expect(failure.advice.first == "Did you mean \"\(nearest)\"?")
                }
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test("what is filled in is not looked at again, and other braces stay as they are")
    func once() {
        let filled = ProductValues.fill("{url} {issuer}{ client_id }{baseUrl}{}{{url}} {url") {
            $0 == .url ? "{issuer}" : "I"
        }
        #expect(filled == "{issuer} I{ client_id }{baseUrl}{}{{issuer}} {url")
    }
}

extension ClientProduct: CustomTestStringConvertible {
    var testDescription: String { name }
}

@Suite("The file with the products")
struct ProductFileTests {
    private static let entry = """
        | Before.
        # A remark.
        = some
        title: Some
        url: https://a.example
        options: --template web
        options: --pkce
        works: All.
        source: https://docs.example
        note: First: one.
        note: Second.
        file: a.yml
        | # not a remark
        |
        | b: c
        """

    @Test("an entry is read as it stands")
    func read() throws {
        let file = try ProductFile(Self.entry)
        #expect(file.beginning == "Before.\n")
        let product = try #require(file.products.first)
        #expect(product.name == "some")
        #expect(product.options == ["--template", "web", "--pkce"])
        #expect(product.notes == ["First: one.", "Second."])
        #expect(!product.hasRun && !product.hasStandardURL && !product.isNative)
        #expect(product.configuration.map(\.place) == ["a.yml"])
        #expect(product.configuration.map(\.text) == ["# not a remark\n\nb: c\n"])
    }

    @Test(
        "what is missing, unknown or misplaced is told by its line",
        arguments: [
            ("title: Some\n", "", 3), ("works: All.\n", "", 3), ("url: https://a.example\n", "", 3),
            ("url:", "standard-url: https://b.example\nurl:", 3), ("file: a.yml\n", "", 12),
            ("source: https://docs.example\n", "", 3), ("note:", "nota:", 10),
            ("= some\n", "", 3), ("works: All.", "works", 8),
        ]
    )
    func faults(old: String, new: String, line: Int) {
        let text = Self.entry.replacing(old, with: new, maxReplacements: 1)
        do {
            _ = try ProductFile(text)
            Issue.record("\(old) is not missed")
        } catch {
            #expect(error.line == line, "\(old): \(error)")
        }
    }

    @Test("two entries of one name are refused")
    func twice() {
        #expect(throws: ProductFile.Fault.self) {
            try ProductFile(Self.entry + "\n" + Self.entry.dropFirst(10))
        }
    }
}

@Suite("A claim on the command line")
struct ClaimSourceTests {
    @Test(
        "what --claim takes is what show writes",
        arguments: [
            ("groups=roles", .realmRoles(prefix: ""), true),
            ("groups=roles:shop", .clientRoles(of: "shop", prefix: ""), true),
            ("a=roles:b:c", .clientRoles(of: "b:c", prefix: ""), true),
            ("p=attribute:x", .attribute("x", aggregates: false), false),
            ("p=attribute:x[]", .attribute("x", aggregates: false), true),
            ("t=value:a=b:c", .fixedClaim("a=b:c"), false),
            ("t=value:", .fixedClaim(""), false),
            ("https://example.com/r=roles", .realmRoles(prefix: ""), true),
        ] as [(String, ClaimMapper.Kind, Bool)]
    )
    func read(text: String, kind: ClaimMapper.Kind, isMultivalued: Bool) throws {
        let mapper = try ClaimSource(text).mapper(id: "m")
        #expect(mapper.kind == kind && mapper.isMultivalued == isMultivalued)
        #expect(mapper.targets == ClaimMapper.Targets.usual)
        #expect("\(mapper.topClaim ?? "")=\(mapper.source ?? "")" == text)
    }

    @Test(
        "anything else is refused, whatever its length",
        arguments: [
            "", "groups", "=roles", "groups=", "groups=role", "groups=roles:", "p=attribute",
            "p=attribute:", "p=attribute:[]", "p=value", "p=Roles",
            "p=value:" + String(repeating: "a", count: 5000),
            String(repeating: "e\u{301}", count: 5000),
        ]
    )
    func refused(text: String) {
        do {
            _ = try ClaimSource(text)
            Issue.record("\(text.prefix(40)) was taken")
        } catch {
            #expect(error.problem == .wrongValue)
            #expect(error.what.utf8.count < 2000)
        }
    }

    @Test("a claim has one source: the latest, in the place of the one before; names are unique")
    func replaced() throws {
        var client = Client(
            id: "c",
            realmID: "r",
            clientID: "c",
            name: "c",
            type: .confidential,
            authentication: .clientSecretBasic
        )
        func apply(_ options: String...) throws {
            try ClientFields.parse(options).apply(to: &client, random: .system)
        }
        try apply("--claim", "a=roles", "--claim", "b=roles")
        let ids = client.mappers.map(\.id)
        try apply("--claim", "a=value:x", "--audience", "api")
        let changed = client
        try apply("--audience", "api", "--claim", "b=roles")
        #expect(client == changed)
        #expect(client.mappers.map(\.name) == ["a", "b", "audience api"])
        #expect(
            client.mappers.map(\.kind) == [
                .fixedClaim("x"), .realmRoles(prefix: ""), .audience("api"),
            ]
        )
        #expect(client.mappers.prefix(2).map(\.id) == ids)
        #expect(client.mappers.last?.targets == [.accessToken, .introspection])
        client.mappers[0].claim = ClaimPath(names: ["a", "b"])
        #expect(throws: Failure.self) { try apply("--claim", "a=roles") }
    }
}
