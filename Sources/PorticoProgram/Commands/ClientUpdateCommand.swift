import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProvider
import PorticoStores

extension ClientCommand {
    struct Update: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a client. What you leave out stays.",
            discussion: """
                Scopes, claims and audiences are added or removed one by one; any other list is \
                replaced as a whole, and an empty value leaves nothing in it.
                """
        )

        @Argument(help: "The client_id.") var clientID: String
        @Flag(help: "Make a new secret, written to stdout once. The old one ends at once.")
        var newSecret = false
        @OptionGroup var secret: ClientSecretOptions
        @OptionGroup var fields: ClientFields
        @OptionGroup var realm: RealmOptions
        @OptionGroup(title: "General options") var options: ChangingOptions

        private static let shownOnce = "This secret is shown once:"

        func validate() throws {
            guard !newSecret || secret.secretFile == nil else {
                throw ValidationError("Use --new-secret or --secret-file, not both.")
            }
        }

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let former = try await administration.client(clientID, in: realm)
            var client = former
            try fields.apply(to: &client, random: administration.moment.random)
            try fields.expectEffect(at: client)
            if client.authentication == .privateKeyJWT || client.authentication == .none {
                client.secret = nil
            } else {
                client.keySet = nil
            }
            let admission = try await administration.admit(
                client,
                secret: try secret.chosen(console) ?? (newSecret ? .made : .unchanged),
                in: realm
            )
            try await administration.check(admission.client, replacing: former, in: realm)
            try await administration.checkHandOff(of: admission.client, former, in: realm)
            guard
                administration.mayWrite(
                    admission.client,
                    replacing: former,
                    "client \(clientID)",
                    of: " of \(realm.name)"
                )
            else { return }
            // A secret that could not be shown would be lost, and the former one with it.
            if let secret = admission.shownSecret {
                if console.showsDataOnTerminal { console.say(Self.shownOnce) }
                try console.secret(secret.reveal())
            }
            do {
                try await administration.makeMissingScopes(of: admission.client, in: realm)
                try await administration.changing { changes in
                    try await changes.update(
                        admission.client,
                        replacing: former,
                        by: .commandLine,
                        at: administration.moment
                    )
                }
            } catch {
                if admission.shownSecret != nil {
                    console.warn("What was written to stdout is of no use: the old secret stays.")
                }
                throw error
            }
            console.done(
                "Changed client \(clientID) of realm \(realm.name). "
                    + "See it: \(portico("client show \(clientID) --realm \(realm.name)"))"
            )
            administration.sayDomains(of: client, in: realm)
            administration.sayWhereLogoutsGo(admission.client, replacing: former)
            if admission.shownSecret != nil, !console.showsDataOnTerminal {
                console.say(Self.shownOnce)
            }
        }
    }
}

/// Where a client's secret comes from, if it was chosen: never an argument.
struct ClientSecretOptions: ParsableArguments {
    @Option(help: .value("path", "A secret chosen elsewhere; - for stdin.")) var secretFile: String?

    func chosen(_ console: Console) throws -> ClientRegistration.Secret? {
        guard let secretFile else { return nil }
        return .chosen(try SecretInput(console: console).secret(path: secretFile))
    }
}
