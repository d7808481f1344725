import PorticoBytes
import PorticoProtocol
import PorticoStores

/// How a member is read into a value that acts, and written from it.
struct MemberCodec<Owner: Sendable>: Sendable {
    typealias Path<Value> = any WritableKeyPath<Owner, Value> & Sendable

    typealias Reading =
        @Sendable (SaidMember, inout Owner, inout ImportReport) throws(RealmImportError) -> Void

    let read: Reading
    /// Whether a member, as it was said, still says what is here.
    let isSame: @Sendable (Owner, SaidMember) -> Bool
    /// `nil`: the member is taken away.
    let written: @Sendable (Owner) -> JSONValue?
    var take: @Sendable (_ other: Owner, inout Owner) -> Void = { _, _ in }
    /// What is read from several members, this one among them.
    var parts: Set<MemberPart> = []
    /// Whether it is written even where it was not said.
    var isAlways = false
    /// Whether it acts of Keycloak's own clients, too.
    var isOfAll = false

    /// A value that one member says.
    static func value<Value: Equatable & Sendable>(
        _ path: Path<Value>,
        read: @escaping @Sendable (SaidMember, Owner, inout ImportReport) -> Value,
        written: @escaping @Sendable (Value) -> JSONValue?
    ) -> MemberCodec {
        MemberCodec(
            read: { said, owner, report in
                let value = read(said, owner, &report)
                owner[keyPath: path] = value
            },
            isSame: { owner, said in
                var report = ImportReport(realm: "")
                return read(said, owner, &report) == owner[keyPath: path]
            },
            written: { written($0[keyPath: path]) },
            take: { $1[keyPath: path] = $0[keyPath: path] }
        )
    }

    /// - Parameter words: For the report, where it is on.
    static func flag(_ path: Path<Bool>, usual: Bool = false, noting words: StaticString? = nil)
        -> MemberCodec
    {
        value(
            path,
            read: { said, _, report in
                let isOn = said.bool ?? usual
                if isOn, let words { report.add(.read, said.subject, "\(words)") }
                return isOn
            },
            written: { .bool($0) }
        )
    }

    /// A setting that is the text `true`, or missing.
    static func setting(_ path: Path<Bool>) -> MemberCodec {
        value(path, read: { said, _, _ in said.isOn }, written: { $0 ? "true" : nil })
    }

    /// A number that is 0 where it is missing, and never less.
    static func number(_ path: Path<Int64>) -> MemberCodec {
        value(path, read: { said, _, _ in max(0, said.integer ?? 0) }, written: { .integer($0) })
    }

    static func text(_ path: Path<String?>) -> MemberCodec {
        value(path, read: { said, _, _ in said.text }, written: { $0.map(JSONValue.string) })
    }

    /// A text that is empty where it is missing.
    static func string(_ path: Path<String>) -> MemberCodec {
        value(path, read: { said, _, _ in said.text ?? "" }, written: { .string($0) })
    }

    static func texts(_ path: Path<[String]>) -> MemberCodec {
        value(path, read: { said, _, _ in said.texts ?? [] }, written: { .texts($0) })
    }

    /// A map of lists, of which a single text is one, too (Keycloak `attributes` of people, roles and
    /// groups).
    static func lists(_ path: Path<[String: [String]]>) -> MemberCodec {
        value(path, read: { said, _, _ in said.lists }, written: { .lists($0) })
    }

    /// Names of roles of the realm, beside those of clients (``clientRoles(_:)``).
    static func realmRoles(_ path: Path<[RoleName]>) -> MemberCodec {
        MemberCodec(
            read: { said, owner, _ in
                let ofClients = owner[keyPath: path].filter { $0.clientID != nil }
                let names = said.texts ?? []
                owner[keyPath: path] =
                    names.map { RoleName(clientID: nil, name: $0) } + ofClients
            },
            isSame: { $1.texts ?? [] == $0[keyPath: path].ofRealm },
            written: { .texts($0[keyPath: path].ofRealm) }
        )
    }

    /// Names of roles by their clients.
    static func clientRoles(_ path: Path<[RoleName]>) -> MemberCodec {
        MemberCodec(
            read: { said, owner, _ throws(RealmImportError) in
                owner[keyPath: path].removeAll { $0.clientID != nil }
                for (clientID, names) in try said.whole.lists(said.name) {
                    owner[keyPath: path] += names.map { RoleName(clientID: clientID, name: $0) }
                }
            },
            isSame: { $1.value == nil && $0[keyPath: path].byClient.isEmpty },
            written: { .object($0[keyPath: path].byClient) }
        )
    }

    /// A member that is written from what is known otherwise. It is not read, or read elsewhere.
    static func made(_ written: @escaping @Sendable (Owner) -> JSONValue?) -> MemberCodec {
        part(isSame: { _, _ in false }, written: written)
    }

    /// A member of a part, which is read elsewhere.
    static func part(
        _ parts: MemberPart...,
        isSame: @escaping @Sendable (Owner, SaidMember) -> Bool = { _, _ in true },
        written: @escaping @Sendable (Owner) -> JSONValue? = { _ in nil }
    ) -> MemberCodec {
        MemberCodec(
            read: { _, _, _ in },
            isSame: isSame,
            written: written,
            parts: Set(parts)
        )
    }

    /// A switch of a part.
    ///
    /// - Parameter isFollowed: Whether it acts where it is on.
    static func partSwitch(
        _ part: MemberPart,
        usual: Bool = false,
        _ isOn: @escaping @Sendable (Owner) -> Bool,
        where isFollowed: @escaping @Sendable (Owner, SaidMember) -> Bool = { _, _ in true }
    ) -> MemberCodec {
        self.part(
            part,
            isSame: { (($1.bool ?? usual) && isFollowed($0, $1)) == isOn($0) },
            written: { .bool(isOn($0)) }
        ).always
    }

    func of(_ part: MemberPart) -> MemberCodec { with { $0.parts.insert(part) } }
    var always: MemberCodec { with { $0.isAlways = true } }
    var ofAll: MemberCodec { with { $0.isOfAll = true } }

    private func with(_ change: (inout MemberCodec) -> Void) -> MemberCodec {
        var codec = self
        change(&codec)
        return codec
    }
}

/// A member in its representation, read as a table says its type; `nil`: it says nothing.
struct SaidMember {
    let whole: Representation
    let name: String
    /// Whose it is, for a report.
    let subject: String

    /// Another member beside it.
    func other(_ name: String) -> SaidMember {
        SaidMember(whole: whole, name: name, subject: subject)
    }

    var object: JSONObject { whole.object }
    var value: JSONValue? { object[name] }
    var bool: Bool? { value.flatMap(MemberType.bool.converted)?.bool }
    var integer: Int64? { value.flatMap(MemberType.integer.converted)?.int64 }
    var texts: [String]? { value.flatMap(MemberType.texts.converted)?.strings }

    var text: String? {
        let text = value.flatMap(MemberType.text.converted)?.string
        return text?.isEmpty == false ? text : nil
    }

    /// Whether it is a text that means `true`.
    var isOn: Bool { text?.isTrue ?? false }

    var lists: [String: [String]] {
        var lists: [String: [String]] = [:]
        for (name, value) in value?.object ?? JSONObject() where value != .null {
            let texts = MemberType.texts.converted(value)?.strings
            lists[name] = texts ?? [MemberType.text.converted(value)?.string].compactMap(\.self)
        }
        return lists
    }
}

/// What is read from several members.
enum MemberPart: Sendable {
    /// How a client proves itself, and whether it may.
    case proof
    case addresses
    case grants
    case scopes
}

/// A line of a table: a member, and how it is read and written; or some of which the same becomes.
struct MemberLine<Owner: Sendable>: Sendable {
    let members: [RepresentationMember]
    let codec: MemberCodec<Owner>?

    /// - Parameter words: As of ``RepresentationMember/init(_:_:in:usual:)``, with white space between them.
    init(
        _ words: String,
        _ fate: RepresentationMember.Fate? = nil,
        in place: RepresentationMember.Place = .kept,
        usual: JSONValue? = nil,
        by codec: MemberCodec<Owner>? = nil
    ) {
        members = words.split(whereSeparator: \.isWhitespace).map {
            RepresentationMember(String($0), fate, in: place, usual: usual)
        }
        self.codec = codec
    }
}

/// The members of a representation that is read into values that act.
struct MemberTable<Owner: Sendable>: Sendable {
    typealias Line = MemberLine<Owner>
    typealias Filter = (_ name: String, _ codec: MemberCodec<Owner>) -> Bool

    let representation: RepresentationMembers
    private let coded: [(member: RepresentationMember, codec: MemberCodec<Owner>)]

    init(_ kind: String, _ lines: [Line], unknown: RepresentationMember.Fate = .unknown) {
        representation = RepresentationMembers(kind, lines.flatMap(\.members), unknown: unknown)
        coded = lines.flatMap { line in
            line.members.compactMap { member in line.codec.map { (member, $0) } }
        }
    }

    /// - Parameter subject: Whose members they are; `nil`: the realm's.
    func read(
        _ said: Representation,
        of subject: String?,
        to owner: inout Owner,
        where isMeant: Filter = { _, _ in true },
        report: inout ImportReport
    ) throws(RealmImportError) {
        for (member, codec) in coded where isMeant(member.name, codec) {
            try said.expect(member.name, member.type ?? .text)
            let said = SaidMember(
                whole: said,
                name: member.name,
                subject: subject ?? member.name
            )
            try codec.read(said, &owner, &report)
        }
    }

    /// Writes what was said otherwise: what its file said stands, as long as it still says what is here.
    ///
    /// - Parameter isWhole: Whether it gets the members that every representation has.
    func write(
        _ owner: Owner,
        over said: JSONObject,
        to json: inout JSONObject,
        isWhole: Bool = true,
        where isMeant: Filter = { _, _ in true }
    ) {
        let said = Representation(stored: said)
        for (member, codec) in coded where isMeant(member.name, codec) {
            if !codec.isSame(owner, SaidMember(whole: said, name: member.name, subject: "")) {
                json[member.name] = codec.written(owner)
            } else if isWhole || member.place == .apart, codec.isAlways, json[member.name] == nil {
                let usual = codec.parts.isEmpty ? nil : member.usual
                json[member.name] = usual ?? codec.written(owner)
            }
        }
    }

    /// One that nothing was said of before.
    func json(of owner: Owner, where isMeant: Filter = { _, _ in true }) -> JSONObject {
        var json = JSONObject()
        write(owner, over: json, to: &json, where: isMeant)
        return json
    }

    func take(from other: Owner, to owner: inout Owner, where isMeant: Filter = { _, _ in true }) {
        for (member, codec) in coded where isMeant(member.name, codec) {
            codec.take(other, &owner)
        }
    }

    /// The parts that some members say something of.
    func parts(of names: Set<String>) -> Set<MemberPart> {
        coded.reduce(into: []) { parts, line in
            if names.contains(line.member.name) { parts.formUnion(line.codec.parts) }
        }
    }
}
