import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The options of a command that set members of a client or a realm: one for each entry of its table that has one.
/// What is left out stays as it is.
typealias MemberOptions<Owner: MemberOwner> = TableOptions<MemberOptionTable<Owner>>

enum MemberOptionTable<Owner: MemberOwner>: OptionTable {
    fileprivate static var entries: [(option: String, member: Member<Owner>)] {
        Owner.members.compactMap { member in
            guard case .made(let option) = member.option else { return nil }
            return (option.description, member)
        }
    }

    static var options: [TableOption] {
        entries.map { option, member in
            TableOption(name: option, shape: member.shape.option, help: member.argumentHelp)
        }
    }
}

extension TableOptions {
    func apply<Owner>(to owner: inout Owner) throws where Table == MemberOptionTable<Owner> {
        for (option, member) in Table.entries {
            guard let said = said[option] else { continue }
            let value: JSONValue? =
                switch said {
                case .flag(let isOn): .bool(isOn)
                case .texts(let texts): member.shape.value(of: texts)
                }
            guard let value, try member.set(value, of: &owner),
                member.refusal(of: owner) == nil
            else {
                throw Failure(
                    .wrongValue,
                    "--\(option) cannot be \"\(printable(texts(option).joined(separator: " ")))\".",
                    "Expected: \(member.expectation ?? "another value")"
                )
            }
        }
    }
}

extension MemberShape {
    fileprivate func value(of texts: [String]) -> JSONValue? {
        let text = texts.last ?? ""
        switch self {
        case .flag, .state, .json: return nil
        case .text, .choice: return .string(text)
        case .number: return Int64(text).map(JSONValue.integer)
        case .texts, .choices:
            // An empty one by itself leaves none.
            return texts == [""] ? .array([]) : .array(texts.map(JSONValue.string))
        case .seconds(_, let words):
            if words.contains(text) { return .string(text) }
            return (DurationText(argument: text)?.seconds ?? Int64(text)).map(JSONValue.integer)
        }
    }

    fileprivate var option: TableOption.Shape {
        switch self {
        case .flag: .flag
        case .state: .state
        case .texts, .choices: .list
        case .text, .choice, .number, .seconds, .json: .text
        }
    }

    fileprivate var valueName: String {
        switch self {
        case .text(let name), .texts(let name): name
        case .choice, .choices: "name"
        case .number: "number"
        case .seconds: "time"
        case .flag, .state, .json: "value"
        }
    }
}

extension Member {
    /// What a correct value of its option looks like, where it has a form.
    fileprivate var expectation: String? {
        switch shape {
        case .choice(let words), .choices(let words): words.joined(separator: ", ")
        case .seconds(let bounds, let words):
            ([
                "a time from \(DurationText(seconds: bounds.lowerBound).text) to "
                    + "\(DurationText(seconds: bounds.upperBound).text)"
            ] + words).joined(separator: ", ")
        case .number(let bounds): "\(bounds.lowerBound) to \(bounds.upperBound)"
        case .text(let name), .texts(let name): "a \(name)"
        default: nil
        }
    }

    fileprivate var argumentHelp: ArgumentHelp {
        var text = help.description
        switch shape {
        case .choice(let words): text += " One of \(words.joined(separator: ", "))."
        case .choices(let words): text += " Of \(words.joined(separator: ", "))."
        default: break
        }
        if shape.option == .list { text += " Repeat for several." }
        return ArgumentHelp("\(text)", valueName: shape.valueName)
    }

    /// A value on a screen or in a document; `nil` for nothing.
    func words(_ value: JSONValue) -> String? {
        switch (shape, value) {
        case (.json, _), (_, .null): nil
        case (.state, .bool(let isOn)): isOn ? "enabled" : "disabled"
        case (_, .bool(let isOn)): yesNo(isOn)
        case (.seconds, .integer(let seconds)): DurationText(seconds: seconds).text
        case (_, .integer(let number)): "\(number)"
        case (_, .string(let text)): text.isEmpty ? nil : text
        default: joined(value.strings ?? [])
        }
    }

    /// Its row in a document: option, name, default, who sets it, and what it is.
    fileprivate var row: [String]? {
        guard setter != .program else { return nil }
        let options: String =
            switch (option, shape) {
            case (.made(let name), .flag): "`--\(name)`, `--no-\(name)`"
            case (.made(let name), .state): "`--enable-\(name)`, `--disable-\(name)`"
            case (.made(let name), _): "`--\(name)`"
            case (.written(let names), _): "\(names)"
            case (.none, _): "–"
            }
        var text = help.description
        switch shape {
        case .choice, .choices, .number, .seconds: text += " Values: \(expectation ?? "")."
        default: break
        }
        let standard = standardValue.map { words($0) ?? "none" } ?? "–"
        return ["`\(name)`", options, standard, setter.rawValue, text]
    }
}

extension MemberOwner {
    static var memberRows: [[String]] { members.compactMap(\.row) }

    var shownMembers: JSONObject {
        var json = JSONObject()
        for member in Self.members where member.label != nil {
            json[member.name.description] = member.value(of: self)
        }
        return json
    }

    /// The same for people: those that have a value.
    var shownFields: [(name: String, value: String?)] {
        Self.members.compactMap { member in
            guard let label = member.label, let words = member.words(member.value(of: self)) else {
                return nil
            }
            return (label.description, words)
        }
    }
}
