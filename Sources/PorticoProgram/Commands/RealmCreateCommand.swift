import ArgumentParser
import PorticoAdministration
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoStores

extension RealmCommand {
    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a realm with its signing keys.",
            discussion: """
                The issuer is made of the public URL, or is the host, and never changes. Without \
                --public-url and without a running server it is on this machine. It is written to \
                stdout.
                """
        )
        static let missing = Installation.Missing.create

        @Argument(help: "Its name in addresses: letters, digits, '-', '_' and '.'.")
        var name: String

        @Option(help: .value("url", "The server's public address.")) var publicURL: String?

        @Option(
            help: .value(
                "kind",
                "What it begins with: standard; or keycloak, with its client scopes, clients and roles."
            )
        )
        var template = RealmTemplate.standard

        @Option(help: .value("url", "An address for this realm alone: its issuer."))
        var host: String?

        @Flag(help: "Make it a host of the AT Protocol, whose clients have documents.")
        var atproto = false

        @Option(help: .value("url", "With --atproto: where the accounts are, if not at the host."))
        var resource: String?

        @OptionGroup var fields: RealmFields
        @OptionGroup var options: ChangingOptions

        func validate() throws {
            guard host == nil || template == .standard else {
                throw ValidationError("--host and --template cannot be combined.")
            }
            guard host != nil || !atproto else {
                throw ValidationError("--atproto needs --host.")
            }
            guard atproto || resource == nil else {
                throw ValidationError("--resource needs --atproto.")
            }
        }

        func run(_ administration: Administration) async throws {
            let taken = Failure(
                .exists,
                "Realm \"\(printable(name))\" already exists.",
                "See it: \(portico("realm show \(name)"))"
            )
            guard !administration.realmList.contains(where: { $0.name == name }) else {
                throw taken
            }
            let new = try await newRealm(administration)
            let issuer = new.realm.issuer
            if let other = administration.realmList.first(where: { $0.issuer == issuer }) {
                throw Failure(
                    .exists,
                    "Realm \(other.name) has this address already.",
                    "See it: \(portico("realm show \(other.name)"))"
                )
            }
            if host == nil { try await administration.installation.expectOneAddress() }
            administration.installation.warnOfMail(in: new.realm, replacing: nil, console)
            guard administration.mayWrite("created realm \(name) with issuer \(issuer)") else {
                return
            }
            try await administration.creating(or: taken) {
                try await $0.create(new, by: .commandLine)
            }
            console.done(
                "Created realm \(name). "
                    + "Undo: \(portico("realm delete \(name) --confirm \(name)"))"
            )
            if host == nil { administration.warn(ofIssuer: issuer, of: name) }
            try console.made("Issuer", issuer)
        }

        private func newRealm(_ administration: Administration) async throws -> NewRealm {
            let installation = administration.installation
            let moment = administration.moment
            var new: NewRealm
            let displayName = fields.members.text("display-name")
            if template == .keycloak {
                var json: JSONObject = ["realm": .string(name), "enabled": true]
                json["displayName"] = displayName.map(JSONValue.string)
                new = try await installation.registering { [json] registration in
                    let newRealm = NewKeycloakRealm(
                        ring: installation.ring,
                        people: registration,
                        baseURL: installation.publicURL
                    )
                    return try await newRealm(json, named: name, at: moment)
                }
            } else {
                new = try RealmCreation(ring: installation.ring)(
                    name: name,
                    displayName: displayName,
                    baseURL: installation.publicURL,
                    host: host,
                    resource: atproto ? resource ?? host : nil,
                    at: moment
                )
            }
            try fields.apply(to: &new.realm)
            try administration.expectKey(of: new.realm, among: new.keys)
            return new
        }
    }
}
