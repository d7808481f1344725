package import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// A browser as far as the Provider's pages need one: cookies, forms, redirects that it does not
/// follow.
package final class TestBrowser: Sendable {
    private let server: ProviderUnderTest
    private let jar = Locked<[String: String]>([:])
    package let address: String

    private let languages: String?
    private let userAgent: String?
    private let host: String?

    /// - Parameters:
    ///   - host: The name that it asks for; the server's own if `nil`.
    ///   - userAgent: `User-Agent`; none by default.
    ///   - languages: `Accept-Language`; none by default.
    package init(
        _ server: ProviderUnderTest,
        from address: String = "192.0.2.1",
        userAgent: String? = nil,
        speaking languages: String? = nil,
        at host: String? = nil
    ) {
        self.server = server
        self.host = host
        self.address = address
        self.languages = languages
        self.userAgent = userAgent
    }

    /// The cookies it would send, by name.
    package var cookies: [String: String] {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    package func get(_ path: String, headers: HTTPFields = [:]) async throws -> Reply {
        keep(
            try await server.send(.get, path, headers: sending(headers), host: host, from: address)
        )
    }

    /// The page that an address leads to.
    package func open(_ path: String, headers: HTTPFields = [:]) async throws -> Reply {
        try await follow(try await get(path, headers: headers), headers: headers)
    }

    /// The page that an answer leads to, on this server.
    package func follow(_ reply: Reply, headers: HTTPFields = [:]) async throws -> Reply {
        var reply = reply
        for _ in 0..<8 {
            guard let location = reply.location, location.hasPrefix("/") else { break }
            reply = try await get(location, headers: headers)
        }
        return reply
    }

    package func post(_ path: String, _ form: [(String, String)], headers: HTTPFields = [:])
        async throws -> Reply
    {
        keep(
            try await server.post(path, form, headers: sending(headers), host: host, from: address)
        )
    }

    /// Sends the page's form back with its hidden fields and `fields`.
    package func submit(_ page: Reply, _ fields: [(String, String)], headers: HTTPFields = [:])
        async throws -> Reply
    {
        let hidden = page.hiddenFields.map { ($0.name, $0.value) }
        let named = Set(fields.map(\.0))
        return try await post(
            page.formAction ?? "/no-form",
            hidden.filter { !named.contains($0.0) } + fields,
            headers: headers
        )
    }

    /// Starts an authorization request.
    package func authorize(_ parameters: [(String, String)]) async throws -> Reply {
        try await get(Self.authorizationPath(parameters, at: server.path(of: "auth")))
    }

    package static func authorizationPath(
        _ parameters: [(String, String)],
        at path: String = ProviderUnderTest.path("auth")
    ) -> String {
        FormEncoding.appending(parameters.map { (name: $0.0, value: $0.1) }, to: path)
    }

    /// Starts a request and signs in on the page that comes.
    package func signIn(_ name: String, _ parameters: [(String, String)]) async throws -> Reply {
        try await submit(try await authorize(parameters), TestRealm.login(name))
    }

    /// Signs out on the Provider's own page.
    package func signOut() async throws {
        let page = try await get(.endpoint("logout"))
        _ = try await submit(page, [("action", "sign-out")])
    }

    /// Whether its person gets a code without being asked for anything.
    package func isSignedIn() async throws -> Bool {
        let silent = TestFlow.request("native1", [("prompt", "none")])
        return try await authorize(silent).redirected["code"] != nil
    }

    /// Another one with the same cookies: a second click, or a thief's copy.
    package func copy() -> TestBrowser {
        let copy = TestBrowser(server)
        copy.cookies = cookies
        return copy
    }

    private func sending(_ headers: HTTPFields) -> HTTPFields {
        var headers = headers
        if let userAgent { headers[.userAgent] = userAgent }
        if let languages { headers[.acceptLanguage] = languages }
        let cookies = jar.withLock { $0 }
        if !cookies.isEmpty, headers[.cookie] == nil {
            headers[.cookie] = cookies.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        return headers
    }

    private func keep(_ reply: Reply) -> Reply {
        for header in reply.headers[values: .setCookie] {
            let pair = header.prefix { $0 != ";" }
            guard let equals = pair.firstIndex(of: "=") else { continue }
            let name = String(pair[..<equals])
            let value = String(pair[pair.index(after: equals)...])
            jar.withLock { $0[name] = header.contains("Max-Age=0") ? nil : value }
        }
        return reply
    }
}
