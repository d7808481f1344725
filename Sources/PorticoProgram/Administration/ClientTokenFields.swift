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

    /// - Parameter random: Makes the ids of mappers.
    func apply(to client: inout Client, random: RandomSource) throws(Failure) {
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
            try Self.remove("claim", claim, from: &client, having: \.topClaim)
        }
        for audience in removedAudiences {
            try Self.remove("audience", audience, from: &client, having: \.audience)
        }
        // One claim has one source: a second mapper of it would win, or lose, by its place.
        for text in claims {
            let source = try ClaimSource(text)
            let former = client.mappers.firstIndex { sameBytes($0.topClaim ?? "", source.claim) }
            let id = former.map { client.mappers[$0].id } ?? UniqueID(random: random).text
            client.mappers.removeAll { sameBytes($0.topClaim ?? "", source.claim) }
            try Self.insert(source.mapper(id: id), at: former, in: &client)
        }
        for audience in audiences
        where !client.mappers.contains(where: { sameBytes($0.audience ?? "", audience) }) {
            let mapper = ClaimMapper(
                id: UniqueID(random: random).text,
                name: "audience \(audience)",
                kind: .audience(audience),
                targets: [.accessToken, .introspection]
            )
            try Self.insert(mapper, at: nil, in: &client)
        }
    }

    /// Mappers of one client are told apart by their names.
    private static func insert(_ mapper: ClaimMapper, at place: Int?, in client: inout Client)
        throws(Failure)
    {
        guard !client.mappers.contains(where: { sameBytes($0.name, mapper.name) }) else {
            throw Failure(
                .exists,
                "Client \(printable(client.clientID)) already has a mapper "
                    + "\"\(printable(mapper.name))\", which writes something else.",
                "Remove it first: "
                    + portico("mapper remove \(mapper.name) --client \(client.clientID)")
            )
        }
        client.mappers.insert(mapper, at: place ?? client.mappers.count)
    }

    private static func remove(
        _ kind: String,
        _ name: String,
        from client: inout Client,
        having part: (ClaimMapper) -> String?
    ) throws(Failure) {
        let kept = client.mappers.filter { part($0).map { !sameBytes($0, name) } ?? true }
        guard kept.count < client.mappers.count else {
            let known = client.mappers.compactMap { part($0).map(printable) }
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
        case .apart(let idle, let most):
            "\(Times.duration(idle)) without use, \(Times.duration(most)) at most"
        }
    }
}
