package import ArgumentParser
import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// The fields of a new or changed client. What is left out stays as it is.
///
/// Most follow from the table of its members. Those here add to a list, read a file, or set several.
struct ClientFields: ParsableArguments {
    @OptionGroup(title: "Settings") var members: MemberOptions<Client>

    @Flag(exclusivity: .exclusive) var codeProtection: CodeProtection?

    @Option(
        help: .value("algorithm", "Signs both kinds of its tokens: ES256, RS256, PS256 or EdDSA.")
    )
    var algorithm: SignatureAlgorithm?

    @Option(help: .value("path", "A JWK set with its public keys; - for stdin."))
    var jwksFile: String?

    @OptionGroup(title: "Scopes") var scopes: ScopeOptions

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

    @Option(
        name: .customLong("login-token-target"),
        help: .value(
            "client",
            "A client it may hand its sign-in on to, by login token or device secret. "
                + "Repeat for several."
        )
    )
    var targets: [String] = []

    @Option(
        name: .customLong("silent-login-token-target"),
        help: .value("client", "The same, and a link with a login token signs in without asking.")
    )
    var silentTargets: [String] = []

    @Option(
        name: .customLong("remove-login-token-target"),
        help: .value("client", "A client to remove from those. Repeat for several.")
    )
    var removedTargets: [String] = []

    func apply(to client: inout Client, random: RandomSource) throws {
        if let algorithm {
            client.idTokenAlgorithm = algorithm
            client.accessTokenAlgorithm = algorithm
        }
        if let codeProtection { client.codeProtection = codeProtection }
        try members.apply(to: &client)
        guard client.redirectRule != .patterns || !members.says("development") else {
            throw Failure(
                .refused,
                "--development has no effect at client \(printable(client.clientID)): "
                    + "its redirect URIs are patterns, and take such addresses without.",
                "Name the address: --redirect-uri exp://…"
            )
        }
        if client.backchannelLogoutURI == nil, !members.says("backchannel-logout-session") {
            client.backchannelLogoutSessionRequired = false
        }
        var lists = (defaults: client.defaultScopes, optionals: client.optionalScopes)
        try scopes.change(&lists, of: "The client")
        (client.defaultScopes, client.optionalScopes) = (lists.defaults, lists.optionals)
        try applyMappers(to: &client, random: random)
        try applyTargets(to: &client)
        if client.handOff.form == .none { client.handOff = HandOffRules() }
        if let jwksFile { client.keySet = try Self.keySet(jwksFile) }
    }

    /// - Parameter client: With all options applied.
    /// - Throws: where one was said that does nothing at it (docs/decisions/0123).
    func expectEffect(at client: Client) throws(Failure) {
        func refused(_ option: String, _ why: String, _ advice: String) -> Failure {
            Failure(
                .refused,
                "\(option) has no effect at client \(printable(client.clientID)): \(why)",
                advice
            )
        }
        if client.authentication == .none,
            members.says("strict") || members.says("token-endpoint-audience")
        {
            throw refused(
                members.says("strict") ? "--strict" : "--token-endpoint-audience",
                "it does not authenticate.",
                "A server can: --type confidential --authentication METHOD"
            )
        }
        if jwksFile != nil, client.authentication != .privateKeyJWT {
            throw refused(
                "--jwks-file",
                "it does not authenticate by keys.",
                "It can: --authentication private_key_jwt"
            )
        }
        let isApp = client.handOff.form != .none
        let ofApps = ["default", "apple-app", "android-app", "native-audience", "store-link"]
        if !isApp, let option = ofApps.first(where: members.says) {
            throw refused(
                "--\(option)",
                "it is no app of the backend.",
                "Make it one: --hand-off code"
            )
        }
        let ofSignIns = ["post-logout-redirect-uri", "consent", "stay-signed-in"]
        if !client.grantTypes.contains(.authorizationCode),
            let option = (ofSignIns + (isApp ? [] : ["redirect-uri"])).first(where: members.says)
        {
            throw refused(
                "--\(option)",
                "no one signs in to it.",
                "Let people sign in to it: --grant-type authorization_code"
            )
        }
    }

    private func applyMappers(to client: inout Client, random: RandomSource) throws(Failure) {
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

    private func applyTargets(to client: inout Client) throws(Failure) {
        for name in removedTargets {
            guard client.loginTokenTarget(name) != nil else {
                let known = client.loginTokenTargets.map { printable($0.clientID) }
                throw Failure(
                    .notFound,
                    "The client has no login token target \"\(printable(name))\".",
                    known.isEmpty ? "It has none." : "It has: \(known.joined(separator: " "))"
                )
            }
            client.loginTokenTargets.removeAll { sameBytes($0.clientID, name) }
        }
        for (names, isSilent) in [(targets, false), (silentTargets, true)] {
            for name in names {
                let target = LoginTokenTarget(clientID: name, isSilent: isSilent)
                let place = client.loginTokenTargets.firstIndex { sameBytes($0.clientID, name) }
                if let place {
                    client.loginTokenTargets[place] = target
                } else {
                    client.loginTokenTargets.append(target)
                }
            }
        }
    }

    private static func keySet(_ path: String) throws(Failure) -> JSONValue {
        let bytes = try FileInput.bytes(path, limit: 64 * 1024)
        do {
            return .object(try JSONObject(parsing: bytes))
        } catch {
            throw Failure(.wrongValue, "\(printable(path)) is not a JWK set.", "\(error)")
        }
    }
}

extension SignatureAlgorithm: ExpressibleByArgument {}

extension CodeProtection: EnumerableFlag {
    package static func name(for value: CodeProtection) -> NameSpecification {
        switch value {
        case .pkce: .customLong("pkce")
        case .pkceOrNonce: .customLong("pkce-or-nonce")
        case .none: .customLong("no-pkce")
        }
    }

    package static func help(for value: CodeProtection) -> ArgumentHelp? {
        switch value {
        case .pkce: "It must use PKCE."
        case .pkceOrNonce: "It must use PKCE, or a nonce with scope openid."
        case .none: "It does not have to use either."
        }
    }
}
