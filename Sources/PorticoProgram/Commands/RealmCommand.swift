import ArgumentParser
import PorticoAdministration
import PorticoKeycloak
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoStores

struct RealmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "realm",
        abstract: "Manage realms.",
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Create.self, Update.self,
            DeleteCommand<Self>.self, Import.self, Export.self, Diff.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "The realm.") var name: String
    }
}

extension RealmCommand: ListedResource {
    static let listAbstract = "List the realms."

    static func list(_ selection: ListOptions, _ administration: Administration) -> Listing {
        let realms = administration.realmList.sorted { $0.name < $1.name }
        return Listing(
            Page(realms, selection, key: \.name) { [$0.name, $0.displayName, $0.issuer] },
            Table("REALM", "NAME", "STATE", "ISSUER"),
            none: "No realms yet. Create one: \(portico("realm create NAME"))",
            row: { [$0.name, $0.displayName, $0.state, $0.issuer] },
            json: \.description.json
        )
    }
}

extension RealmCommand: ShownResource, DeletedResource {
    static let showAbstract = "Show one realm."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        try administration.realm(name.name).description
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a realm with its people, clients and keys."
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let realm = try administration.realm(name.name)
        let name = realm.name
        let clients = try await administration.realms.clientCount(realmID: realm.id)
            .counting("client")
        return Deletion(
            name: name,
            subject: "Realm \(name)",
            summary: "deleted realm \(name) with \(clients) and everyone in it",
            warning:
                "This deletes realm \(name), \(clients), its keys and everyone in it, for good.",
            done: "Deleted realm \(name). Only a backup brings it back."
        ) { try await administration.deleting { try await $0.delete(realm, by: .commandLine) } }
    }
}

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
        @OptionGroup(title: "General options") var options: ChangingOptions

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
            let displayName = fields.members.texts("display-name").first
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

extension RealmCommand {
    struct Update: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a realm. What you leave out stays."
        )

        @OptionGroup var name: Name
        @OptionGroup var fields: RealmFields
        @OptionGroup(title: "Scopes") var scopes: ScopeOptions
        @OptionGroup(title: "Token swap") var swap: TokenSwapFields
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let former = try administration.realm(name.name)
            var realm = former
            try fields.apply(to: &realm)
            if realm.signingAlgorithm != former.signingAlgorithm {
                try administration.expectKey(
                    of: realm,
                    among: try await administration.realms.keys(realmID: realm.id)
                )
            }
            for name in scopes.added { _ = try await administration.scope(name, in: realm) }
            if !scopes.isEmpty {
                var lists = (
                    defaults: realm.defaultClientScopes, optionals: realm.optionalClientScopes
                )
                try scopes.change(&lists, of: "Realm \(realm.name)")
                (realm.defaultClientScopes, realm.optionalClientScopes) = lists
            }
            let keys = try await administration.realms.keptKeys(realmID: realm.id)
            try await swap.apply(to: &realm, keys: keys, administration)
            let name = realm.name
            administration.installation.warnOfMail(in: realm, replacing: former, console)
            guard administration.mayWrite(realm, replacing: former, "realm \(name)") else { return }
            try await administration.changing {
                try await $0.update(realm, replacing: former, by: .commandLine)
            }
            console.done("Changed realm \(name). See it: \(portico("realm show \(name)"))")
        }
    }
}

struct RealmFields: ParsableArguments {
    @OptionGroup(title: "Settings") var members: MemberOptions<Realm>

    func apply(to realm: inout Realm) throws {
        try members.apply(to: &realm)
        if realm.displayName.isEmpty { realm.displayName = realm.name }
        guard !members.says("display-name") || PlainText.isLine(realm.displayName, length: 200)
        else { throw RealmCreation.Refusal.displayName }
        if let language = realm.defaultLanguage, members.says("default-language"),
            Language(rawValue: language) == nil
        {
            throw Failure(
                .wrongValue,
                "The pages have no language \"\(printable(language))\".",
                "They have: \(Language.allCases.map(\.rawValue).joined(separator: " "))"
            )
        }
    }
}

enum RealmTemplate: String, CaseIterable, ExpressibleByArgument {
    /// The scopes of OpenID Connect, and no client.
    case standard
    /// As Keycloak makes one: with its client scopes, clients and roles.
    case keycloak
}

extension Realm {
    var description: Description {
        var json: JSONObject = [
            "id": .string(id), "name": .string(name), "issuer": .string(issuer),
        ]
        for member in shownMembers { json[member.name] = member.value }
        let swap = tokenSwap.flatMap { $0.isOn ? $0.json : nil }
        json["token_swap"] = swap.map(JSONValue.object) ?? .null
        json["token_resource"] = profile.tokenResource.map(JSONValue.string) ?? .null
        var fields = [("Realm", name), ("Issuer", issuer)] + shownFields
        if let resource = profile.tokenResource {
            fields.append(("AT Protocol", "host of the accounts at \(resource)"))
        }
        if let tokenSwap { fields.append(("Tokens of before", tokenSwap.summary)) }
        return Description(json: json, fields: fields + [("Id", id)])
    }

    var state: String { isEnabled ? "enabled" : "disabled" }
}

extension TokenSwap {
    fileprivate var json: JSONObject {
        [
            "issuer": .string(issuer),
            "closes_at": .string(Times.standard(closesAt)),
            "accepts_unlisted_offline_sessions": .bool(takesUnlistedOffline),
            "listed_until": listedUntil.map { .string(Times.standard($0)) } ?? .null,
        ]
    }

    fileprivate var summary: String {
        let offline =
            takesUnlistedOffline
            ? "all offline sessions" : listedUntil == nil ? "no offline session" : "those on a list"
        guard isOn else { return "of \(issuer), not swapped at present" }
        return "of \(issuer), swapped until \(Times.standard(closesAt)), \(offline)"
    }
}
