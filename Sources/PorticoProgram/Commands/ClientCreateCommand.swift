import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoStores

extension ClientCommand {
    struct Create: DataDirectoryCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register a client.",
            usage: "portico client create <client-id> [--for <product>] [--template <kind>] …",
            discussion: """
                A confidential client that authenticates with a secret gets a new one, written to \
                stdout once and never again, unless --secret-file names one.

                With --for, the client is made as that product needs it, and the product's own \
                configuration goes to stdout, with the secret in it. Other options take precedence.
                """
        )

        @Argument(help: "The client_id.") var clientID: String?
        @Option(
            help: .value(
                "kind",
                "What it is: native, cli, spa, web, service, fapi2 or keycloak. Without --for: native."
            )
        )
        var template: ClientTemplate?
        @OptionGroup(title: "For a product") var product: ProductOptions
        @OptionGroup var secret: ClientSecretOptions
        @Flag(help: "Write the client, its secret and its configuration as JSON.") var json = false
        @OptionGroup var fields: ClientFields
        @OptionGroup var realm: RealmOptions
        @OptionGroup(title: "General options") var options: ChangingOptions

        func validate() throws {
            // `--for` by itself lists the products.
            guard clientID != nil || product.product == "" else {
                throw ValidationError("Missing expected argument '<client-id>'")
            }
        }

        func run() async throws {
            let chosen = try product.chosen()
            let clientID = clientID ?? ""
            try chosen?.check(clientID: clientID)
            let registration = try chosen?.registration(
                of: clientID,
                hasRedirects: fields.members.says("redirect-uri")
            )
            try await administer { administration in
                let realm = try administration.realm(realm.realm)
                let taken = Failure(
                    .exists,
                    "Realm \(realm.name) already has a client \"\(printable(clientID))\".",
                    "Change it: "
                        + portico("client update \(clientID) --realm \(realm.name)")
                )
                guard
                    try await !administration.realms.hasClient(clientID, realmID: realm.id)
                else { throw taken }
                let random = administration.moment.random
                var client = (template ?? registration?.template ?? .native).client(
                    id: UniqueID(random: random).text,
                    realmID: realm.id,
                    clientID: clientID
                )
                client.takeScopes(of: realm, scopes: try await administration.scopes(of: realm))
                try registration?.fields.apply(to: &client, random: random)
                try fields.apply(to: &client, random: random)
                followOptions(in: &client)
                try fields.expectEffect(at: client)
                let hasSecret = [.clientSecretBasic, .clientSecretPost].contains(
                    client.authentication
                )
                let admission = try await administration.admit(
                    client,
                    secret: try secret.chosen(console) ?? (hasSecret ? .made : .unchanged),
                    in: realm
                )
                try await administration.check(admission.client, replacing: nil, in: realm)
                try await administration.checkHandOff(of: admission.client, nil, in: realm)
                try chosen?.check(addressesOf: admission.client)
                let made = MadeClient(
                    client: admission.client,
                    realm: realm,
                    secret: secret.secretFile == nil ? admission.shownSecret : nil,
                    chosen: chosen,
                    isDryRun: administration.isDryRun
                )
                let kind = client.type.rawValue
                guard
                    administration.mayWrite("created \(kind) client \(clientID) of \(realm.name)")
                else { return try made.show(asJSON: json, administration) }
                let isOneScreen = console.showsDataOnTerminal
                try made.show(isOneScreen ? .all : .written, asJSON: json, administration)
                do {
                    try await administration.makeMissingScopes(of: admission.client, in: realm)
                    try await administration.creating(or: taken) { changes in
                        try await changes.create(
                            admission.client,
                            by: .commandLine,
                            at: administration.moment
                        )
                    }
                } catch {
                    console.warn(
                        "What was written to stdout is of no use: the client was not made."
                    )
                    throw error
                }
                console.done(
                    "Created \(kind) client \(clientID) in realm \(realm.name). "
                        + "Undo: "
                        + portico(
                            "client delete \(clientID) --realm \(realm.name) --confirm \(clientID)"
                        )
                )
                administration.sayDomains(of: client, in: realm)
                if !isOneScreen { try made.show(.said, asJSON: json, administration) }
            }
        }

        /// What follows from the type and the hand-off, where no option says otherwise.
        private func followOptions(in client: inout Client) {
            if client.handOff.form != .none, !fields.members.says("grant-type") {
                client.grantTypes = []
            }
            if !fields.members.says("authentication") {
                if client.type == .public {
                    client.authentication = .none
                } else if client.authentication == .none {
                    client.authentication = .clientSecretBasic
                }
            }
            if fields.codeProtection == nil, client.type == .public {
                client.codeProtection = .pkce
            }
        }
    }
}
