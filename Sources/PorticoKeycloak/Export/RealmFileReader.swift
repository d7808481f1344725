import PorticoBytes
package import PorticoProtocol

/// Reads a file with realms a piece at a time: the realm without its people as a whole, its people
/// one by one. The file is read from its beginning each time.
package struct RealmFileReader {
    private let source: () -> any ByteSource
    private let placeholders: Placeholders

    /// Of a value: a member of the realm, or a person. Stores keep nothing deeper.
    private static let limits = JSONLimits(size: 64 << 20, depth: 48).keepingDigits

    /// - Parameter source: Begins the file again.
    package init(
        placeholders: Placeholders = .refused,
        _ source: @escaping () -> any ByteSource
    ) {
        self.source = source
        self.placeholders = placeholders
    }

    package struct Realm: Sendable {
        /// Without its people.
        package let json: JSONObject
        /// Whether it says anything of people.
        package let hasPeople: Bool
        /// Its place in an array of realms.
        fileprivate let index: Int?
    }

    package enum Failure: Error, Hashable, Sendable {
        case unreadable(JSONReadError)
        case placeholders([Placeholders.Unfilled])
        /// Where a realm, or a person, should be an object.
        case notAnObject(JSONPath)
        /// The names of the realms that it has instead, not more than some.
        case noSuchRealm([String])
    }

    /// The realm of that name. The whole text is read, so that a broken end is noticed.
    package func realm(named name: String) throws(Failure) -> Realm {
        var found: Realm?
        var others: [String] = []
        var unfilled: [Placeholders.Unfilled] = []
        try each { (reader, index) in
            var members: [(name: String, value: JSONValue)] = []
            var hasPeople = false
            while let member = try reader.nextName() {
                if sameBytes(member, "users") {
                    hasPeople = try reader.skip() != .value(.null)
                } else {
                    // One that is null is missing, as in an import.
                    let value = try reader.value()
                    if value != .null { members.append((member, value)) }
                }
            }
            let path = index.map { "[\($0)]" } ?? ""
            let whole = JSONValue.object(JSONObject(unique: members) ?? JSONObject())
            let read: JSONObject?
            do throws(Failure) {
                read = try filled(whole, path)
            } catch {
                guard case .placeholders(let more) = error else { throw error }
                unfilled.note(more)
                return
            }
            guard let json = read, let other = json.string("realm") else { return }
            if found == nil, sameBytes(other, name) {
                found = Realm(json: json, hasPeople: hasPeople, index: index)
            } else if others.count < 10 {
                others.append(other)
            }
        }
        guard unfilled.isEmpty else {
            unfilled.note(unfilledOfPeople())
            throw .placeholders(unfilled)
        }
        guard let found else { throw .noSuchRealm(others) }
        return found
    }

    /// Who sets variables wants the names of all at once.
    private func unfilledOfPeople() -> [Placeholders.Unfilled] {
        var unfilled: [Placeholders.Unfilled] = []
        // `try?`: what else is wrong with the file is told once these are replaced.
        try? each { (reader, _) in
            while let member = try reader.nextName() {
                guard sameBytes(member, "users"), try reader.next() == .beginArray else {
                    if !sameBytes(member, "users") { try reader.skip() }
                    continue
                }
                while let value = try reader.nextElement() {
                    do throws(Failure) {
                        _ = try filled(value, "\(reader.path)")
                    } catch {
                        guard case .placeholders(let more) = error else { throw error }
                        unfilled.note(more)
                    }
                }
            }
        }
        return unfilled
    }

    /// Gives each person of that realm to `body`.
    package func people(of realm: Realm, body: (JSONObject) async throws -> Void) async throws {
        var reader = JSONReader(source(), limits: Self.limits, mayHaveMark: true)
        try enter(&reader, realm)
        while let member = try reader.nextName() {
            guard sameBytes(member, "users") else {
                try reader.skip()
                continue
            }
            let first = try reader.next()
            if first == .value(.null) { continue }
            guard first == .beginArray else { throw Failure.notAnObject(reader.path) }
            while let value = try reader.nextElement() {
                let read: JSONObject?
                do throws(Failure) {
                    read = try filled(value, "\(reader.path)")
                } catch {
                    guard case .placeholders = error else { throw error }
                    throw Failure.placeholders(unfilledOfPeople())
                }
                guard let person = read else { throw Failure.notAnObject(reader.path) }
                try await body(person)
            }
        }
    }

    /// As an import reads it; `nil` for what is no object.
    private func filled(_ value: JSONValue, _ path: String) throws(Failure) -> JSONObject? {
        do throws(RealmImportError) {
            return try placeholders.filling(value, path: path).object?.asKeycloakReads
        } catch {
            guard case .placeholders(let unfilled) = error else { throw .notAnObject(JSONPath()) }
            throw .placeholders(unfilled)
        }
    }

    private func enter(_ reader: inout JSONReader, _ realm: Realm) throws {
        if let index = realm.index {
            _ = try reader.next()
            for _ in 0..<index { try reader.skip() }
        }
        guard case .beginObject? = try reader.next() else {
            throw Failure.notAnObject(reader.path)
        }
    }

    /// Gives each realm to `body`, entered.
    private func each(
        _ body: (inout JSONReader, _ index: Int?) throws -> Void
    ) throws(Failure) {
        var reader = JSONReader(source(), limits: Self.limits, mayHaveMark: true)
        do {
            switch try reader.next() {
            case .beginObject: try body(&reader, nil)
            case .beginArray:
                var index = 0
                while case let event? = try reader.next(), event != .endArray {
                    guard event == .beginObject else { throw Failure.notAnObject(reader.path) }
                    try body(&reader, index)
                    index += 1
                }
            default: throw Failure.notAnObject(reader.path)
            }
            guard try reader.next() == nil else { throw Failure.notAnObject(reader.path) }
        } catch let error as JSONReadError {
            throw .unreadable(error)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .notAnObject(reader.path)
        }
    }
}
