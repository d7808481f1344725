import ArgumentParser
import PorticoBackend
import PorticoProtocol

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
