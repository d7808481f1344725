import ArgumentParser
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
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let former = try await administration.provider(name.name)
            let record = try changed(former, administration)
            let name = record.name
            if record != former { administration.warn(of: record, replacing: former) }
            guard administration.mayWrite(record, replacing: former, "provider \(name)") else {
                return
            }
            try await administration.installation.backend.put(record, replacing: former)
            console.done("Changed provider \(name). See it: portico provider show \(name)")
            if record.isEnabled { console.say("Check: portico provider test \(name)") }
        }

        private func changed(_ former: ProviderRecord, _ administration: Administration) throws
            -> ProviderRecord
        {
            var record = former
            if let place { record.place = place }
            if let provider { record.isEnabled = provider }
            if let kind = IdentityProvider.Kind(rawValue: former.kind) {
                record.settings = try fields.settings(of: kind, over: former.settings)
            }
            let secret = try secret.given(console)
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

    /// The one given by options; never asks.
    func given(_ console: Console) throws -> ProviderRegistration.Secret {
        if withoutSecret { return .none }
        guard let secretFile else { return .unchanged }
        return .given(try SecretInput(console: console).secret(path: secretFile, isFile: true))
    }

    /// A new provider's; asks for it if no option gives it.
    func asked(for kind: IdentityProvider.Kind, _ console: Console) throws
        -> ProviderRegistration.Secret
    {
        guard !withoutSecret, secretFile == nil else { return try given(console) }
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
