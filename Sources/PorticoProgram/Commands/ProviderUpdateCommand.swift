import ArgumentParser
import PorticoBackend
import PorticoBytes
import PorticoStores
import PorticoUpstream

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
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let former = try await administration.provider(name.name)
            let record = try changed(former, administration)
            let name = record.name
            if record != former { administration.warn(of: record, replacing: former) }
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
            console.done("Changed provider \(name). See it: \(portico("provider show \(name)"))")
            if record.isEnabled, record.kind != HandleProvider.kind {
                console.say("Check: \(portico("provider test \(name)"))")
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

    /// The one given by options; never asks.
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
