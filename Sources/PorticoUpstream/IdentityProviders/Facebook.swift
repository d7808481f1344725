import Portico
import PorticoProtocol

extension IdentityProvider {
    /// Facebook: OAuth with a profile at the Graph API (PRV-F-1 to PRV-F-3); with the scope
    /// `openid` the code flow with an ID Token (PRV-F-8); Limited Login's tokens have their own
    /// keys and spelling of the issuer (PRV-F-9). Its addresses are never verified (PRV-F-6).
    static func facebook(_ settings: ProviderSettings) throws(IdentityProviderRefusal)
        -> IdentityProvider
    {
        let standIn = try settings.standIn()
        let origin = standIn ?? "https://www.facebook.com"
        let limited = standIn ?? "https://limited.facebook.com"
        let version = try settings.text(.version) ?? "v23.0"
        guard version.wholeMatch(of: /v[0-9]{1,3}\.[0-9]{1,2}/) != nil else {
            throw .malformed(.version)
        }
        let graph = "\(standIn ?? "https://graph.facebook.com")/\(version)"
        var facebook = try IdentityProvider(settings, issuer: origin)
        if try settings.scopes() == nil { facebook.scopes = ["public_profile", .email] }
        let json: JSONObject = [
            "issuer": .string(origin),
            "authorization_endpoint": .string("\(origin)/\(version)/dialog/oauth"),
            "token_endpoint": .string("\(graph)/oauth/access_token"),
            "jwks_uri": .string("\(origin)/.well-known/oauth/openid/jwks/"),
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        ]
        facebook.profile.metadata = try settings.metadata(json, of: facebook.issuer)
        // The final address: fetching keys does not follow redirects (PRV-F-9).
        var native = json
        native["jwks_uri"] = .string("\(limited)/.well-known/oauth/openid/jwks/")
        facebook.nativeMetadata = try settings.metadata(native, of: facebook.issuer)
        facebook.profile.pkceUnannounced = true
        facebook.profile.algorithms = [.rs256]
        facebook.profile.otherIssuerNames = [limited]
        facebook.profile.otherTokenError = GraphError.tokenError
        facebook.graph = graph
        facebook.loginPrompt = nil
        facebook.reauthentication = [("auth_type", "reauthenticate")]
        facebook.givesIDTokens = facebook.scopes.contains(.openid)
        facebook.emailTrust = .never
        facebook.addsFragment = true
        facebook.pageOrigins =
            [facebook.issuer.pageOrigin] + (standIn == nil ? ["https://m.facebook.com"] : [])
        return facebook
    }
}
