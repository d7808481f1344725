import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What mappers put into one token or answer.
struct MappedToken {
    /// All claims but `sub` and `aud`.
    let claims: JSONObject
    /// What mappers add to `aud`, each once, in the order added.
    let audiences: [String]
    /// `sub`; `nil` where there is none: an access token has one only by a mapper.
    let subject: String?

    /// - Parameter mappers: As ``inOrder`` has them.
    init(_ mappers: [ClaimMapper], for target: ClaimMapper.Target, input: MapperInput) {
        var writer = MappedTokenWriter(target: target, input: input)
        // By place: a mapper is large, and most are for other targets.
        for place in mappers.indices where mappers[place].targets.contains(target) {
            writer.apply(mappers[place])
        }
        claims = writer.tree.object
        audiences = writer.audiences
        subject = writer.subject
    }
}

private struct MappedTokenWriter {
    let target: ClaimMapper.Target
    let input: MapperInput
    /// Made for the first mapper that asks.
    private lazy var roles = MappedRoles(input.roles)
    private(set) var tree = ClaimTree()
    private(set) var audiences: [String] = []
    private var seenAudiences: Set<ExactText> = []
    private(set) var subject: String?

    init(target: ClaimMapper.Target, input: MapperInput) {
        self.target = target
        self.input = input
        // OpenID Connect Core §2, §5.3.2: these always have one.
        if target == .idToken || target == .userInfo { subject = input.person?.id }
    }

    mutating func apply(_ mapper: ClaimMapper) {
        switch mapper.kind {
        case .renamedRole(let role, let name): roles.rename(role, to: name)
        case .fixedRole(let role): roles.insert(role)
        case .realmRoles(let prefix): write(roles.realm, prefix, mapper)
        case .clientRoles(let clientID, let prefix): write(clientID, prefix, mapper)
        case .audience(let audience): add(audience: audience)
        case .pairwise(let pairwise):
            subject = input.person.map {
                pairwise($0.id, own: input.sector, clientID: input.clientID)
            }
        case .fixedClaim(let value):
            if ClaimMapper.addsAudience(mapper.kind, mapper.claim) {
                for audience in value.string.map({ [$0] }) ?? value.strings ?? [] {
                    add(audience: audience)
                }
            } else {
                write([value], mapper)
            }
        case .attribute(let name, let aggregates):
            write(texts: input.attribute(name, aggregating: aggregates), mapper)
        case .property(let name):
            write(texts: input.person?.property(name).map { [$0] } ?? [], mapper)
        case .groups(let withPath):
            write(texts: input.groups.map { withPath ? $0.path : $0.names.last ?? "" }, mapper)
        case .note(let name): write(texts: input.note(name).map { [$0] } ?? [], mapper)
        case .address(let attributes): writeAddress(attributes, mapper)
        case .plain(let plain): apply(plain, mapper)
        }
    }

    private mutating func apply(_ kind: ClaimMapper.PlainKind, _ mapper: ClaimMapper) {
        switch kind {
        case .roleList:
            guard let path = mapper.claim, input.person != nil,
                !ReservedClaims.contain(path.root, in: target, writtenBy: mapper.kind)
            else { return }
            tree.set(.array(roles.flatNames.map(JSONValue.string)), at: path)
        case .fullName: write("name", input.fullName.map(JSONValue.string), mapper)
        case .audienceResolve: addClients()
        case .allowedOrigins:
            guard !input.allowedOrigins.isEmpty else { return }
            write("allowed-origins", .array(input.allowedOrigins.map(JSONValue.string)), mapper)
        case .acr: write("acr", input.acr.map(JSONValue.string), mapper)
        case .amr: write("amr", .array(input.amr.map(JSONValue.string)), mapper)
        case .sub: subject = input.person?.id
        case .sessionState: write("session_state", input.sessionID.map(JSONValue.string), mapper)
        case .nonce: write("nonce", input.nonce.map(JSONValue.string), mapper)
        case .claimsParameter: writeRequested(mapper)
        case .claimsParameterValue: writeRequestedValue(mapper)
        case .unknown: break
        }
    }

    /// Writes a claim that the kind names itself: none but those of its traits, by which administrators are
    /// let add it.
    private mutating func write(_ claim: String, _ value: JSONValue?, _ mapper: ClaimMapper) {
        guard let value, case .own(let names) = mapper.kind.traits.place, names.contains(claim)
        else { return }
        tree.set(value, at: ClaimPath(names: [claim]))
    }

    private mutating func writeAddress(_ attributes: [String: String], _ mapper: ClaimMapper) {
        var address = JSONObject()
        for (member, attribute) in attributes.sorted(by: { $0.key < $1.key }) {
            if let value = input.firstAttribute(attribute) { address[member] = .string(value) }
        }
        if !address.isEmpty { write("address", .object(address), mapper) }
    }
}

extension MappedTokenWriter {
    /// An empty text is no value (OpenID Connect Core §5.3.2).
    private mutating func write(texts: [String], _ mapper: ClaimMapper) {
        let texts = texts.filter { !$0.isEmpty }
        let written = mapper.isMultivalued ? texts[...] : texts.prefix(1)
        write(written.compactMap(mapper.type.value), mapper)
    }

    /// - Parameter path: The mapper's own, unless it is expanded.
    private mutating func write(
        _ values: [JSONValue],
        _ mapper: ClaimMapper,
        at path: ClaimPath? = nil
    ) {
        guard let path = path ?? mapper.claim, let first = values.first else { return }
        // Here too: a `client_id` may have been put into the path.
        guard !ReservedClaims.contain(path.root, in: target, writtenBy: mapper.kind) else { return }
        if mapper.isMultivalued {
            tree.add(values, at: path)
        } else {
            tree.set(first, at: path)
        }
    }

    private mutating func write(
        _ names: some Sequence<String>,
        _ prefix: String,
        _ mapper: ClaimMapper,
        at path: ClaimPath? = nil
    ) {
        let names = names.map { prefix + $0 }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let texts = mapper.isMultivalued ? names[...] : names.prefix(1)
        write(texts.compactMap(mapper.type.value), mapper, at: path)
    }

    /// The roles of one client, or of every client.
    private mutating func write(_ owner: String?, _ prefix: String, _ mapper: ClaimMapper) {
        guard let path = mapper.claim else { return }
        if let owner {
            write(roles.names(of: owner), prefix, mapper, at: path.expanded(for: owner))
            return
        }
        guard path.hasPlaceholder else {
            // One write for all, or each would look at what the others wrote.
            let names = roles.clientIDs.flatMap { clientID in
                let prefix = ClaimPath.expanded(prefix, for: clientID)
                return roles.names(of: clientID).map { prefix + $0 }
            }
            write(names, "", mapper)
            return
        }
        for clientID in roles.clientIDs {
            write(
                roles.names(of: clientID),
                ClaimPath.expanded(prefix, for: clientID),
                mapper,
                at: path.expanded(for: clientID)
            )
        }
    }

    private mutating func add(audience: String) {
        guard target != .userInfo, target != .tokenResponse else { return }
        if seenAudiences.insert(ExactText(audience)).inserted { audiences.append(audience) }
    }

    private mutating func addClients() {
        for clientID in roles.clientIDs where !sameBytes(clientID, input.clientID) {
            add(audience: clientID)
        }
    }

    /// The claims about the person that the request calls essential (OpenID Connect Core §5.5.1).
    private mutating func writeRequested(_ mapper: ClaimMapper) {
        let requested = target == .idToken ? input.requested?.idToken : input.requested?.userInfo
        for claim in requested ?? [] where claim.isEssential {
            switch claim.name {
            case "name": write("name", input.fullName.map(JSONValue.string), mapper)
            case "given_name": write("given_name", property("firstName"), mapper)
            case "family_name": write("family_name", property("lastName"), mapper)
            case "preferred_username": write("preferred_username", property("username"), mapper)
            case "email": write("email", property("email"), mapper)
            default: continue
            }
        }
    }

    private func property(_ name: String) -> JSONValue? {
        input.person?.property(name).map(JSONValue.string)
    }

    private mutating func writeRequestedValue(_ mapper: ClaimMapper) {
        guard let name = mapper.claim?.names.joined(separator: "."),
            let claim = input.requested?.idToken.first(where: { sameBytes($0.name, name) }),
            claim.isEssential, claim.values.count == 1, let value = claim.values[0].string
        else { return }
        write([.string(value)], mapper)
    }
}

/// The roles that a token tells of, while mappers change them.
private struct MappedRoles {
    private(set) var realm: Set<String> = []
    private var clients: [String: Set<String>] = [:]

    init(_ roles: Set<RoleName>) {
        for role in roles { insert(role) }
    }

    /// In alphabetical order, without clients of which no role is left.
    var clientIDs: [String] {
        clients.filter { !$0.value.isEmpty }.keys
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// All of them in one list: the realm's by their names, a client's as `CLIENT:ROLE`. A role of
    /// one client is never mistaken for the realm's or another client's: so the list leaves out a
    /// realm's role with a colon in its name, and the roles of a client with one in its
    /// `client_id`.
    var flatNames: [String] {
        func isPlain(_ name: String) -> Bool { !name.utf8.contains(UInt8(ascii: ":")) }
        let ofClients = clients.filter { isPlain($0.key) }.flatMap { clientID, names in
            names.map { "\(clientID):\($0)" }
        }
        return (realm.filter(isPlain) + ofClients).sorted()
    }

    func names(of clientID: String) -> Set<String> {
        clients[clientID] ?? []
    }

    mutating func insert(_ role: RoleName) {
        if let clientID = role.clientID {
            clients[clientID, default: []].insert(role.name)
        } else {
            realm.insert(role.name)
        }
    }

    mutating func rename(_ role: RoleName, to name: RoleName) {
        let former =
            if let clientID = role.clientID {
                clients[clientID]?.remove(role.name)
            } else {
                realm.remove(role.name)
            }
        if former != nil { insert(name) }
    }
}

extension ClaimMapper {
    /// Lower ones run first: roles are renamed and added before anything is made of them, whatever the
    /// order in which they were given.
    fileprivate var priority: Int {
        switch kind {
        case .plain(.sub): -10
        case .renamedRole: 10
        case .fixedRole: 20
        case .plain(.audienceResolve): 30
        case .realmRoles, .clientRoles: 40
        default: 0
        }
    }

    /// A fixed claim `aud` adds an audience.
    static func addsAudience(_ kind: Kind, _ claim: ClaimPath?) -> Bool {
        guard case .fixedClaim = kind, let claim else { return false }
        return claim.names == ["aud"]
    }
}

extension [ClaimMapper] {
    /// By priority, then by name and id, so that the same mappers always give the same token.
    var inOrder: [ClaimMapper] {
        sorted {
            guard $0.priority == $1.priority else { return $0.priority < $1.priority }
            guard sameBytes($0.name, $1.name) else {
                return $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
            }
            return $0.id.utf8.lexicographicallyPrecedes($1.id.utf8)
        }
    }
}
