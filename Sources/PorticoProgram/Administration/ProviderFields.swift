import ArgumentParser
import PorticoBackend
import PorticoProtocol
import PorticoStores
import PorticoUpstream

/// The fields of a new or changed identity provider. What is left out stays as it is; a list is
/// replaced as a whole, and one empty value clears it.
struct ProviderFields: ParsableArguments {
    @Option(
        name: .customLong("client-id"),
        help: .value(
            "id",
            "Our ID at the provider: client ID, app ID, or Apple's Services ID."
        )
    )
    var clientID: String?

    @Option(help: .value("text", "The text on its button.")) var displayName: String?

    @Option(help: .value("url", "keycloak, oidc: the issuer, exactly as the provider writes it."))
    var issuer: String?

    @Option(
        name: .customLong("team-id"),
        help: .value("id", "apple: the ten characters of the team.")
    )
    var teamID: String?

    @Option(
        name: .customLong("key-id"),
        help: .value("id", "apple: the ID of the key. keycloak, oidc: of our private key.")
    )
    var keyID: String?

    @Option(
        help: .value("scopes", "What to ask for, instead of the default; several with spaces.")
    )
    var scopes: String?

    @Option(
        help: ArgumentHelp(
            """
            keycloak, oidc: client_secret_basic, client_secret_post or private_key_jwt, instead of \
            the one that fits the provider.
            """,
            valueName: "method"
        )
    )
    var authentication: String?

    @Option(
        name: .customLong("algorithm"),
        help: .value(
            "algorithm",
            "keycloak, oidc: what ID Tokens must be signed with. Repeat for several."
        )
    )
    var algorithms: [String] = []

    @Option(
        name: .customLong("trusted-audience"),
        help: .value(
            "id",
            "keycloak, oidc: what ID Tokens may name as audience beside us. Repeat for several."
        )
    )
    var trustedAudiences: [String] = []

    @Option(
        help: .value(
            "url",
            "keycloak, oidc: the issuer in the metadata, if it has {tenantid}: any tenant can sign in."
        )
    )
    var tenantIssuers: String?

    @Option(
        name: .customLong("hosted-domain"),
        help: .value("domain", "google: allow only this Workspace domain. Repeat for several.")
    )
    var hostedDomains: [String] = []

    @Option(
        name: .customLong("other-issuer"),
        help: .value("url", "apple: another spelling of its issuer. Repeat for several.")
    )
    var otherIssuers: [String] = []

    @Option(help: .value("version", "facebook: the version of the Graph API, such as v23.0."))
    var graphVersion: String?

    @Flag(inversion: .prefixedNo, help: "google: whether a refresh token is asked for.")
    var offline: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "keycloak, oidc: whether to send PKCE even if the provider does not announce it."
    )
    var pkceUnannounced: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "keycloak, oidc: whether tokens are bound to a key of each sign-in (DPoP)."
    )
    var dpop: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "keycloak, oidc: whether the issuer may be http on this machine."
    )
    var allowInsecureLoopback: Bool?

    @OptionGroup var handles: HandleFields

    /// The settings with the given ones put in, by the names of ``ProviderSetting``, or of
    /// `HandleSetting`.
    ///
    /// - Throws: where a setting was given that a provider of this kind does not have.
    func settings(of kind: ProviderKind, over former: JSONObject = [:]) throws(Failure)
        -> JSONObject
    {
        var settings = former
        for (setting, value) in given {
            let name: String? =
                switch kind {
                case .upstream(let kind):
                    kind.settings.contains(setting) ? setting.rawValue : nil
                case .handles: setting == .scopes ? HandleSetting.scope.rawValue : nil
                }
            guard let name else { throw Self.other(setting.option, kind) }
            // Not `nil`, which would be a value: JSON's null.
            settings[name] = value == .null ? Optional.none : value.joined(for: kind)
        }
        for (setting, value) in handles.given {
            guard kind == .handles else { throw Self.other(setting.option, kind) }
            settings[setting.rawValue] = value == .null ? Optional.none : value
        }
        return settings
    }

    private static func other(_ option: String, _ kind: ProviderKind) -> Failure {
        Failure(
            .usage,
            "A provider of kind \(kind.name) has no \(option).",
            "See: portico provider add --help"
        )
    }

    /// What was given; `null` removes a setting.
    private var given: [(ProviderSetting, JSONValue)] {
        let texts: [(ProviderSetting, String?)] = [
            (.displayName, displayName), (.clientID, clientID), (.issuer, issuer),
            (.authentication, authentication), (.keyID, keyID), (.version, graphVersion),
            (.teamID, teamID), (.tenantIssuers, tenantIssuers),
        ]
        let lists: [(ProviderSetting, [String])] = [
            (.scopes, scopes.map(Self.words) ?? []), (.algorithms, algorithms),
            (.trustedAudiences, trustedAudiences), (.hostedDomains, hostedDomains),
            (.otherIssuers, otherIssuers),
        ]
        let flags: [(ProviderSetting, Bool?)] = [
            (.pkceUnannounced, pkceUnannounced), (.dpop, dpop),
            (.allowInsecureLoopback, allowInsecureLoopback), (.offline, offline),
        ]
        return texts.compactMap { setting, text in
            text.map { (setting, $0.isEmpty ? .null : .string($0)) }
        }
            + lists.filter { !$0.1.isEmpty }.map { setting, list in
                (setting, list == [""] ? .null : .array(list.map(JSONValue.string)))
            }
            + flags.compactMap { setting, flag in flag.map { (setting, $0 ? true : .null) } }
    }

    /// No scope is `[""]`, which clears them.
    private static func words(_ text: String) -> [String] {
        text.isEmpty ? [""] : text.split(separator: " ").map(String.init)
    }
}

extension ProviderSetting {
    /// The option of `portico provider add` that sets it.
    var option: String {
        switch self {
        case .displayName: "--display-name"
        case .clientID: "--client-id"
        case .scopes: "--scopes"
        case .issuer: "--issuer"
        case .authentication: "--authentication"
        case .keyID: "--key-id"
        case .algorithms: "--algorithm"
        case .trustedAudiences: "--trusted-audience"
        case .tenantIssuers: "--tenant-issuers"
        case .pkceUnannounced: "--pkce-unannounced"
        case .dpop: "--dpop"
        case .allowInsecureLoopback: "--allow-insecure-loopback"
        case .hostedDomains: "--hosted-domain"
        case .offline: "--offline"
        case .version: "--graph-version"
        case .teamID: "--team-id"
        case .otherIssuers: "--other-issuer"
        // A demonstration's own; no command sets it.
        case .standIn: "stand-in"
        }
    }
}

extension ProviderSetting {
    /// Its name in `portico provider show`.
    var label: String {
        switch self {
        case .clientID: "Client id"
        case .pkceUnannounced: "PKCE unannounced"
        case .dpop: "DPoP"
        default:
            // The option's name, without its dashes: one word for both.
            option.drop { $0 == "-" }.prefix(1).uppercased()
                + option.drop { $0 == "-" }.dropFirst().replacing("-", with: " ")
        }
    }
}

extension JSONValue {
    /// A scope is one text at hosts of the AT Protocol, and a list elsewhere.
    fileprivate func joined(for kind: ProviderKind) -> JSONValue {
        guard kind == .handles, let words = strings else { return self }
        return .string(words.joined(separator: " "))
    }
}

/// The fields of the provider `atproto` besides `--scopes`. One empty value clears a setting.
struct HandleFields: ParsableArguments {
    @Option(help: .value("text", "atproto: our name, which hosts may show.")) var clientName:
        String?

    @Flag(
        inversion: .prefixedNo,
        help: "atproto: whether we are a public client, without keys: sessions last two weeks."
    )
    var `public`: Bool?

    @Option(
        name: .customLong("directory"),
        help: .value("url", "atproto: the directory of DIDs, instead of https://plc.directory.")
    )
    var directory: String?

    @Option(
        help: .value(
            "domain",
            "atproto: proposed for a name without a dot, by default bsky.social."
        )
    )
    var defaultDomain: String?

    @Option(name: .customLong("logo"), help: .value("url", "atproto: our logo, for hosts to show."))
    var logo: String?

    @Option(name: .customLong("terms"), help: .value("url", "atproto: our terms of service."))
    var terms: String?

    @Option(name: .customLong("privacy"), help: .value("url", "atproto: our privacy notice."))
    var privacy: String?

    /// What was given; `null` removes a setting.
    var given: [(HandleSetting, JSONValue)] {
        let texts: [(HandleSetting, String?)] = [
            (.clientName, clientName), (.directory, directory), (.defaultDomain, defaultDomain),
            (.logo, logo), (.terms, terms), (.privacy, privacy),
        ]
        return texts.compactMap { setting, text in
            text.map { (setting, $0.isEmpty ? .null : .string($0)) }
        } + (`public`.map { [(.public, $0 ? true : .null)] } ?? [])
    }
}

extension HandleSetting {
    /// The option of `portico provider add` that sets it.
    var option: String {
        switch self {
        case .clientName: "--client-name"
        case .scope: "--scopes"
        case .formerScope: "former-scopes"
        case .scopeFrom: "scopes-from"
        case .public: "--public"
        case .directory: "--directory"
        case .defaultDomain: "--default-domain"
        case .logo: "--logo"
        case .terms: "--terms"
        case .privacy: "--privacy"
        }
    }

    /// Its name in `portico provider show`.
    var label: String {
        let words = option.drop { $0 == "-" }.replacing("-", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}

/// A kind of provider, as commands name it.
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
}

extension ProviderRecord {
    /// What adds one like it, behind `portico provider add`. Not its secret.
    var words: [String] {
        var words = [kind]
        if name != kind { words += ["--name", name] }
        for setting in ProviderSetting.allCases where setting != .standIn {
            words += Self.words(setting.option, settings[setting.rawValue], setting == .scopes)
        }
        guard ProviderKind(self) == .handles else {
            return words + (sealedSecret == nil ? ["--without-secret"] : [])
        }
        for setting in HandleSetting.allCases where setting.option.hasPrefix("--") {
            words += Self.words(setting.option, settings[setting.rawValue], false)
        }
        return words
    }

    /// - Parameter isOne: Whether several values are one word.
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
