import ArgumentParser
import PorticoBytes
import PorticoProvider
import PorticoStores

extension ClientCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register a client.",
            discussion: """
                A confidential client that authenticates with a secret gets a new one, written to \
                stdout once and never again, unless --secret-file names one.
                """
        )

        @Argument(help: "The client_id.") var clientID: String
        @Option(
            help: ArgumentHelp("What it is: native, cli, spa, web or service.", valueName: "kind")
        )
        var template = ClientTemplate.native
        @Option(help: ArgumentHelp("A secret chosen elsewhere; - for stdin.", valueName: "path"))
        var secretFile: String?
        @OptionGroup var fields: ClientFields
        @OptionGroup var realm: RealmOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let realm = try administration.realm(realm.realm)
                let taken = Failure(
                    .exists,
                    "Realm \(realm.name) has a client \"\(printable(clientID))\" already.",
                    "Change it: portico client update \(printable(clientID)) --realm \(realm.name)"
                )
                guard
                    !administration.clients(of: realm).contains(where: { $0.clientID == clientID })
                else { throw taken }
                var client = template.client(
                    id: UniqueID(random: administration.moment.random).text,
                    realmID: realm.id,
                    clientID: clientID
                )
                try fields.apply(to: &client)
                // What follows from the type, where nothing else was said.
                if fields.authentication == nil {
                    if client.type == .public {
                        client.authentication = .none
                    } else if client.authentication == .none {
                        client.authentication = .clientSecretBasic
                    }
                }
                let admission = try administration.admit(
                    client,
                    secret: try secret(for: client, console),
                    in: realm
                )
                guard !change.dryRun else {
                    return administration.dryRun(
                        "created \(client.type.rawValue) client \(clientID) of \(realm.name)"
                    )
                }
                let realms = administration.installation.realms
                guard try await realms.create(admission.client) == .created else { throw taken }
                console.done(
                    "Created \(client.type.rawValue) client \(clientID) in realm \(realm.name). "
                        + "Undo: portico client delete \(clientID) --realm \(realm.name) "
                        + "--confirm \(clientID)"
                )
                administration.show(admission.shownSecret)
            }
        }

        private func secret(for client: Client, _ console: Console) throws
            -> ClientRegistration.Secret
        {
            if let secretFile {
                return .chosen(
                    try SecretInput(console: console).secret(
                        path: secretFile,
                        name: "Secret",
                        option: "--secret-file"
                    )
                )
            }
            let hasSecret = [.clientSecretBasic, .clientSecretPost].contains(client.authentication)
            return hasSecret ? .made : .unchanged
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a client. What is not named stays; a list is replaced as a whole."
        )

        @Argument(help: "The client_id.") var clientID: String
        @Flag(help: "Make a new secret, written to stdout once. The old one ends at once.")
        var newSecret = false
        @Option(help: ArgumentHelp("A secret chosen elsewhere; - for stdin.", valueName: "path"))
        var secretFile: String?
        @OptionGroup var fields: ClientFields
        @OptionGroup var realm: RealmOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func validate() throws {
            guard !newSecret || secretFile == nil else {
                throw ValidationError("--new-secret and --secret-file exclude each other.")
            }
        }

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let realm = try administration.realm(realm.realm)
                let former = try administration.client(clientID, in: realm)
                var client = former
                try fields.apply(to: &client)
                if client.authentication == .privateKeyJWT || client.authentication == .none {
                    client.secret = nil
                } else {
                    client.keySet = nil
                }
                var secret = ClientRegistration.Secret.unchanged
                if newSecret { secret = .made }
                if let secretFile {
                    secret = .chosen(
                        try SecretInput(console: console).secret(
                            path: secretFile,
                            name: "Secret",
                            option: "--secret-file"
                        )
                    )
                }
                let admission = try administration.admit(client, secret: secret, in: realm)
                guard admission.client != former else {
                    return console.say(
                        "Nothing to change: client \(clientID) is like that already."
                    )
                }
                guard !change.dryRun else {
                    return administration.dryRun("changed client \(clientID) of \(realm.name)")
                }
                try administration.expectChanged(
                    await administration.installation.realms.update(
                        admission.client,
                        replacing: former
                    ),
                    "Client \(clientID)"
                )
                console.done(
                    "Changed client \(clientID) of realm \(realm.name). "
                        + "See it: portico client show \(clientID) --realm \(realm.name)"
                )
                administration.show(admission.shownSecret)
            }
        }
    }
}

extension Administration {
    /// A client that keeps the rules of registration; what is allowed and yet unwise is said.
    fileprivate func admit(
        _ client: Client,
        secret: ClientRegistration.Secret,
        in realm: Realm
    ) throws -> ClientRegistration.Admission {
        let admission = try ClientRegistration(ring: installation.ring)(
            client,
            secret: secret,
            others: clients(of: realm).filter { $0.id != client.id },
            random: moment.random
        )
        for warning in admission.warnings { console.warn("\(warning.words)") }
        return admission
    }

    fileprivate func show(_ secret: SecretText?) {
        guard let secret else { return }
        console.say("This secret is shown once:")
        console.made("Secret", secret.reveal())
    }
}
