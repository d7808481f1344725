import PorticoAdministration
import PorticoProtocol
import PorticoProvider
import PorticoStores

extension Administration {
    /// What `portico client show` shows, with what stands beside the client.
    func description(of client: Client, in realm: Realm) async throws -> Description {
        let seen = try await realms.roles(shownTo: .client(client.id)).inOrder
        let account = try await people.serviceAccount(of: client.id, realmID: realm.id)
        let roles = (account?.roles ?? []).inOrder
        var description = client.description
        description.json["sees_roles"] = seen.json
        description.json["account"] = account.map { .string($0.person.username) } ?? .null
        description.json["account_roles"] = roles.json
        description.fields.insert(
            contentsOf: [
                ("Sees roles", joined(seen.map(\.text))),
                ("Own account", account?.person.username),
                ("Its roles", joined(roles.map(\.text))),
            ],
            at: description.fields.count - 1
        )
        return description
    }
}

extension Client {
    /// What `portico client show` shows; named as RFC 7591 §2 does where it has a name. Members are
    /// only ever added.
    var description: Description {
        var client = self
        client.administers = lendsAdministration
        var json: JSONObject = ["id": .string(id), "client_id": .string(clientID)]
        for member in client.shownMembers { json[member.name] = member.value }
        json["has_secret"] = .bool(secret != nil)
        json["claims"] = .array(
            claims.map { claim, source, targets in
                [
                    "claim": .string(claim), "source": .string(source),
                    "targets": .array(
                        ClaimMapper.Target.allCases.filter(targets.contains)
                            .map { .string($0.rawValue) }
                    ),
                ]
            }
        )
        json["audiences"] = .array(audiences.map { .string($0) })
        json["mappers"] = .array(mappers.map { .string($0.name) })
        let targets = loginTokenTargets.map { $0.clientID + ($0.isSilent ? ", silently" : "") }
        let others = [
            ("Hands sign-in to", joined(targets)),
            ("Claims", joined(claims.map { "\($0.claim)=\($0.source)" })),
            ("Audiences", joined(audiences)),
            ("Mappers", mappers.isEmpty ? nil : mappers.map(\.name).joined(separator: ", ")),
        ]
        return Description(
            json: json,
            fields: [("Client", clientID)] + client.shownFields + others + [("Id", id)]
        )
    }

    var state: String { isEnabled ? "enabled" : "disabled" }

    /// As `--claim` takes them; other mappers have only their names here.
    private var claims: [(claim: String, source: String, targets: ClaimMapper.Targets)] {
        mappers.compactMap { mapper in
            guard let claim = mapper.topClaim, let source = mapper.source else { return nil }
            return (claim, source, mapper.targets)
        }
    }

    private var audiences: [String] { mappers.compactMap(\.audience) }
}
