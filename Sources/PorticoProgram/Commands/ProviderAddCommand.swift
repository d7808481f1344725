import ArgumentParser
import PorticoATProtocol
import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoProvider
import PorticoStores
import PorticoUpstream
import PorticoWeb

extension ProviderCommand {
    struct Add: DataDirectoryCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an identity provider, and print what to register with it.",
            discussion: """
                Prints to stdout the addresses to register with the provider, also with --dry-run, \
                which needs no secret and writes nothing. The secret comes from a file or from \
                stdin: a client secret or app secret, for Apple the .p8 file. With Keycloak and \
                other OpenID providers we can be a public client, without a secret. atproto is for \
                internet handles: it needs no secret, and the server makes its key.
                """
        )
        static let missing = Installation.Missing.create

        @Argument(help: "google, facebook, apple, keycloak, oidc or atproto.")
        var kind: ProviderKind
        @Option(
            help: .value(
                "name",
                "Its name in addresses, by default its kind: lower-case letters, digits, '-'."
            )
        )
        var name: String?
        @OptionGroup var secret: ProviderSecretOptions
        // A number below zero is a value, and no option.
        @Option(
            parsing: .unconditional,
            help: .value("number", "The position of its button; lowest first.")
        )
        var place: Int64?
        @Option(help: .value("url", "The server's public address.")) var publicURL: String?
        @OptionGroup var fields: ProviderFields
        @OptionGroup var options: ChangingAndReadingOptions

        func validate() throws {
            guard fields.clientID != nil || kind == .handles else {
                throw ValidationError("Missing expected argument '--client-id <id>'")
            }
        }

        func run() async throws {
            let settings = try fields.settings(of: kind)
            let name = name ?? kind.name
            try await administer { administration in
                let others = try await administration.backend().providers
                guard !others.contains(where: { sameBytes($0.name, name) }) else {
                    var advice = ["Change it: \(portico("provider update \(name)"))"]
                    // Of handles there is one: any host is reached by it.
                    if kind != .handles { advice.append("Or add a second one: --name NAME") }
                    throw Failure(
                        .exists,
                        "Provider \"\(printable(name))\" already exists.",
                        advice: advice
                    )
                }
                let last = others.map(\.place).max()
                let record = try administration.registration(
                    ProviderRecord(
                        name: name,
                        kind: kind.name,
                        place: place ?? last.map { min($0, .max - 1) + 1 } ?? 0,
                        isEnabled: true,
                        settings: settings,
                        sealedSecret: nil
                    ),
                    secret: try secret.asked(for: kind, administration),
                    random: administration.moment.random
                )
                administration.warn(of: record, replacing: nil)
                if administration.mayWrite("added provider \(name)") {
                    try await administration.installation.backend.put(record)
                    console.done(
                        "Added provider \(name). "
                            + "Undo: \(portico("provider remove \(name) --confirm \(name)"))"
                    )
                }
                console.say(
                    kind == .handles
                        ? "Hosts read who we are from here; nothing is registered:"
                        : "Register with the provider, exactly as written:"
                )
                try console.show(
                    record.registered(at: administration.addresses(of: record)),
                    options.read
                )
                if !administration.isDryRun, kind != .handles {
                    console.say("Check: \(portico("provider test \(name)"))")
                }
            }
        }
    }
}

extension Administration {
    var registration: ProviderRegistration {
        ProviderRegistration(
            ring: installation.ring,
            allowsStandIns: allowsStandIns,
            rules: identityRules
        )
    }

    func addresses(of record: ProviderRecord) -> ProviderAddresses {
        ProviderAddresses(record, publicURL: publicURL)
    }

    /// Names under `.test` are hosts in a test network and in a demo only.
    var identityRules: IdentityRules {
        var rules = IdentityRules.production
        rules.allowsTest = installation.settings.testNetwork != nil
        let realm = realmList.first { $0.name == DemoHost.name }
        if allowsStandIns, let host = realm?.host { rules.admitDemo(at: host.origin) }
        return rules
    }

    /// Warns of what is allowed but will not work, or not as before.
    func warn(of record: ProviderRecord, replacing former: ProviderRecord?) {
        if record.kind == HandleProvider.kind {
            // `try?`: it was read a moment ago.
            let provider = try? HandleProvider(record, identityRules)
            if provider.flatMap({ OwnClientDocument($0, at: publicURL, identityRules) }) == nil {
                console.warn(HandleProviderRefusal.publicAddress.description)
            }
            if provider?.isConfidential == false {
                console.warn(
                    "Hosts end sessions of a public client after 14 days. Leave out --public if people "
                        + "are to stay signed in for longer."
                )
            }
            return
        }
        let addresses = addresses(of: record)
        // `try?`: it was read a moment ago.
        if let provider = try? IdentityProvider(record),
            !provider.permits(redirectURI: addresses.callback)
        {
            console.warn(
                "\(provider.displayName) takes https addresses with a domain name only. "
                    + "Set public-url to yours."
            )
        } else if installation.settledPublicURL == nil {
            console.warn("No public-url is set: these addresses work on this machine only.")
        }
        if let kind = addresses.kind, kind == .apple || kind == .facebook,
            record.name != kind.rawValue
        {
            console.warn(
                "The notices of a provider of kind \(kind.rawValue) arrive only where its name "
                    + "is \(kind.rawValue)."
            )
        }
        if let before = former?.issuer, let now = record.issuer, !sameBytes(before, now) {
            console.warn(
                "The issuer was \(printable(before)): people who signed in with it are not "
                    + "known at \(printable(now))."
            )
        }
    }
}
