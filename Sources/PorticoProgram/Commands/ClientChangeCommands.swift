import ArgumentParser
import PorticoBytes
import PorticoProvider
import PorticoStores

extension ClientCommand {
    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a client. What you leave out stays.",
            discussion: """
                Scopes, claims and audiences are added or removed one by one; any other list is \
                replaced as a whole.
                """
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
                throw ValidationError("Use --new-secret or --secret-file, not both.")
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
                        "Nothing to change: client \(clientID) is already like that."
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
                administration.sayWhereLogoutsGo(admission.client, replacing: former)
                if let secret = admission.shownSecret {
                    console.say("This secret is shown once:")
                    console.made("Secret", secret.reveal())
                }
            }
        }
    }
}
