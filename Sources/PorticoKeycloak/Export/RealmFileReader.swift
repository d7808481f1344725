import PorticoBytes
package import PorticoProtocol

/// Reads a file with realms a piece at a time: the realm without its people as a whole, its people
/// one by one. The file is read from its beginning each time.
package struct RealmFileReader {
    private let source: () -> any ByteSource

    /// Of a value: a member of the realm, or a person. Stores keep nothing deeper.
    private static let limits = JSONLimits(size: 64 << 20, depth: 48)

    /// - Parameter source: Begins the file again.
    package init(_ source: @escaping () -> any ByteSource) {
        self.source = source
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
        /// Where a realm, or a person, should be an object.
        case notAnObject(JSONPath)
        /// The names of the realms that it has instead, not more than some.
        case noSuchRealm([String])
    }

    /// The realm of that name. The whole text is read, so that a broken end is noticed.
    package func realm(named name: String) throws(Failure) -> Realm {
        var found: Realm?
        var others: [String] = []
        try each { (reader, index) throws(JSONReadError) in
            var members: [(name: String, value: JSONValue)] = []
            var hasPeople = false
            while let member = try reader.nextName() {
                if sameBytes(member, "users") {
                    hasPeople = true
                    try reader.skip()
                } else {
                    members.append((member, try reader.value()))
                }
            }
            guard let json = JSONObject(unique: members), let other = json.string("realm") else {
                return
            }
            if found == nil, sameBytes(other, name) {
                found = Realm(json: json, hasPeople: hasPeople, index: index)
            } else if others.count < 10 {
                others.append(other)
            }
        }
        guard let found else { throw .noSuchRealm(others) }
        return found
    }

    /// Gives each person of that realm to `body`.
    package func people(of realm: Realm, body: (JSONObject) async throws -> Void) async throws {
        var reader = JSONReader(source(), limits: Self.limits)
        try enter(&reader, realm)
        while let member = try reader.nextName() {
            guard sameBytes(member, "users") else {
                try reader.skip()
                continue
            }
            guard case .beginArray? = try reader.next() else {
                throw Failure.notAnObject(reader.path)
            }
            while let value = try reader.nextElement() {
                guard let person = value.object else { throw Failure.notAnObject(reader.path) }
                try await body(person)
            }
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
        _ body: (inout JSONReader, _ index: Int?) throws(JSONReadError) -> Void
    ) throws(Failure) {
        var reader = JSONReader(source(), limits: Self.limits)
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
