import PorticoBytes

/// Reads the members of a client's document, each by its rules (RFC 7591 §2; AT Protocol, OAuth).
struct ClientDocumentMembers {
    let json: JSONObject
    let address: ClientIDAddress

    /// What a document must not have at all (Client ID Metadata Document §4.1), and addresses that
    /// only people follow.
    func checkRefused() throws(ClientDocumentRefusal) {
        guard json["client_secret"] == nil, json["client_secret_expires_at"] == nil else {
            throw .secret
        }
        guard json["id_token_signed_response_alg"] == nil else { throw .idTokenAlgorithm }
        if let types = json["response_types"] {
            guard types == ["code"] else { throw .responseTypes }
        }
        // People are known by their DIDs (OpenID Connect Registration §2).
        if let type = json["subject_type"] {
            guard type == "public" else { throw .subjectType }
        }
        for name in ["logo_uri", "tos_uri", "policy_uri"] {
            guard let value = json[name] else { continue }
            guard let text = value.string, HTTPAddress(text)?.isSecure == true else { throw .uri }
        }
    }

    func scope(_ rule: ScopeRule) throws(ClientDocumentRefusal) -> Scope {
        if rule == .named, json["scope"] == nil {
            return Scope(tokens: ["openid", "profile", "email", "offline_access"])
        }
        guard let text = json.string("scope") else { throw .scope }
        let scope: Scope
        do {
            scope = try Scope(text)
        } catch {
            throw .scope
        }
        // Written otherwise than we would: a token twice, or two spaces.
        guard sameBytes(scope.text, text), rule == .named || scope.contains("atproto") else {
            throw .scope
        }
        return scope
    }

    /// `application_type`; a web client if there is none.
    func isNative() throws(ClientDocumentRefusal) -> Bool {
        switch json["application_type"] {
        case nil, "web"?: return false
        case "native"?: return true
        default: throw .applicationType
        }
    }

    func redirectURIs(isNative: Bool) throws(ClientDocumentRefusal) -> [RedirectURI] {
        guard let texts = json.strings("redirect_uris"), (1...32).contains(texts.count) else {
            throw .redirectURIs
        }
        let uris = texts.map(RedirectURI.init)
        for uri in uris {
            guard isAllowed(uri, isNative) else { throw .redirectURI }
        }
        return uris
    }

    /// A native client has its own origin, its scheme, and loopback addresses (RFC 8252 §7).
    private func isAllowed(_ uri: RedirectURI, _ isNative: Bool) -> Bool {
        do {
            try uri.checkRegistrable(development: false)
        } catch {
            return false
        }
        switch uri.kind {
        case .https:
            guard isNative, let origin = uri.httpsOrigin else { return !isNative }
            return sameBytes(origin, "https://\(address.host)")
        case .loopback: return isNative
        case .privateUseScheme: return isNative && sameBytes(uri.scheme, scheme)
        case .http: return false
        }
    }

    /// The private-use scheme of the client's host: `com.example.app` of `app.example.com`.
    private var scheme: String {
        address.host.split(separator: ".").reversed().joined(separator: ".")
    }

    func refreshes() throws(ClientDocumentRefusal) -> Bool {
        guard let value = json["grant_types"] else { return false }
        let known: [JSONValue] = ["authorization_code", "refresh_token"]
        guard let types = value.array, types.contains(known[0]),
            types.allSatisfy({ known.contains($0) })
        else { throw .grantTypes }
        return types.contains(known[1])
    }

    func authentication(isNative: Bool) throws(ClientDocumentRefusal)
        -> ClientDocument.Authentication
    {
        let algorithm = json["token_endpoint_auth_signing_alg"]
        switch json["token_endpoint_auth_method"] {
        case "none"?:
            guard algorithm == nil else { throw .algorithm }
            return .none
        case "private_key_jwt"? where !isNative:
            guard let name = algorithm?.string, let algorithm = SignatureAlgorithm(wire: name)
            else { throw .algorithm }
            return .privateKeyJWT(algorithm, try keys(algorithm))
        default: throw .method
        }
    }

    private func keys(_ algorithm: SignatureAlgorithm) throws(ClientDocumentRefusal)
        -> ClientDocument.Keys
    {
        switch (json["jwks"], json["jwks_uri"]) {
        case (nil, nil): throw .keys
        case (.some, .some): throw .keysAndAddress
        case (let set?, nil):
            guard let object = set.object else { throw .keys }
            return .inline(try ClientDocument.keySet(object, for: algorithm))
        case (nil, let uri?):
            guard let text = uri.string, let address = HTTPAddress(text), address.isSecure else {
                throw .keysAddress
            }
            do {
                try ClientIDAddress.checkHost(of: address, self.address.allowsTest)
            } catch {
                throw .keysAddress
            }
            return .at(address)
        }
    }

    func clientURI() throws(ClientDocumentRefusal) -> String? {
        guard let value = json["client_uri"] else { return nil }
        guard let text = value.string, let uri = HTTPAddress(text),
            sameBytes(uri.origin, address.address.origin)
        else { throw .clientURI }
        return text
    }
}
