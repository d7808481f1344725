import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

struct MapperCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mapper",
        abstract: "Manage mappers, which write claims: of a client or a client scope.",
        discussion: """
            For the usual ones of a client, there are the options --claim and --audience:
              portico client update app --claim roles=roles
            """,
        subcommands: [ListCommand<Self>.self, Add.self, DeleteCommand<Self>.self]
    )

    struct Owner: ParsableArguments {
        @Option(help: .value("client_id", "The mappers of this client.")) var client: String?
        @Option(help: .value("scope", "The mappers of this client scope.")) var scope: String?
        @OptionGroup var realm: RealmOptions

        func validate() throws {
            guard (client == nil) != (scope == nil) else {
                throw ValidationError("Name the client or the scope: --client or --scope.")
            }
        }

        fileprivate func find(_ administration: Administration) async throws -> Found {
            let realm = try administration.realm(realm.realm)
            if let client {
                let found = try await administration.client(client, in: realm)
                return Found(
                    owner: .client(found),
                    realm: realm,
                    name: "client \(found.clientID)",
                    words: ["--client", found.clientID, "--realm", realm.name]
                )
            }
            let found = try await administration.scope(scope ?? "", in: realm)
            return Found(
                owner: .scope(found),
                realm: realm,
                name: "client scope \(found.name)",
                words: ["--scope", found.name, "--realm", realm.name]
            )
        }
    }

    fileprivate struct Found {
        let owner: MapperOwner
        let realm: Realm
        let name: String
        let words: [String]
    }

    struct Selection: ParsableArguments {
        @OptionGroup var owner: Owner
        @OptionGroup var list: ListOptions
    }

    struct Name: ParsableArguments {
        @Argument(help: "The mapper's name.") var name: String
        @OptionGroup var owner: Owner
    }

    struct Add: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a mapper.",
            discussion: """
                Types and settings are those of Keycloak, and there is one more type: \
                portico-role-list-mapper writes all roles in one list, a client's as CLIENT:ROLE. The \
                claim is written into access tokens, ID Tokens, UserInfo and introspection, unless \
                --into or a setting says otherwise.

                The roles that a person has of client app, in the claim roles:
                  portico mapper add roles --client app \\
                    --type oidc-usermodel-client-role-mapper \\
                    --setting usermodel.clientRoleMapping.clientId=app \\
                    --setting claim.name=roles
                """
        )

        @OptionGroup var name: Name
        @Option(help: .value("type", "What it writes, such as oidc-usermodel-attribute-mapper."))
        var type: String
        @Option(help: .value("name=value", "A setting of that type. Repeat for several."))
        var setting: [String] = []
        @Option(help: .value("where", "Where it writes. Repeat for several."))
        var into: [MapperTargetChoice] = []
        @OptionGroup(title: "General options") var options: ChangingOptions

        func validate() throws {
            for one in setting where !one.dropFirst().contains("=") {
                throw ValidationError("--setting must be written as NAME=VALUE.")
            }
        }

        func run(_ administration: Administration) async throws {
            let found = try await name.owner.find(administration)
            let mapper: JSONObject = [
                "name": .string(name.name), "protocol": "openid-connect",
                "protocolMapper": .string(type), "config": .object(config),
            ]
            let mappers: [ClaimMapper]
            do {
                mappers = try found.owner.mappers(adding: mapper, at: administration.moment)
            } catch let refusal as MapperRefusal {
                throw Failure(refusal, adding: name.name, ofType: type, to: found.name)
            }
            guard administration.mayWrite("added mapper \(name.name) to \(found.name)") else {
                return
            }
            try await administration.keep(mappers, of: found.owner, as: .mapperCreated)
            console.done(
                "Added mapper \(name.name) to \(found.name) in realm \(found.realm.name). Undo: "
                    + portico(
                        "mapper remove \(name.name) \(words: found.words) --confirm \(name.name)"
                    )
            )
        }

        /// With what is meant where nothing is said: what Keycloak's console fills in.
        private var config: JSONObject {
            var config = JSONObject()
            for one in setting {
                let parts = one.split(
                    separator: "=",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                config[String(parts[0])] = .string(parts.count == 2 ? String(parts[1]) : "")
            }
            let isAudience = type.hasPrefix("oidc-audience")
            for target in MapperTargetChoice.allCases where config[target.setting] == nil {
                let isOn =
                    into.isEmpty
                    ? !isAudience || target == .accessToken || target == .introspection
                    : into.contains(target)
                config[target.setting] = .string("\(isOn)")
            }
            if type.hasSuffix("-role-mapper"), type.hasPrefix("oidc-usermodel-"),
                config["multivalued"] == nil
            {
                config["multivalued"] = "true"
            }
            return config
        }
    }
}

enum MapperTargetChoice: String, CaseIterable, ExpressibleByArgument {
    case accessToken = "access-token"
    case idToken = "id-token"
    case userinfo
    case introspection

    fileprivate var setting: String {
        switch self {
        case .accessToken: "access.token.claim"
        case .idToken: "id.token.claim"
        case .userinfo: "userinfo.token.claim"
        case .introspection: "introspection.token.claim"
        }
    }
}

extension MapperCommand: ListedResource {
    static let listAbstract = "List the mappers of a client or a client scope."

    static func list(_ selection: Selection, _ administration: Administration) async throws
        -> Listing
    {
        let found = try await selection.owner.find(administration)
        let mappers = found.owner.mappers.sorted { $0.name < $1.name }
        return Listing(
            Page(mappers, selection.list, key: \.name) { [$0.name, $0.word] },
            Table("MAPPER", "TYPE", "CLAIM"),
            none: "No mappers. Add one: "
                + portico("mapper add NAME --type TYPE \(words: found.words)"),
            row: { [$0.name, $0.word, $0.claim?.text] },
            json: { mapper in
                [
                    "id": .string(mapper.id), "name": .string(mapper.name),
                    "type": .string(mapper.word),
                    "settings": mapper.representation["config"] ?? .object(JSONObject()),
                ]
            }
        )
    }
}

extension ClaimMapper {
    /// Its kind, in Keycloak's words.
    fileprivate var word: String { representation.string("protocolMapper") ?? "" }
}

extension Administration {
    fileprivate func keep(
        _ mappers: [ClaimMapper],
        of owner: MapperOwner,
        as kind: Event.Kind
    ) async throws {
        try await changing {
            try await $0.update(
                owner.with(mappers),
                replacing: owner,
                as: kind,
                by: .commandLine,
                at: moment
            )
        }
    }
}

extension MapperCommand: DeletedResource {
    static let deleteConfiguration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a mapper."
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let found = try await name.owner.find(administration)
        let mappers = found.owner.mappers
        _ = try administration.find(
            "mapper of \(found.name)",
            name.name,
            among: mappers,
            by: \.name,
            portico("mapper list \(words: found.words)")
        )
        let kept = mappers.filter { !sameBytes($0.name, name.name) }
        return Deletion(
            name: name.name,
            subject: "Mapper \(name.name)",
            summary: "removed mapper \(name.name) of \(found.name)",
            warning: "This removes mapper \(printable(name.name)) of \(found.name): what it writes "
                + "is in no token any more.",
            done: "Removed mapper \(name.name) of \(found.name) in realm \(found.realm.name)."
        ) {
            try await administration.keep(kept, of: found.owner, as: .mapperDeleted)
            return .changed
        }
    }
}

extension Failure {
    fileprivate init(
        _ refusal: MapperRefusal,
        adding name: String,
        ofType type: String,
        to owner: String
    ) {
        switch refusal {
        case .isTaken:
            self.init(
                .exists,
                "Mapper \"\(printable(name))\" of \(owner) already exists.",
                "Remove it first, or choose another name."
            )
        case .unknownType:
            self.init(
                .wrongValue,
                "There is no type of mapper \"\(printable(type))\".",
                "Types are Keycloak's, such as oidc-usermodel-client-role-mapper."
            )
        case .invalid(let words):
            self.init(.refused, "The mapper is refused.", printable(words))
        }
    }
}
