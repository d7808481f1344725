import PorticoBytes

/// Reads a JSON text of any size from a source, a step at a time, as strictly as
/// ``JSONValue/init(parsing:limits:)``.
///
/// In memory are one chunk, the value that is being read, and the names of the members so far of
/// the objects that were entered; time is linear. A text that is broken further on is read up to
/// there: a caller that must not use half of it reads it twice.
///
/// ```swift
/// var reader = JSONReader(FileSource(file), limits: limits)
/// _ = try reader.next()                       // .beginObject
/// while let name = try reader.nextName() {
///     guard sameBytes(name, "users") else { try reader.skip(); continue }
///     _ = try reader.next()                   // .beginArray
///     while let person = try reader.nextElement() { … }
/// }
/// _ = try reader.next()                       // nil: nothing follows
/// ```
package struct JSONReader {
    package enum Event: Hashable, Sendable {
        case beginObject
        /// Of the member whose value is next.
        case name(String)
        case endObject
        case beginArray
        case endArray
        /// Neither an object nor an array.
        case value(JSONValue)
    }

    /// An object or array that was entered and not left.
    private struct Level {
        let isObject: Bool
        /// How many members or elements were begun.
        var count = 0
        /// Of the member that is being read.
        var name: String?
    }

    private var input: JSONInput
    private let limits: JSONLimits
    private var open: [Level] = []
    /// Of each object that is open, the names so far.
    private var names: [Set<ExactText>] = []
    private var sizeOfNames = 0
    private var hasBegun = false
    private var mayHaveMark: Bool
    /// A member's name was read, and its value was not.
    private var isAfterName = false

    /// - Parameters:
    ///   - limits: Its size is that of a single value that is read whole, or of all names of the
    ///     objects that are entered, not that of the text.
    ///   - chunk: How many bytes are asked for at once.
    ///   - mayHaveMark: Whether a byte order mark at the beginning is passed over (RFC 8259 §8.1), as
    ///     editors on Windows write it into files.
    package init(
        _ source: any ByteSource,
        limits: JSONLimits,
        chunk: Int = 256 * 1024,
        mayHaveMark: Bool = false
    ) {
        input = JSONInput(source, chunk: chunk)
        self.mayHaveMark = mayHaveMark
        self.limits = limits
    }

    /// How many bytes were read.
    package var offset: Int { input.offset }

    /// How many bytes stand before the value that was read whole last.
    package private(set) var start = 0

    /// Where the value stands that was read last, or is next after its name.
    package var path: JSONPath {
        JSONPath(
            open.compactMap { level in
                level.isObject
                    ? level.name.map(JSONPath.Step.name)
                    : level.count > 0 ? .index(level.count - 1) : nil
            }
        )
    }

    /// The next step; `nil` at the end of the text, after which nothing follows.
    package mutating func next() throws(JSONReadError) -> Event? {
        do {
            try passMark()
            try input.skipWhitespace()
            guard let level = open.last else {
                return hasBegun ? try end() : try event()
            }
            if isAfterName { return try event() }
            if try input.take(level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                leave()
                return level.isObject ? .endObject : .endArray
            }
            return level.isObject ? .name(try name()) : try event()
        } catch {
            throw located(error)
        }
    }

    /// The whole value that is next: the text's, a member's after its name, or an element.
    ///
    /// - Throws: `.tooLarge` if it is longer than the limit.
    package mutating func value() throws(JSONReadError) -> JSONValue {
        do {
            try passMark()
            try beginValue()
            start = input.offset
            return try input.value(limits.within(open.count))
        } catch {
            throw located(error)
        }
    }

    /// Reads past the value that is next, in the memory that one string or number of it needs.
    ///
    /// - Returns: Its first step.
    @discardableResult
    package mutating func skip() throws(JSONReadError) -> Event? {
        let level = open.count
        let first = try next()
        while open.count > level { _ = try next() }
        return first
    }

    /// The name of the next member of the object that was entered last; `nil` leaves it.
    package mutating func nextName() throws(JSONReadError) -> String? {
        if case .name(let name)? = try next() { name } else { nil }
    }

    /// The whole next element of the array that was entered last; `nil` leaves it.
    package mutating func nextElement() throws(JSONReadError) -> JSONValue? {
        do {
            try input.skipWhitespace()
            if try input.take(UInt8(ascii: "]")) {
                leave()
                return nil
            }
        } catch {
            throw located(error)
        }
        return try value()
    }
}

extension JSONReader {
    private mutating func passMark() throws(JSONFault) {
        guard mayHaveMark else { return }
        mayHaveMark = false
        try input.skipMark()
    }

    /// The step that the value is which is next.
    private mutating func event() throws(JSONFault) -> Event {
        try beginValue()
        switch try input.peek() {
        case UInt8(ascii: "{"):
            try enter(isObject: true)
            return .beginObject
        case UInt8(ascii: "["):
            try enter(isObject: false)
            return .beginArray
        default: return .value(try input.value(limits.within(open.count)))
        }
    }

    private mutating func end() throws(JSONFault) -> Event? {
        guard try input.peek() == nil else { throw JSONFault(.trailingBytes) }
        return nil
    }

    /// Reads what stands before a value, so that it is next.
    private mutating func beginValue() throws(JSONFault) {
        hasBegun = true
        isAfterName = false
        if let level = open.last, !level.isObject {
            if level.count > 0 { try input.expect(UInt8(ascii: ",")) }
            open[open.count - 1].count += 1
        }
        try input.skipWhitespace()
    }

    private mutating func enter(isObject: Bool) throws(JSONFault) {
        guard open.count < limits.depth else { throw JSONFault(.tooDeep) }
        input.skip(1)
        open.append(Level(isObject: isObject))
        if isObject { names.append([]) }
    }

    private mutating func leave() {
        guard open.removeLast().isObject else { return }
        for name in names.removeLast() { sizeOfNames -= name.text.utf8.count }
    }

    /// The name of a member, and the colon after it.
    private mutating func name() throws(JSONFault) -> String {
        let level = open.count - 1
        open[level].name = nil
        if open[level].count > 0 {
            try input.expect(UInt8(ascii: ","))
            try input.skipWhitespace()
        }
        guard try input.peek() == UInt8(ascii: "\"") else { throw try input.unexpected() }
        let name = try input.value(limits).string ?? ""
        open[level].count += 1
        sizeOfNames += name.utf8.count
        guard open[level].count <= limits.members, sizeOfNames <= limits.size else {
            throw JSONFault(.tooManyMembers)
        }
        open[level].name = name
        guard names[names.count - 1].insert(ExactText(name)).inserted else {
            throw JSONFault(.duplicateName)
        }
        try input.expect(UInt8(ascii: ":"))
        isAfterName = true
        return name
    }

    private func located(_ fault: JSONFault) -> JSONReadError {
        JSONReadError(
            reason: fault.reason,
            path: JSONPath(path.steps + fault.path.steps),
            offset: offset + fault.distance
        )
    }
}
