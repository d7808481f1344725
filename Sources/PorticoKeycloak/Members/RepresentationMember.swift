import PorticoBytes
import PorticoProtocol

/// A member of one of Keycloak's representations: what Keycloak calls it, and what becomes of it here.
struct RepresentationMember: Sendable {
    /// A `*` at the beginning or the end stands for anything.
    let name: String
    /// Why nothing here acts on it; `nil`: something does, or it follows from others.
    let fate: Fate?
    let place: Place
    /// What its line says its type is: always one that there is.
    let typeWord: String?
    /// What it is in something new that does not say it.
    let usual: JSONValue?
    let difference: Difference

    /// - Parameter word: `name`, or `name:type`. A `-` behind it is for what never counts as a difference,
    ///   a `?` for what counts where a file says it.
    init(
        _ word: String,
        _ fate: Fate? = nil,
        in place: Place = .kept,
        usual: JSONValue? = nil
    ) {
        let marks: [Character: Difference] = ["-": .none, "?": .countsWhereSaid]
        let mark = word.last.flatMap { marks[$0] }
        let parts = (mark == nil ? word[...] : word.dropLast()).split(separator: ":")
        name = String(parts[0])
        typeWord = parts.count > 1 ? String(parts[1]) : nil
        self.fate = fate
        self.place = place
        self.usual = usual
        difference = mark ?? .counts
    }

    /// `nil`: it is left as it stands.
    var type: MemberType? { typeWord.flatMap(MemberType.init(rawValue:)) }

    /// Whether a realm and a file that say it otherwise are different.
    enum Difference: Sendable {
        case counts
        /// Where a file says it: else it is made, or stays.
        case countsWhereSaid
        /// Never: it follows from something else, or is different at each reading.
        case none
    }

    /// Where it is stored.
    enum Place: Sendable {
        /// In what is kept of the file.
        case kept
        /// In a place of its own, where it says something; else it is kept.
        case held
        /// In a place of its own.
        case apart
        /// Nowhere in the clear.
        case secret
    }

    /// What a report says of a member that nothing here acts on.
    struct Fate: Sendable {
        let outcome: ImportReport.Outcome
        let words: StaticString
        /// ``ImportReport/Thing/isKept``
        var isKept = false

        static let unknown = ignored("kept: nothing here knows the field")

        static func ignored(_ words: StaticString) -> Fate {
            Fate(outcome: .ignored, words: words)
        }

        static func skipped(_ words: StaticString, isKept: Bool = false) -> Fate {
            Fate(outcome: .skipped, words: words, isKept: isKept)
        }

        static func weaker(_ words: StaticString) -> Fate { Fate(outcome: .weaker, words: words) }
    }
}

/// The members that a representation of Keycloak 19 to 26 may have. A request with any other one is
/// refused; of a file it is kept, and named.
struct RepresentationMembers: Sendable {
    /// Keycloak's name of the representation.
    let kind: String
    /// In the order in which Keycloak 26 writes them; then those of older versions.
    let members: [RepresentationMember]
    let names: Set<String>
    private let byName: [ExactText: RepresentationMember]
    private let patterns: [RepresentationMember]
    private let unknown: RepresentationMember.Fate

    /// - Parameter unknown: Why any other member is left.
    init(
        _ kind: String,
        _ members: [RepresentationMember],
        unknown: RepresentationMember.Fate = .unknown
    ) {
        self.kind = kind
        self.members = members
        self.unknown = unknown
        names = Set(members.map(\.name))
        byName = members.keyed { ExactText($0.name) }
        patterns = members.filter { $0.name.hasPrefix("*") || $0.name.hasSuffix("*") }
    }

    /// Members that are kept as they are.
    init(_ kind: String, _ words: String) {
        self.init(
            kind,
            words.split(whereSeparator: \.isWhitespace).map { RepresentationMember(String($0)) }
        )
    }

    subscript(name: String) -> RepresentationMember? {
        byName[ExactText(name)]
            ?? patterns.first { pattern in
                pattern.name.hasPrefix("*")
                    ? name.hasSuffix(pattern.name.dropFirst())
                    : name.hasPrefix(pattern.name.dropLast())
            }
    }

    var order: [String] { members.map(\.name) }

    /// What something new is that says nothing else.
    var usual: JSONObject {
        var usual = JSONObject()
        for member in members { usual[member.name] = member.usual }
        return usual
    }

    /// - Throws: a refusal of the first member that it does not have.
    func check(_ representation: Representation) throws(AdminRefusal) {
        for (name, _) in representation.object
        where name.utf8.count > 100 || !names.contains(name) {
            throw kind == Self.realm.kind ? .unreadable : .unknownMember(name, of: kind)
        }
    }

    /// Whether a member stands in what is kept of a file.
    func isKept(_ name: String, _ value: JSONValue) -> Bool {
        switch self[name]?.place ?? .kept {
        case .kept: true
        case .held: !value.says
        case .apart, .secret: false
        }
    }

    /// What has no place of its own.
    func kept(of object: JSONObject) -> JSONObject {
        var kept = JSONObject()
        for (name, value) in object where isKept(name, value) { kept[name] = value }
        return kept
    }

    /// Names each member that nothing here acts on, with the reason.
    ///
    /// - Parameter subject: Whose members they are; `nil`: the realm's.
    func add(_ object: JSONObject, _ subject: String?, to report: inout ImportReport) {
        for (name, value) in object where value.says {
            let member = self[name]
            guard let fate = member == nil ? unknown : member?.fate else { continue }
            report.add(
                fate.outcome,
                subject ?? name,
                subject == nil ? nil : name,
                "\(fate.words)",
                isKept: fate.isKept
            )
        }
    }
}

extension JSONValue {
    /// Whether a member has a meaning: `false`, 0 and empty values have none.
    fileprivate var says: Bool {
        switch self {
        case .null, .bool(false): false
        case .array(let values): !values.isEmpty
        case .object(let object): !object.isEmpty
        case .string(let text): !text.isEmpty && !sameBytes(text, "false")
        // What Keycloak writes for "not set".
        case .integer(let number): number > 0
        default: true
        }
    }
}
