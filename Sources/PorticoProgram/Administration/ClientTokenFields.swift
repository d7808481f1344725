import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What a client's tokens are signed with, and what they contain.
struct ClientTokenFields: ParsableArguments {
    @Option(
        help: .value("algorithm", "Signs both kinds of its tokens: ES256, RS256, PS256 or EdDSA.")
    )
    var algorithm: SignatureAlgorithm?

    @Option(help: .value("algorithm", "Signs its ID Tokens."))
    var idTokenAlgorithm: SignatureAlgorithm?

    @Option(help: .value("algorithm", "Signs its access tokens."))
    var accessTokenAlgorithm: SignatureAlgorithm?

    @Option(
        help: .value(
            "typ",
            "The header typ of its access tokens: at+jwt, or JWT for APIs that require it."
        )
    )
    var accessTokenType: AccessTokenType?

    @Option(help: .value("seconds", "How long its access tokens are valid."))
    var accessTokenLifetime: Int64?

    @Option(
        help: .value(
            "time",
            """
            How long people stay signed in without using it, such as 30d; realm: the realm's time; \
            session: only as long as the browser session.
            """
        )
    )
    var staySignedIn: StaySignedIn?

    @Option(
        name: .customLong("claim"),
        help: ArgumentHelp(
            """
            A claim of its tokens: NAME=roles, NAME=roles:CLIENT, NAME=attribute:NAME, \
            NAME=attribute:NAME[] with all its values, or NAME=value:TEXT. Repeat for several.
            """,
            valueName: "name=source"
        )
    )
    var claims: [String] = []

    @Option(
        name: .customLong("remove-claim"),
        help: .value("name", "A claim to remove. Repeat for several.")
    )
    var removedClaims: [String] = []

    @Option(
        name: .customLong("audience"),
        help: .value("name", "Another audience of its access tokens. Repeat for several.")
    )
    var audiences: [String] = []

    @Option(
        name: .customLong("remove-audience"),
        help: .value("name", "An audience to remove. Repeat for several.")
    )
    var removedAudiences: [String] = []

    func apply(to client: inout Client) throws(Failure) {
        try expectEffect(at: client)
        if let algorithm {
            client.idTokenAlgorithm = algorithm
            client.accessTokenAlgorithm = algorithm
        }
        if let idTokenAlgorithm { client.idTokenAlgorithm = idTokenAlgorithm }
        if let accessTokenAlgorithm { client.accessTokenAlgorithm = accessTokenAlgorithm }
        if let accessTokenType { client.accessTokenType = accessTokenType }
        if let accessTokenLifetime { client.accessTokenLifetime = accessTokenLifetime }
        if let staySignedIn { client.staySignedIn = staySignedIn }
        for claim in removedClaims {
            try Self.remove("claim", claim, from: &client, having: \.claim)
        }
        for audience in removedAudiences {
            try Self.remove("audience", audience, from: &client, having: \.audience)
        }
        // One claim has one source: a second mapper of it would win, or lose, by its place.
        for text in claims {
            let mapper = ClaimMapper(try ClaimSource(text).source)
            let name = mapper.source.claim ?? ""
            let place = client.mappers.firstIndex { sameBytes($0.source.claim ?? "", name) }
            client.mappers.removeAll { sameBytes($0.source.claim ?? "", name) }
            client.mappers.insert(
                mapper,
                at: min(place ?? client.mappers.count, client.mappers.count)
            )
        }
        for audience in audiences
        where !client.mappers.contains(where: { sameBytes($0.source.audience ?? "", audience) }) {
            client.mappers.append(ClaimMapper(.audience(audience), into: [.accessToken]))
        }
    }

    /// A client of Keycloak's kind gets its claims and audiences from mappers, and nothing else.
    private func expectEffect(at client: Client) throws(Failure) {
        guard client.keycloak != nil else { return }
        let id = client.clientID
        let option: String
        let command: String
        if let text = claims.first {
            (option, command) = (
                "--claim", try Self.mapperCommand(try ClaimSource(text).source, id)
            )
        } else if let name = audiences.first {
            (option, command) = ("--audience", try Self.mapperCommand(.audience(name), id))
        } else if let name = removedClaims.first ?? removedAudiences.first {
            option = removedClaims.isEmpty ? "--remove-audience" : "--remove-claim"
            command = portico("mapper remove \(name) --client \(id)")
        } else {
            return
        }
        throw Failure(
            .refused,
            "\(option) has no effect at client \(printable(id)): it is of Keycloak's kind, and has mappers.",
            "Do it by a mapper: \(command)",
            "Its mappers: \(portico("mapper list --client \(id)"))"
        )
    }

    /// What makes the same at a client of Keycloak's kind.
    private static func mapperCommand(_ source: ClaimMapper.Source, _ clientID: String)
        throws(Failure) -> String
    {
        func command(_ name: String, _ type: String, _ settings: [String]) -> String {
            let words = ["--client", clientID, "--type", type]
            return portico(
                "mapper add \(name) \(words: words + settings.flatMap { ["--setting", $0] })"
            )
        }
        switch source {
        case .audience(let name):
            return command(
                name,
                "oidc-audience-mapper",
                ["included.custom.audience=\(name)"]
            )
        case .realmRoles(let claim):
            return command(claim, "oidc-usermodel-realm-role-mapper", ["claim.name=\(claim)"])
        case .clientRoles(let client, let claim):
            return command(
                claim,
                "oidc-usermodel-client-role-mapper",
                ["usermodel.clientRoleMapping.clientId=\(client)", "claim.name=\(claim)"]
            )
        case .attribute(let name, let claim, let isMultivalued):
            return command(
                claim,
                "oidc-usermodel-attribute-mapper",
                ["user.attribute=\(name)", "claim.name=\(claim)"]
                    + (isMultivalued ? ["multivalued=true"] : [])
            )
        case .fixed(let claim, let value):
            return command(
                claim,
                "oidc-hardcoded-claim-mapper",
                ["claim.name=\(claim)", "claim.value=\(value.string ?? "")"]
            )
        }
    }

    private static func remove(
        _ kind: String,
        _ name: String,
        from client: inout Client,
        having part: (ClaimMapper.Source) -> String?
    ) throws(Failure) {
        let kept = client.mappers.filter { mapper in
            part(mapper.source).map { !sameBytes($0, name) } ?? true
        }
        guard kept.count < client.mappers.count else {
            let known = client.mappers.compactMap { mapper in part(mapper.source).map(printable) }
            throw Failure(
                .notFound,
                "The client has no \(kind) \"\(printable(name))\".",
                known.isEmpty ? "It has none." : "It has: \(known.joined(separator: " "))"
            )
        }
        client.mappers = kept
    }
}

extension StaySignedIn: ExpressibleByArgument {
    /// `session`, `realm`, or a time.
    package init?(argument: String) {
        switch argument {
        case "session": self = .session
        case "realm": self = .realm
        default:
            guard let time = DurationText(argument: argument) else { return nil }
            self = .idle(time.seconds)
        }
    }

    /// As `portico client show` has it.
    var words: String {
        switch self {
        case .session: "as long as the browser session"
        case .realm: "the realm's time without use"
        case .idle(let seconds): "\(Times.duration(seconds)) without use"
        }
    }
}
