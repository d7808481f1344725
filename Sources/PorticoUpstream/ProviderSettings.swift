import Portico
import PorticoBytes
import PorticoProtocol

/// The names of settings, in one table. Any other setting is refused.
///
/// | Setting | For | Means |
/// |---|---|---|
/// | `displayName` | all | what the button says |
/// | `clientID` | all | required: client id, app id, or Services ID |
/// | `scopes` | all | what to request; `openid` decides which flow Facebook uses |
/// | `issuer` | keycloak, oidc | required: exactly as the provider writes it |
/// | `authentication` | keycloak, oidc | `client_secret_basic`, `client_secret_post` or `private_key_jwt` instead of what the metadata offers |
/// | `keyID` | apple; keycloak, oidc | the name of the private key; required for Apple |
/// | `algorithms` | keycloak, oidc | the algorithms required for ID Tokens, among those the metadata lists |
/// | `trustedAudiences` | keycloak, oidc | what an ID Token may name as its audience beside us |
/// | `tenantIssuers` | keycloak, oidc | of a provider with many tenants: what its metadata has as `issuer`, with `{tenantid}` |
/// | `pkceUnannounced` | keycloak, oidc | S256 is sent to a provider that does not announce it (docs/decisions/0032) |
/// | `dpop` | keycloak, oidc | tokens are bound to a key of each sign-in (RFC 9449) |
/// | `allowInsecureLoopback` | keycloak, oidc | the issuer may be http on this machine |
/// | `hostedDomains` | google | Workspace domains, one of which the person must belong to (`hd`) |
/// | `offline` | google | ask for a refresh token |
/// | `version` | facebook | of the Graph API, such as `v23.0` |
/// | `teamID` | apple | required |
/// | `otherIssuers` | apple | further spellings of the issuer, mapped to the same accounts |
/// | `standIn` | all | the address of a stand-in, such as `http://localhost:9001/google`; only where stand-ins are allowed |
package enum ProviderSetting: String, CaseIterable, Sendable {
    case displayName, clientID, scopes
    case issuer, authentication, keyID, algorithms, trustedAudiences, tenantIssuers
    case pkceUnannounced, dpop
    case allowInsecureLoopback
    case hostedDomains, offline
    case version
    case teamID, otherIssuers
    case standIn
}

extension IdentityProvider.Kind {
    /// The settings of this kind of provider.
    package var settings: Set<ProviderSetting> {
        let common: Set<ProviderSetting> = [.displayName, .clientID, .scopes]
        return switch self {
        case .google: common.union([.hostedDomains, .offline, .standIn])
        case .facebook: common.union([.version, .standIn])
        case .apple: common.union([.teamID, .keyID, .otherIssuers, .standIn])
        case .keycloak, .oidc:
            common.union([
                .issuer, .authentication, .keyID, .algorithms, .trustedAudiences,
                .tenantIssuers, .pkceUnannounced, .dpop, .allowInsecureLoopback, .standIn,
            ])
        }
    }
}

/// Why a provider cannot be configured. Its texts are literals.
package enum IdentityProviderRefusal: Error, Hashable, Sendable {
    case name
    /// One of our addresses already uses this name.
    case nameTaken
    /// Not a setting for this kind of provider.
    case unknownSetting
    case missing(ProviderSetting)
    case malformed(ProviderSetting)
    /// An http issuer that is not allowed.
    case insecureIssuer
    /// A tenant must replace the braces (PRV-O-2).
    case templatedIssuer
    case standInRefused
    /// Apple's secret is a private key, and Google's and Facebook's are texts.
    case otherSecret
    case key
    /// The provider does not accept a redirect to this server's public address.
    case publicAddress
}

extension IdentityProviderRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .name: "A provider's name is made of lower-case letters, digits and hyphens."
        case .nameTaken: "A provider cannot have the name of an address of ours below /v1/auth/."
        case .unknownSetting: "There is a setting that a provider of this kind does not have."
        case .missing(let setting): "The setting \(setting.rawValue) is missing."
        case .malformed(let setting): "The setting \(setting.rawValue) is malformed."
        case .insecureIssuer: "The issuer must be https."
        case .templatedIssuer: "The issuer has a placeholder; put the tenant in its place."
        case .standInRefused: "Stand-ins are for demonstrations and tests only."
        case .otherSecret: "The provider needs a secret of another sort."
        case .publicAddress:
            "The provider takes https addresses with a domain name only: set public-url to one."
        case .key: "The private key is not a P-256 key in PEM (PKCS #8)."
        }
    }
}

/// Reads settings, each with its required type.
struct ProviderSettings: Sendable {
    let name: String
    let kind: IdentityProvider.Kind
    let json: JSONObject
    private let allowsStandIns: Bool

    init(
        name: String,
        kind: IdentityProvider.Kind,
        json: JSONObject,
        allowsStandIns: Bool
    ) throws(IdentityProviderRefusal) {
        let isName = name.utf8.allSatisfy {
            $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-")
        }
        guard isName, (1...32).contains(name.utf8.count) else { throw .name }
        let known = ProviderSetting.allCases.filter { json[$0.rawValue] != nil }
        guard known.count == json.count, kind.settings.isSuperset(of: known) else {
            throw .unknownSetting
        }
        self.name = name
        self.kind = kind
        self.json = json
        self.allowsStandIns = allowsStandIns
    }

    /// `null` is no value.
    private func value(_ setting: ProviderSetting) -> JSONValue? {
        guard let value = json[setting.rawValue], value != .null else { return nil }
        return value
    }

    func text(_ setting: ProviderSetting) throws(IdentityProviderRefusal) -> String? {
        guard let value = value(setting) else { return nil }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= 2048 else {
            throw .malformed(setting)
        }
        return text
    }

    func required(_ setting: ProviderSetting) throws(IdentityProviderRefusal) -> String {
        guard let text = try text(setting) else { throw .missing(setting) }
        return text
    }

    func texts(_ setting: ProviderSetting) throws(IdentityProviderRefusal) -> [String]? {
        guard let value = value(setting) else { return nil }
        guard let texts = value.strings, !texts.contains("") else { throw .malformed(setting) }
        return texts
    }

    func flag(_ setting: ProviderSetting) throws(IdentityProviderRefusal) -> Bool {
        guard let value = value(setting) else { return false }
        guard let flag = value.bool else { throw .malformed(setting) }
        return flag
    }

    func scopes() throws(IdentityProviderRefusal) -> [ScopeToken]? {
        guard let texts = try texts(.scopes) else { return nil }
        do {
            for text in texts {
                guard try Scope(text).tokens.count == 1 else {
                    throw IdentityProviderRefusal.malformed(.scopes)
                }
            }
        } catch {
            throw .malformed(.scopes)
        }
        return texts.map { ScopeToken($0) }
    }

    /// The address of a stand-in for the provider.
    func standIn() throws(IdentityProviderRefusal) -> String? {
        guard let text = try text(.standIn) else { return nil }
        guard allowsStandIns else { throw .standInRefused }
        guard let address = HTTPAddress(text), !address.path.hasSuffix("/"), address.query == nil
        else {
            throw .malformed(.standIn)
        }
        return text
    }

    func issuer(_ text: String) throws(IdentityProviderRefusal) -> Issuer {
        guard !text.utf8.contains(UInt8(ascii: "{")) else { throw .templatedIssuer }
        let isStandIn = json[ProviderSetting.standIn.rawValue] != nil
        let allowsLoopback = try flag(.allowInsecureLoopback)
        var issuer: Issuer
        do {
            issuer = try Issuer(
                text,
                plainHTTP: isStandIn || allowsLoopback ? .onLoopback : .nowhere
            )
        } catch {
            throw error == .insecure ? .insecureIssuer : .malformed(.issuer)
        }
        guard let template = try self.text(.tenantIssuers) else { return issuer }
        guard let tenants = IssuerTemplate(template) else { throw .malformed(.tenantIssuers) }
        issuer.tenants = tenants
        return issuer
    }

    /// Metadata that is configured instead of discovered.
    func metadata(_ json: JSONObject, of issuer: Issuer) throws(IdentityProviderRefusal)
        -> ProviderMetadata
    {
        do {
            return try ProviderMetadata(json, of: issuer)
        } catch {
            throw .malformed(.standIn)
        }
    }
}
