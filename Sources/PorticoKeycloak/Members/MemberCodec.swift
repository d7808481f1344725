import PorticoBytes
import PorticoProtocol
import PorticoStores

/// How a member is read into a value that acts, and written from it.
struct MemberCodec<Owner: Sendable>: Sendable {
    typealias Path<Value> = any WritableKeyPath<Owner, Value> & Sendable
    typealias Read<Value> =
        @Sendable (SaidMember, inout ImportReport) throws(RealmImportError) -> Value

    let read:
        @Sendable (SaidMember, inout Owner, inout ImportReport) throws(RealmImportError) ->
            Void
    /// Whether a member, as it was said, still says what is here.
    let isSame: @Sendable (Owner, SaidMember) -> Bool
    /// `nil`: the member is taken away.
    let written: @Sendable (Owner) -> JSONValue?
    let take: @Sendable (_ other: Owner, inout Owner) -> Void
    /// What is read from several members, this one among them.
    var parts: Set<MemberPart> = []
    /// Whether it is written even where it was not said.
    var isAlways = false
    /// Whether it acts of Keycloak's own clients, too.
    var isOfAll = false

    /// A value that one member says.
    static func value<Value: Equatable & Sendable>(
        _ path: Path<Value>,
        read: @escaping Read<Value>,
        written: @escaping @Sendable (Value) -> JSONValue?
    ) -> MemberCodec {
        MemberCodec(
            read: { (said, owner, report) throws(RealmImportError) in
                owner[keyPath: path] = try read(said, &report)
            },
            isSame: { owner, said in
                var report = ImportReport(realm: "")
                // `try?`: what cannot be read was not imported.
                let former = try? read(said, &report)
                return former == .some(owner[keyPath: path])
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
            read: { (said, report) throws(RealmImportError) in
                let isOn = try said.bool() ?? usual
                if isOn, let words { report.add(.read, said.subject, "\(words)") }
                return isOn
            },
            written: { .bool($0) }
        )
    }

    /// A setting that is the text `true`, or missing.
    static func setting(_ path: Path<Bool>) -> MemberCodec {
        value(
            path,
            read: { (said, _) throws(RealmImportError) in try said.text()?.isTrue ?? false },
            written: { $0 ? "true" : nil }
        )
    }

    /// A number that is 0 where it is missing, and never less.
    static func number(_ path: Path<Int64>) -> MemberCodec {
        value(
            path,
            read: { (said, _) throws(RealmImportError) in max(0, try said.integer() ?? 0) },
            written: { .integer($0) }
        )
    }

    static func text(_ path: Path<String?>) -> MemberCodec {
        value(
            path,
            read: { (said, _) throws(RealmImportError) in try said.text() },
            written: { $0.map(JSONValue.string) }
        )
    }

    /// A member of a part, which is read elsewhere.
    static func part(
        _ parts: MemberPart...,
        isSame: @escaping @Sendable (Owner, SaidMember) -> Bool = { _, _ in true },
        written: @escaping @Sendable (Owner) -> JSONValue? = { _ in nil }
    ) -> MemberCodec {
        MemberCodec(
            read: { (_, _, _) throws(RealmImportError) in },
            isSame: isSame,
            written: written,
            take: { _, _ in },
            parts: Set(parts)
        )
    }

    func of(_ part: MemberPart) -> MemberCodec {
        var codec = self
        codec.parts.insert(part)
        return codec
    }

    var always: MemberCodec {
        var codec = self
        codec.isAlways = true
        return codec
    }

    var ofAll: MemberCodec {
        var codec = self
        codec.isOfAll = true
        return codec
    }
}

/// A member in its representation.
struct SaidMember {
    let representation: Representation
    let name: String
    /// Whose it is, for a report.
    let subject: String

    func text() throws(RealmImportError) -> String? { try representation.text(name) }

    func bool() throws(RealmImportError) -> Bool? { try representation.bool(name) }

    func integer() throws(RealmImportError) -> Int64? { try representation.integer(name) }

    /// What is stored is read as it was imported; what could not be is as missing.
    func storedText(_ name: String? = nil) -> String? {
        // `try?`: see above.
        (try? representation.text(name ?? self.name)) ?? nil
    }

    func storedBool(_ name: String? = nil) -> Bool? {
        // `try?`: see above.
        (try? representation.bool(name ?? self.name)) ?? nil
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

/// A line of a table: a member, and how it is read and written.
struct CodedMember<Owner: Sendable>: Sendable {
    let member: Member
    let codec: MemberCodec<Owner>?

    init(
        _ name: String,
        _ type: MemberType? = nil,
        _ fate: Member.Fate? = nil,
        in place: Member.Place = .kept,
        usual: JSONValue? = nil,
        difference: Member.Difference = .counts,
        by codec: MemberCodec<Owner>? = nil
    ) {
        member = Member(name, type, fate, in: place, usual: usual, difference: difference)
        self.codec = codec
    }
}

/// The members of a representation that is read into values that act.
struct MemberTable<Owner: Sendable>: Sendable {
    typealias Line = CodedMember<Owner>
    typealias Filter = (_ name: String, _ codec: MemberCodec<Owner>) -> Bool

    let representation: RepresentationMembers
    private let coded: [(member: Member, codec: MemberCodec<Owner>)]

    init(
        _ kind: String,
        _ lines: [Line],
        unknown: Member.Fate = .unknown
    ) {
        representation = RepresentationMembers(kind, lines.map(\.member), unknown: unknown)
        coded = lines.compactMap { line in line.codec.map { (line.member, $0) } }
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
            let said = SaidMember(
                representation: said,
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
        over said: Representation,
        to json: inout JSONObject,
        isWhole: Bool = true,
        where isMeant: Filter = { _, _ in true }
    ) {
        for (member, codec) in coded where isMeant(member.name, codec) {
            let said = SaidMember(representation: said, name: member.name, subject: "")
            if !codec.isSame(owner, said) {
                json[member.name] = codec.written(owner)
            } else if isWhole, codec.isAlways, json[member.name] == nil {
                json[member.name] = member.usual ?? codec.written(owner)
            }
        }
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
