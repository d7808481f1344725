import PorticoAdministration
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The attributes of a client as Keycloak writes them: texts under dotted names. Those of its file
/// stand, as long as they still say what is kept here.
struct ClientAttributesRepresentation {
    private let client: Client
    private let realm: Realm
    private let kept: JSONObject

    init(_ client: Client, in realm: Realm) {
        self.client = client
        self.realm = realm
        kept = client.kept.object.object("attributes") ?? JSONObject()
    }

    var json: JSONObject {
        var json = kept
        if !client.postLogoutRedirectURIs.isEmpty {
            json["post.logout.redirect.uris"] = .string(
                client.postLogoutRedirectURIs.map(\.text).joined(separator: "##")
            )
        }
        setTokens(in: &json)
        setLogout(in: &json)
        let pkce = "pkce.code.challenge.method"
        if client.codeProtection != .pkce {
            json[pkce] = nil
        } else if text(pkce) == nil {
            json[pkce] = "S256"
        }
        setProtection(in: &json)
        if client.grantTypes.contains(.authorizationCode) {
            let refreshes = client.grantTypes.contains(.refreshToken)
            if (text("use.refresh.tokens")?.isTrue ?? true) != refreshes {
                json["use.refresh.tokens"] = .string("\(refreshes)")
            }
        }
        // `try?`: a set that cannot be read is not the one that is kept.
        let keySet = text("jwks.string").flatMap { try? JSONValue(parsing: Array($0.utf8)) }
        if let now = client.keySet, now != keySet {
            json["jwks.string"] = .string(String(decoding: now.serialized(), as: UTF8.self))
            json["use.jwks.string"] = "true"
        }
        // Beside that, an import takes none that stand here.
        if client.keySet != nil { set("use.jwks.url", where: false, in: &json) }
        return json
    }

    /// Those of its file, with what it is protected by.
    var protecting: JSONObject {
        var json = kept
        setProtection(in: &json)
        return json
    }

    private func setProtection(in json: inout JSONObject) {
        set(
            "require.pushed.authorization.requests",
            where: client.requiresPushedRequests,
            in: &json
        )
        set("dpop.bound.access.tokens", where: client.dpopBoundAccessTokens, in: &json)
        // An import disables what was bound so. A command has enabled it, and binds nothing.
        if client.isEnabled {
            set("tls.client.certificate.bound.access.tokens", where: false, in: &json)
        }
    }

    private func setTokens(in json: inout JSONObject) {
        let bounds = Realm.Lifetimes.longestAccessToken
        let lifespan = text("access.token.lifespan").flatMap { Int64($0) }.flatMap { seconds in
            seconds > 0 ? min(max(seconds, bounds.lowerBound), bounds.upperBound) : nil
        }
        if lifespan != client.accessTokenLifetime {
            json["access.token.lifespan"] = client.accessTokenLifetime.map { .string("\($0)") }
        }
        for (name, now) in [
            ("id.token.signed.response.alg", client.idTokenAlgorithm),
            ("access.token.signed.response.alg", client.accessTokenAlgorithm),
            (ClientAttributes.userInfo, client.userInfoAlgorithm),
        ] where text(name).flatMap(SignatureAlgorithm.init(rawValue:)) != now {
            json[name] = now.map { .string($0.rawValue) }
        }
        let isTyped = (client.accessTokenType ?? realm.accessTokenType) == .atJWT
        set("access.token.header.type.rfc9068", where: isTyped, in: &json)
        set(ClientAttributes.lightweight, where: client.tokenForm == .lightweight, in: &json)
        for (name, rule) in Compatibility.attributes {
            set(name, where: client.compatibility.contains(rule), in: &json)
        }
        let levels = client.acrLevels
        if ACRLevels.read(text(ACRLevels.attribute)) != levels {
            json[ACRLevels.attribute] = levels.map { .string(ACRLevels.written($0)) }
        }
    }

    private func setLogout(in json: inout JSONObject) {
        let url = "backchannel.logout.url"
        let required = "backchannel.logout.session.required"
        guard let now = client.backchannelLogoutURI else {
            // One that is not admitted here stays in the file.
            var former = client
            former.backchannelLogoutURI = text(url).flatMap(HTTPAddress.init)
            if former.hasAdmissibleBackchannelLogout { json[url] = nil }
            return
        }
        if text(url) != now.text { json[url] = .string(now.text) }
        set(required, where: client.backchannelLogoutSessionRequired, in: &json)
    }

    /// A text that is empty counts as missing.
    private func text(_ name: String) -> String? {
        let text: String? =
            switch kept[name] {
            case .string(let text)?: text
            case .bool(let bool)?: "\(bool)"
            case .integer(let integer)?: "\(integer)"
            default: nil
            }
        return text?.isEmpty == false ? text : nil
    }

    /// What is on or off, and off where it is missing.
    private func set(_ name: String, where isOn: Bool, in json: inout JSONObject) {
        guard (text(name)?.isTrue ?? false) != isOn else { return }
        json[name] = isOn ? "true" : nil
    }
}
