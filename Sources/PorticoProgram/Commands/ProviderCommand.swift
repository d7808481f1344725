import ArgumentParser
import PorticoATProtocol
import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStores
import PorticoUpstream
import PorticoWeb

struct ProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract: "Manage the identity providers that people sign in with.",
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Add.self, Update.self, Test.self,
            Keys.self, DeleteCommand<Self>.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "Its name.") var name: String
        @OptionGroup var realm: ProviderRealmOptions
    }
}

/// Whose providers are meant.
struct ProviderRealmOptions: ParsableArguments {
    @Option(help: .value("name", "The realm; by default the backend's.")) var realm: String?

    /// The option again, for a command that is printed.
    var words: [String] { realm.map { ["--realm", $0] } ?? [] }
}

extension ProviderCommand: ListedResource {
    struct Selection: ParsableArguments {
        @OptionGroup var realm: ProviderRealmOptions
    }

    static let listAbstract = "List the identity providers, in the order of their buttons."

    static func list(_ selection: Selection, _ administration: Administration) async throws
        -> Listing
    {
        let backend = try await administration.backend()
        return Listing(
            try await administration.providers(in: selection.realm.realm),
            Table("PROVIDER", "KIND", "STATE", "BUTTON", "CLIENT ID", "ISSUER"),
            none: "No providers yet. Add one: \(portico("provider add --help"))",
            row: {
                [
                    $0.name, $0.kind, $0.state, $0.displayName, $0.settings.string("clientID"),
                    $0.issuer,
                ]
            },
            json: { $0.description(administration.addresses(of: $0, beside: backend)).json }
        )
    }
}

extension ProviderCommand: ShownResource, DeletedResource {
    static let showAbstract = "Show one identity provider, with what to register with it."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        let record = try await administration.provider(name.name, in: name.realm.realm)
        return record.description(try await administration.addresses(of: record))
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an identity provider, so that no one can sign in with it.",
        discussion: """
            People and sessions stay. People with no other sign-in method can sign in again \
            once a provider with the same issuer is added.
            """
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let provider = try await administration.provider(name.name, in: name.realm.realm)
        let words = name.realm.words
        let name = provider.name
        let isBehind =
            provider.isOfFile ? false : try await administration.hasOfFile(provider)
        return Deletion(
            name: name,
            subject: "Provider \(name)",
            summary: "removed provider \(name)",
            warning: "This removes provider \(name) with its secret: "
                + (isBehind
                    ? "the one of that name in the realm's file takes its place."
                    : "no one can sign in with it any more."),
            done: "Removed provider \(name)."
                + (!provider.isOfFile
                    ? " To add it again\(provider.sealedSecret == nil ? "" : " (you need its secret)"): "
                        + portico("provider add \(words: provider.words + words)")
                    : " It came from the realm's file.")
        ) {
            guard !provider.isOfFile else {
                return try await administration.deleteOfFile(provider)
            }
            return try await administration.installation.backend.deleteProvider(
                name: name,
                realmID: provider.realmID
            )
        }
    }
}

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
        @OptionGroup var realm: ProviderRealmOptions
        @OptionGroup var secret: ProviderSecretOptions
        // A number below zero is a value, and no option.
        @Option(
            parsing: .unconditional,
            help: .value("number", "The position of its button; lowest first.")
        )
        var place: Int64?
        @Option(help: .value("url", "The server's public address.")) var publicURL: String?
        @OptionGroup var fields: ProviderFields
        @OptionGroup(title: "General options") var options: ChangingAndReadingOptions

        func validate() throws {
            guard fields.says("client-id") || kind == .handles else {
                throw ValidationError("Missing expected argument '--client-id <id>'")
            }
        }

        func run() async throws {
            let settings = try fields.settings(of: kind)
            let name = name ?? kind.name
            try await administer { administration in
                let (realm, home) =
                    if let named = self.realm.realm {
                        (try administration.realm(named), NewRealm?.none)
                    } else {
                        try await administration.backendRealm()
                    }
                let others = try await administration.installation.backend.providers(
                    realmID: realm.id
                )
                guard
                    !others.contains(where: {
                        sameBytes($0.name, name) && !$0.isOfFile
                    })
                else {
                    var advice = [
                        "Change it: \(portico("provider update \(words: [name] + self.realm.words)"))"
                    ]
                    // Of handles there is one: any host is reached by it.
                    if kind != .handles { advice.append("Or add a second one: --name NAME") }
                    throw Failure(
                        .exists,
                        "Provider \"\(printable(name))\" already exists.",
                        advice: advice
                    )
                }
                let last = others.filter { !$0.isOfFile }.map(\.place).max()
                let record = try administration.registration(
                    ProviderRecord(
                        realmID: realm.id,
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
                // Where no realm was named, it is the backend's.
                let addresses =
                    self.realm.realm == nil
                    ? ProviderAddresses(record, publicURL: administration.publicURL)
                    : try await administration.addresses(of: record)
                administration.warn(of: record, replacing: nil, addresses)
                try await administration.expectSame(record, in: realm)
                if administration.mayWrite("added provider \(name)") {
                    if let home { try await administration.make(home) }
                    try await administration.installation.backend.put(
                        record,
                        choosing: self.realm.realm == nil
                    )
                    console.done(
                        "Added provider \(name). "
                            + "Undo: \(portico("provider remove \(words: [name, "--confirm", name] + self.realm.words)"))"
                    )
                }
                console.say(
                    kind == .handles
                        ? "Hosts read who we are from here; nothing is registered:"
                        : "Register with the provider, exactly as written:"
                )
                try console.show(
                    record.registered(at: addresses),
                    options.read
                )
                if !administration.isDryRun, kind != .handles {
                    console.say(
                        "Check: \(portico("provider test \(words: [name] + self.realm.words)"))"
                    )
                }
            }
        }
    }
}

extension ProviderCommand {
    struct Update: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change an identity provider: settings, secret, place, whether it is used.",
            discussion: """
                What you leave out stays; a list is replaced as a whole, and one empty value \
                clears it. Sessions and accounts stay.
                """
        )

        @OptionGroup var name: Name
        @OptionGroup var secret: ProviderSecretOptions
        // A number below zero is a value, and no option.
        @Option(
            parsing: .unconditional,
            help: .value("number", "The position of its button; lowest first.")
        )
        var place: Int64?
        @Flag(inversion: .prefixedEnableDisable, help: "Whether people can sign in with it.")
        var provider: Bool?
        @OptionGroup var fields: ProviderFields
        @Flag(help: "atproto: also if sessions end, because hosts take us for another client.")
        var endSessions = false
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let former = try await administration.provider(name.name, in: name.realm.realm)
            if case .file = former.source {
                return try await administration.updateOfFile(
                    former,
                    secret: try secret.given(console),
                    isEnabled: provider,
                    saysMore: place != nil || endSessions || !fields.said.isEmpty,
                    name.realm.words
                )
            }
            let record = try changed(former, administration)
            let name = record.name
            if record != former {
                let addresses = try await administration.addresses(of: record)
                administration.warn(of: record, replacing: former, addresses)
            }
            let ending = try await administration.sessionsEnded(by: record, replacing: former)
            if let ending, ending.count > 0, administration.isDryRun {
                console.warn("\(ending.words) by handle would end: people sign in again.")
            }
            if let ending, !ending.areConfidential {
                console.warn(
                    "No one can sign in by handle for eleven minutes: until then hosts may have our "
                        + "document without keys."
                )
            }
            guard administration.mayWrite(record, replacing: former, "provider \(name)") else {
                return
            }
            if let ending {
                try ending.check(endSessions)
                // First, so that the same command mends what failed in between. Sessions that begin
                // meanwhile are ended by the server.
                try await administration.installation.handles.endAll(
                    confidential: ending.areConfidential,
                    as: HandleProvider.clientChanged,
                    at: administration.moment.seconds
                )
                if !ending.areConfidential { try await administration.publishFirstHandleKey() }
            }
            try await administration.installation.backend.put(record, replacing: former)
            let words = [name] + self.name.realm.words
            console.done(
                "Changed provider \(name). See it: \(portico("provider show \(words: words)"))"
            )
            if record.isEnabled, record.kind != HandleProvider.kind {
                console.say("Check: \(portico("provider test \(words: words)"))")
            }
        }

        private func changed(_ former: ProviderRecord, _ administration: Administration) throws
            -> ProviderRecord
        {
            var record = former
            if let place { record.place = place }
            if let provider { record.isEnabled = provider }
            if let kind = ProviderKind(former) {
                record.settings = try fields.settings(of: kind, over: former.settings)
            }
            if former.kind == HandleProvider.kind, former.isEnabled {
                let waiting = HandleProvider.waiting(
                    record.settings,
                    replacing: former.settings,
                    at: administration.moment.seconds
                )
                record.settings = waiting.settings
                if waiting.from != nil {
                    console.say(
                        "Hosts are asked for the new scopes in eleven minutes: until then they may "
                            + "have our document of before."
                    )
                }
            }
            let secret = try secret.given(console)
            if former.kind == HandleProvider.kind { try self.secret.refuse() }
            if case .unchanged = secret, !record.isEnabled, record.settings == former.settings {
                // What cannot be used can still be taken out of use.
                return record
            }
            return try administration.registration(
                record,
                secret: secret,
                random: administration.moment.random
            )
        }
    }
}

/// Where a provider's secret comes from: never an argument.
struct ProviderSecretOptions: ParsableArguments {
    @Option(help: .value("path", "The file with its secret; - for stdin.")) var secretFile: String?
    @Flag(help: "keycloak, oidc: use a public client, without a secret.")
    var withoutSecret = false

    func validate() throws {
        guard !withoutSecret || secretFile == nil else {
            throw ValidationError("Use --without-secret or --secret-file, not both.")
        }
    }

    /// Of the kind atproto, whose keys the server makes.
    func refuse() throws(Failure) {
        guard secretFile == nil, !withoutSecret else {
            throw Failure(
                .usage,
                "A provider of kind atproto has no secret.",
                "For a public client: --public"
            )
        }
    }

    func given(_ console: Console) throws -> ProviderRegistration.Secret {
        if withoutSecret { return .none }
        guard let secretFile else { return .unchanged }
        return .given(try SecretInput(console: console).secret(path: secretFile, isFile: true))
    }

    /// A new provider's; asks for it if no option gives it. A dry run needs none: it prints the
    /// addresses that have to be registered before there is one.
    func asked(for kind: ProviderKind, _ administration: Administration) throws
        -> ProviderRegistration.Secret
    {
        let console = administration.console
        guard case .upstream(let kind) = kind else {
            try refuse()
            return .none
        }
        guard !withoutSecret, secretFile == nil else { return try given(console) }
        if administration.isDryRun { return .later }
        guard kind != .apple else {
            throw Failure(
                .secretMissing,
                "There is no private key.",
                "Name the file that Apple gave: --secret-file AuthKey_KEYID.p8"
            )
        }
        guard console.mayAsk || kind != .keycloak && kind != .oidc else {
            throw Failure(
                .secretMissing,
                "There is no client secret, and no terminal to ask for it on.",
                "Give it in a file, or on stdin: --secret-file -",
                "For a public client: --without-secret"
            )
        }
        return .given(
            try SecretInput(console: console).secret(
                path: nil,
                name: kind == .facebook ? "App secret" : "Client secret"
            )
        )
    }
}

extension ProviderCommand {
    struct Test: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fetch an identity provider's metadata and keys, and check them.",
            discussion: """
                Settings and secret are read as the server reads them. Only a sign-in can show \
                whether the provider knows our client id, secret and redirect URIs.
                """
        )

        @OptionGroup var name: Name
        @OptionGroup(title: "General options") var options: ReadingOptions

        func run(_ administration: Administration) async throws {
            let record = try await administration.provider(name.name, in: name.realm.realm)
            let clock = administration.installation.clock
            let report = try await Administration.withOutbound { outbound in
                try await ProviderCheck(
                    administration: administration,
                    record: record,
                    addresses: administration.addresses(of: record)
                )(
                    over: ObservedTransport(
                        administration.transport(of: record, over: outbound),
                        now: { clock.moment().now }
                    )
                )
            }
            var findings = Findings()
            findings.add("\(record.name) (\(record.kind))", report.findings)
            try console.show(findings, options.read)
            if let failure = failure(report) { throw failure }
        }

        private func failure(_ report: ProviderCheck.Report) -> Failure? {
            let name = printable(name.name)
            guard report.isUsable else {
                return Failure(.misconfigured, "Provider \(name) cannot be used as it is.")
            }
            guard case .down(_, let reason) = report.health else {
                var findings = Findings()
                findings.add(name, report.findings)
                return findings.failure
            }
            switch reason {
            case .unreachable, .timedOut, .failing:
                return Failure(
                    .unreachable,
                    "Provider \(name) does not answer as it should.",
                    "People see its button with a note until it does."
                )
            case .unusable:
                return Failure(
                    .rejected,
                    "The metadata of provider \(name) cannot be used.",
                    "No one can sign in with it."
                )
            }
        }
    }
}
