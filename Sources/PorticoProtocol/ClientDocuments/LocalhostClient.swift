import PorticoBytes

/// The client that an app in development is, without a document (AT Protocol, OAuth, Localhost
/// Client Development): `http://localhost`, with its redirect URIs and its scope as a query.
package struct LocalhostClient: Hashable, Sendable {
    package let document: ClientDocument

    /// Whether a client identifier is meant as one: it begins with `http://`.
    package static func isMeant(by clientID: String) -> Bool {
        clientID.dropping("http://") != nil
    }

    /// - Throws: `.address`, or `.scope`.
    package init(_ clientID: String) throws(ClientDocumentRefusal) {
        guard clientID.utf8.count <= 2048, clientID.utf8.allSatisfy(\.isURICharacter),
            let rest = clientID.dropping("http://localhost")
        else { throw .address }
        let query = rest.utf8.first == UInt8(ascii: "/") ? rest.utf8.dropFirst() : rest.utf8[...]
        guard query.isEmpty || query.first == UInt8(ascii: "?"),
            !query.contains(UInt8(ascii: "#"))
        else { throw .address }
        let parameters: [(name: String, value: String)]
        do {
            parameters = try FormParameters(decoding: query.dropFirst()).all
        } catch {
            throw .address
        }
        let redirects = parameters.filter { sameBytes($0.name, "redirect_uri") }.map(\.value)
        let scopes = parameters.filter { sameBytes($0.name, "scope") }.map(\.value)
        guard redirects.count <= 32, scopes.count <= 1,
            redirects.count + scopes.count == parameters.count
        else { throw .address }
        let uris = redirects.isEmpty ? ["http://127.0.0.1/", "http://[::1]/"] : redirects
        document = ClientDocument(
            localhost: clientID,
            redirectURIs: try uris.map(Self.redirectURI),
            scope: try Self.scope(scopes.first ?? "atproto")
        )
    }

    private static func redirectURI(_ text: String) throws(ClientDocumentRefusal) -> RedirectURI {
        let uri = RedirectURI(text)
        do {
            try uri.checkRegistrable(development: false)
        } catch {
            throw .address
        }
        guard uri.kind == .loopback else { throw .address }
        return uri
    }

    private static func scope(_ text: String) throws(ClientDocumentRefusal) -> Scope {
        do {
            let scope = try Scope(text)
            if sameBytes(scope.text, text), scope.contains("atproto") { return scope }
        } catch {
            // It says the same.
        }
        throw .scope
    }
}
