import ArgumentParser
import PorticoBackend
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoUpstream

/// The settings of an identity provider as options: one for each row that has a help. The others are set by no command.
enum ProviderTable: OptionTable {
    typealias Row = (
        name: String, setting: ProviderSetting?, handle: HandleSetting?, shape: TableOption.Shape,
        value: String, help: String
    )

    static let rows: [Row] = [
        (
            "client-id", .clientID, nil, .text, "id",
            "Our ID at the provider: client ID, app ID, or Apple's Services ID."
        ), ("display-name", .displayName, nil, .text, "text", "The text on its button."),
        (
            "issuer", .issuer, nil, .text, "url",
            "keycloak, oidc: the issuer, exactly as the provider writes it."
        ), ("team-id", .teamID, nil, .text, "id", "apple: the ten characters of the team."),
        (
            "key-id", .keyID, nil, .text, "id",
            "apple: the ID of the key. keycloak, oidc: of our private key."
        ),
        (
            "scopes", .scopes, .scope, .text, "scopes",
            "What to ask for, instead of the default; several with spaces."
        ),
        (
            "authentication", .authentication, nil, .text, "method",
            "keycloak, oidc: client_secret_basic, client_secret_post or private_key_jwt, instead of "
                + "the one that fits the provider."
        ),
        (
            "algorithm", .algorithms, nil, .list, "algorithm",
            "keycloak, oidc: what ID Tokens must be signed with. Repeat for several."
        ),
        (
            "trusted-audience", .trustedAudiences, nil, .list, "id",
            "keycloak, oidc: what ID Tokens may name as audience beside us. Repeat for several."
        ),
        (
            "tenant-issuers", .tenantIssuers, nil, .text, "url",
            "keycloak, oidc: the issuer in the metadata, if it has {tenantid}: any tenant can sign in."
        ),
        (
            "hosted-domain", .hostedDomains, nil, .list, "domain",
            "google: allow only this Workspace domain. Repeat for several."
        ),
        (
            "other-issuer", .otherIssuers, nil, .list, "url",
            "apple: another spelling of its issuer. Repeat for several."
        ),
        (
            "graph-version", .version, nil, .text, "version",
            "facebook: the version of the Graph API, such as v23.0."
        ), ("offline", .offline, nil, .flag, "", "google: whether a refresh token is asked for."),
        (
            "pkce-unannounced", .pkceUnannounced, nil, .flag, "",
            "keycloak, oidc: whether to send PKCE even if the provider does not announce it."
        ),
        (
            "dpop", .dpop, nil, .flag, "",
            "keycloak, oidc: whether tokens are bound to a key of each sign-in (DPoP)."
        ),
        (
            "allow-insecure-loopback", .allowInsecureLoopback, nil, .flag, "",
            "keycloak, oidc: whether the issuer may be http on this machine."
        ),
        (
            "client-name", nil, .clientName, .text, "text",
            "atproto: our name, which hosts may show."
        ),
        (
            "public", nil, .public, .flag, "",
            "atproto: whether we are a public client, without keys: sessions last two weeks."
        ),
        (
            "directory", nil, .directory, .text, "url",
            "atproto: the directory of DIDs, instead of https://plc.directory."
        ),
        (
            "default-domain", nil, .defaultDomain, .text, "domain",
            "atproto: proposed for a name without a dot, by default bsky.social."
        ), ("logo", nil, .logo, .text, "url", "atproto: our logo, for hosts to show."),
        ("terms", nil, .terms, .text, "url", "atproto: our terms of service."),
        ("privacy", nil, .privacy, .text, "url", "atproto: our privacy notice."),
        ("stand-in", .standIn, nil, .text, "", ""),
        ("former-scopes", nil, .formerScope, .text, "", ""),
        ("scopes-from", nil, .scopeFrom, .text, "", ""),
    ]

    static var options: [TableOption] {
        rows.filter { !$0.help.isEmpty }
            .map { TableOption(name: $0.name, shape: $0.shape, help: .value($0.value, $0.help)) }
    }

    /// The settings of a kind, in their order, with their names in a record.
    static func settings(of kind: ProviderKind) -> [(row: Row, key: String)] {
        let found: [(Row?, String)] =
            switch kind {
            case .handles:
                HandleSetting.allCases.map { one in (rows.first { $0.handle == one }, one.rawValue)
                }
            case .upstream:
                ProviderSetting.allCases.map { one in
                    (rows.first { $0.setting == one }, one.rawValue)
                }
            }
        return found.compactMap { row, key in row.map { ($0, key) } }
    }

    static func label(_ row: Row) -> String {
        switch row.setting {
        case .pkceUnannounced: "PKCE unannounced"
        case .dpop: "DPoP"
        default: row.name.prefix(1).uppercased() + row.name.dropFirst().replacing("-", with: " ")
        }
    }
}

/// The fields of a new or changed identity provider. What is left out stays as it is; a list is
/// replaced as a whole, and one empty value clears it.
typealias ProviderFields = TableOptions<ProviderTable>

extension ProviderFields {
    /// The settings with the given ones put in.
    ///
    /// - Throws: where a setting was given that a provider of this kind does not have.
    func settings(of kind: ProviderKind, over former: JSONObject = [:]) throws(Failure)
        -> JSONObject
    {
        for row in ProviderTable.rows where said[row.name] != nil && !kind.has(row) {
            throw Failure(
                .usage,
                "A provider of kind \(kind.name) has no --\(row.name).",
                "See: portico provider add --help"
            )
        }
        var settings = former
        for (row, key) in ProviderTable.settings(of: kind) {
            guard let said = said[row.name] else { continue }
            settings[key] = Self.value(said, row, kind)
        }
        return settings
    }

    private static func value(_ said: Said, _ row: ProviderTable.Row, _ kind: ProviderKind)
        -> JSONValue?
    {
        switch said {
        case .flag(let isOn): return isOn ? true : nil
        case .texts(let texts) where texts == [""]: return nil
        case .texts(let texts) where row.shape == .list: return .array(texts.map(JSONValue.string))
        case .texts(let texts) where row.setting == .scopes:
            let scopes = texts[0].split(separator: " ").map(String.init)
            // One text at hosts of the AT Protocol, and a list elsewhere.
            return kind == .handles
                ? .string(scopes.joined(separator: " ")) : .array(scopes.map(JSONValue.string))
        case .texts(let texts): return .string(texts[0])
        }
    }
}

extension ProviderSetting {
    /// The option of `portico provider add` that sets it.
    var option: String {
        "--" + (ProviderTable.rows.first { $0.setting == self }?.name ?? rawValue)
    }
}

extension HandleSetting {
    /// The same.
    var option: String { "--" + (ProviderTable.rows.first { $0.handle == self }?.name ?? rawValue) }
}

enum ProviderKind: Hashable, Sendable {
    case upstream(IdentityProvider.Kind)
    /// Internet handles: each person's host is another.
    case handles

    init?(_ record: ProviderRecord) { self.init(argument: record.kind) }

    var name: String {
        switch self {
        case .upstream(let kind): kind.rawValue
        case .handles: HandleProvider.kind
        }
    }

    func has(_ row: ProviderTable.Row) -> Bool {
        switch self {
        case .upstream(let kind): row.setting.map(kind.settings.contains) ?? false
        case .handles: row.handle != nil
        }
    }
}

extension ProviderRecord {
    var words: [String] {
        var words = [kind]
        if name != kind { words += ["--name", name] }
        let kind = ProviderKind(self) ?? .handles
        for (row, key) in ProviderTable.settings(of: kind) where !row.help.isEmpty {
            words += Self.words("--" + row.name, settings[key], row.setting == .scopes)
        }
        return words + (kind == .handles || sealedSecret != nil ? [] : ["--without-secret"])
    }

    private static func words(_ option: String, _ value: JSONValue?, _ isOne: Bool) -> [String] {
        if let text = value?.string { return [option, text] }
        if let texts = value?.strings {
            return isOne
                ? [option, texts.joined(separator: " ")] : texts.flatMap { [option, $0] }
        }
        return value?.bool == true ? [option] : []
    }
}

extension ProviderKind: ExpressibleByArgument {
    init?(argument: String) {
        if argument == HandleProvider.kind {
            self = .handles
        } else if let kind = IdentityProvider.Kind(rawValue: argument) {
            self = .upstream(kind)
        } else {
            return nil
        }
    }

    static var allValueStrings: [String] {
        IdentityProvider.Kind.allCases.map(\.rawValue) + [HandleProvider.kind]
    }
}
