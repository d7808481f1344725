import PorticoBytes
package import PorticoProtocol

/// A value whose settings stand in a table: storage, the options of commands, what `show` prints and the
/// documents follow from it.
package protocol MemberOwner: Sendable {
    /// One with the defaults of all its settings.
    static var blank: Self { get }
    static var members: [Member<Self>] { get }
}

/// One setting of a client or a realm: all that is known of it but its use.
package struct Member<Owner: MemberOwner>: Sendable {
    /// Of RFC 7591 and the standards beside it where they have one.
    package let name: StaticString
    package let shape: MemberShape
    package private(set) var setter = MemberSetter.program
    package private(set) var option = MemberOption.none
    /// In front of its value on a screen; `nil`: it is not shown.
    package private(set) var label: StaticString?
    /// One sentence.
    package private(set) var help: StaticString = ""
    /// What ``refusal(of:)`` says.
    private var rule: StaticString = "It is shorter or longer than allowed."
    private var holds: (@Sendable (Owner) -> Bool)?
    /// Whether tables of their own keep it, and not the document.
    private var isInTables = false
    private let key: String
    private let standard: JSONValue
    private let isRequired: Bool
    private let read: @Sendable (JSONValue, inout Owner) throws -> Bool
    private let get: @Sendable (Owner) -> JSONValue

    /// - Parameters:
    ///   - path: Its property, which has the default.
    ///   - isRequired: Whether it is always written, and must be there.
    init<Value>(
        _ name: StaticString,
        _ form: MemberForm<Value>,
        at path: any WritableKeyPath<Owner, Value> & Sendable,
        isRequired: Bool = false
    ) {
        self.name = name
        self.isRequired = isRequired
        shape = form.shape
        key = name.description
        standard = form.write(Owner.blank[keyPath: path])
        get = { form.write($0[keyPath: path]) }
        read = { json, owner in
            guard let value = try form.read(json) else { return false }
            owner[keyPath: path] = value
            return true
        }
    }

    /// - Parameter setter: What the documents say; nothing is refused by it (``MemberSetter``).
    func set(by setter: MemberSetter, _ option: MemberOption = .none, label: StaticString? = nil)
        -> Self
    {
        var member = self
        (member.setter, member.option, member.label) = (setter, option, label)
        return member
    }

    func help(_ help: StaticString) -> Self {
        var member = self
        member.help = help
        return member
    }

    /// Tables of their own keep it: it refers to other things by their ids.
    func inTables() -> Self {
        var member = self
        member.isInTables = true
        return member
    }

    /// - Parameters:
    ///   - rule: What it must keep besides its form, as a sentence.
    ///   - holds: Whether it does, if that is not about the bounds of a time.
    func rule(_ rule: StaticString, holds: (@Sendable (Owner) -> Bool)? = nil) -> Self {
        var member = self
        (member.rule, member.holds) = (rule, holds)
        return member
    }

    /// The value, also where it is the default.
    package func value(of owner: Owner) -> JSONValue { get(owner) }

    /// What is meant where nothing is said; `nil` where something must be.
    package var standardValue: JSONValue? { isRequired ? JSONValue?.none : standard }

    /// - Parameter value: `null` for the default.
    /// - Returns: `false`, and changes nothing, where it has another form.
    package func set(_ value: JSONValue, of owner: inout Owner) throws -> Bool {
        try read(value == .null && !isRequired ? standard : value, &owner)
    }

    /// Limits a time to its bounds.
    func bound(_ owner: inout Owner) {
        guard case .seconds(let bounds, _) = shape, let time = get(owner).int64 else { return }
        let bounded = min(max(time, bounds.lowerBound), bounds.upperBound)
        // `try?`: a number has the form of a time.
        _ = try? read(.integer(bounded), &owner)
    }

    /// The rule that its value breaks, by itself.
    package func refusal(of owner: Owner) -> MemberRefusal? {
        var isWithin = true
        switch shape {
        case .seconds(let bounds, _), .number(let bounds):
            isWithin = get(owner).int64.map(bounds.contains) ?? true
        default: break
        }
        return isWithin && holds?(owner) ?? true ? nil : MemberRefusal(member: name, rule: rule)
    }

    fileprivate func read(from document: JSONObject, whole: Bool, into owner: inout Owner) throws {
        guard whole || !isInTables else { return }
        switch document[key] {
        case nil where !isRequired: break
        case let value?:
            // A form that takes `null` says itself what that is.
            guard try read(value, &owner) || value == .null && !isRequired else {
                throw DocumentError(member: name)
            }
        case nil: throw DocumentError(member: name)
        }
    }

    fileprivate func write(_ owner: Owner, whole: Bool, to document: inout JSONObject) {
        guard whole || !isInTables else { return }
        let value = get(owner)
        // `nil` alone would be JSON's `null`.
        document[key] = value == standard && !isRequired ? JSONValue?.none : value
    }
}

/// The least that is needed to set a member, for the documents: each may set what those before may. It is no
/// check: each face says itself which members it takes, and `AdminRights` (PorticoAdministration) refuses what
/// an administrator may not change.
package enum MemberSetter: String, Sendable {
    /// The client itself, by registration or by its document.
    case client
    /// An administrator of the realm.
    case administrator
    /// The people who run the server, by a command.
    case `operator`
    /// The program itself.
    case program
}

/// The option of commands that sets a member.
package enum MemberOption: ExpressibleByStringLiteral, Sendable {
    case none
    /// Made from the table.
    case made(StaticString)
    /// Of a command, which knows more of it: their names as a document writes them.
    case written(StaticString)

    package init(stringLiteral name: StaticString) { self = .made(name) }
}

/// A member whose value breaks a rule.
package struct MemberRefusal: Error, Hashable, Sendable {
    package let member: StaticString
    /// One English sentence for the administrator.
    package let rule: StaticString

    package static func == (one: Self, other: Self) -> Bool {
        sameBytes(one.member.description, other.member.description)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(member.description)
    }
}

extension MemberOwner {
    /// All members from a kept document: strict about types, silent about members it does not know, because a
    /// newer program may have written them.
    ///
    /// - Parameter whole: Whether it has what tables of their own keep for others.
    mutating func read(_ document: JSONObject, whole: Bool = false) throws {
        for member in Self.members { try member.read(from: document, whole: whole, into: &self) }
    }

    /// Writes what this program knows over `document`, and leaves what a newer one put there. A default is left
    /// out.
    package func write(to document: inout JSONObject) {
        for member in Self.members { member.write(self, whole: false, to: &document) }
    }

    /// All values by the names of their members, defaults too: to compare one with another.
    package var memberValues: JSONObject {
        var values = JSONObject()
        for member in Self.members { values["\(member.name)"] = member.value(of: self) }
        return values
    }

    /// All that is known, with what tables of their own keep.
    package var wholeDocument: JSONObject {
        var document = JSONObject()
        for member in Self.members { member.write(self, whole: true, to: &document) }
        return document
    }

    /// All entries of a table, in their order.
    static func members(of table: Any) -> [Member<Self>] {
        Mirror(reflecting: table).children.compactMap { $0.value as? Member<Self> }
    }
}
