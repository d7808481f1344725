import ArgumentParser
import PorticoProtocol
import PorticoUpstream

/// What may be said about an identity provider, new or changed. What is left out stays as it is; a
/// list is replaced as a whole, and one empty value takes all of it away.
struct ProviderFields: ParsableArguments {
    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp(
            "What the provider knows us by: client id, app id, or Apple's Services ID.",
            valueName: "id"
        )
    )
    var clientID: String?

    @Option(help: ArgumentHelp("What its button says.", valueName: "text"))
    var displayName: String?

    @Option(
        help: ArgumentHelp(
            "keycloak, oidc: the issuer, exactly as the provider writes it.",
            valueName: "url"
        )
    )
    var issuer: String?

    @Option(
        name: .customLong("team-id"),
        help: ArgumentHelp("apple: the ten characters of the team.", valueName: "id")
    )
    var teamID: String?

    @Option(
        name: .customLong("key-id"),
        help: ArgumentHelp(
            "apple: the name of the key. keycloak, oidc: of the key that proves us.",
            valueName: "id"
        )
    )
    var keyID: String?

    @Option(
        help: ArgumentHelp(
            "What to ask for, instead of what is usual; several with spaces.",
            valueName: "scopes"
        )
    )
    var scopes: String?

    @Option(
        help: ArgumentHelp(
            """
            keycloak, oidc: client_secret_basic, client_secret_post or private_key_jwt, instead of \
            what the provider offers.
            """,
            valueName: "method"
        )
    )
    var authentication: String?

    @Option(
        name: .customLong("algorithm"),
        help: ArgumentHelp(
            "keycloak, oidc: what ID Tokens must be signed with. Repeat for several.",
            valueName: "algorithm"
        )
    )
    var algorithms: [String] = []

    @Option(
        name: .customLong("hosted-domain"),
        help: ArgumentHelp(
            "google: admit this Workspace domain only. Repeat for several.",
            valueName: "domain"
        )
    )
    var hostedDomains: [String] = []

    @Option(
        name: .customLong("other-issuer"),
        help: ArgumentHelp(
            "apple: a further spelling of its issuer. Repeat for several.",
            valueName: "url"
        )
    )
    var otherIssuers: [String] = []

    @Option(help: ArgumentHelp("facebook: of the Graph API, as v23.0.", valueName: "version"))
    var graphVersion: String?

    @Flag(inversion: .prefixedNo, help: "google: whether a refresh token is asked for.")
    var offline: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "keycloak, oidc: whether PKCE is sent though the provider does not announce it."
    )
    var pkceUnannounced: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "keycloak, oidc: whether the issuer may be http on this machine."
    )
    var allowInsecureLoopback: Bool?

    /// The settings with what was said put in, by the names of ``ProviderSetting``.
    ///
    /// - Throws: where something was said that a provider of this kind does not have.
    func settings(of kind: IdentityProvider.Kind, over former: JSONObject = [:]) throws(Failure)
        -> JSONObject
    {
        var settings = former
        for (setting, value) in given {
            guard kind.settings.contains(setting) else {
                throw Failure(
                    .usage,
                    "A provider of kind \(kind.rawValue) has no \(setting.option).",
                    "See: portico provider add --help"
                )
            }
            // Not `nil`, which would be a value: JSON's null.
            settings[setting.rawValue] = value == .null ? Optional.none : value
        }
        return settings
    }

    /// What was said; `null` takes a setting away.
    private var given: [(ProviderSetting, JSONValue)] {
        let texts: [(ProviderSetting, String?)] = [
            (.displayName, displayName), (.clientID, clientID), (.issuer, issuer),
            (.authentication, authentication), (.keyID, keyID), (.version, graphVersion),
            (.teamID, teamID),
        ]
        let lists: [(ProviderSetting, [String])] = [
            (.scopes, scopes.map(Self.words) ?? []), (.algorithms, algorithms),
            (.hostedDomains, hostedDomains), (.otherIssuers, otherIssuers),
        ]
        let flags: [(ProviderSetting, Bool?)] = [
            (.pkceUnannounced, pkceUnannounced), (.allowInsecureLoopback, allowInsecureLoopback),
            (.offline, offline),
        ]
        return texts.compactMap { setting, text in
            text.map { (setting, $0.isEmpty ? .null : .string($0)) }
        }
            + lists.filter { !$0.1.isEmpty }.map { setting, list in
                (setting, list == [""] ? .null : .array(list.map(JSONValue.string)))
            }
            + flags.compactMap { setting, flag in flag.map { (setting, $0 ? true : .null) } }
    }

    /// No scope is `[""]`, which takes them away.
    private static func words(_ text: String) -> [String] {
        text.isEmpty ? [""] : text.split(separator: " ").map(String.init)
    }
}

extension ProviderSetting {
    /// The option of `portico provider add` that says it.
    var option: String {
        switch self {
        case .displayName: "--display-name"
        case .clientID: "--client-id"
        case .scopes: "--scopes"
        case .issuer: "--issuer"
        case .authentication: "--authentication"
        case .keyID: "--key-id"
        case .algorithms: "--algorithm"
        case .pkceUnannounced: "--pkce-unannounced"
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
    /// What people read of it.
    var label: String {
        switch self {
        case .clientID: "Client id"
        case .pkceUnannounced: "PKCE unannounced"
        default:
            // The option's name, without its dashes: one word for both.
            option.drop { $0 == "-" }.prefix(1).uppercased()
                + option.drop { $0 == "-" }.dropFirst().replacing("-", with: " ")
        }
    }
}

extension IdentityProvider.Kind: ExpressibleByArgument {}
