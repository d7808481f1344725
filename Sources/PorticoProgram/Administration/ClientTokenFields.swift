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
        if let algorithm {
            client.idTokenAlgorithm = algorithm
            client.accessTokenAlgorithm = algorithm
        }
        if let idTokenAlgorithm { client.idTokenAlgorithm = idTokenAlgorithm }
        if let accessTokenAlgorithm { client.accessTokenAlgorithm = accessTokenAlgorithm }
        if let accessTokenType { client.accessTokenType = accessTokenType }
        if let accessTokenLifetime { client.accessTokenLifetime = accessTokenLifetime }
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
