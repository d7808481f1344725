import PorticoBytes
import PorticoProtocol

/// Finds the realms of one file, and keeps nothing of it but where they stand.
struct RealmIndex {
    struct Found {
        let name: String
        /// Whether it is people of a realm without the realm itself.
        let isPart: Bool
        let path: String
        let stretch: Range<Int>
        let people: PeoplePlace?
        /// Whether it has people whose accounts lie elsewhere, of which it knows little.
        let hasFederatedUsers: Bool
        /// Placeholders of its name and of its people that are not replaced: it cannot be imported.
        let unfilled: [Placeholders.Unfilled]
    }

    private let file: RealmFile
    private var reader: JSONReader
    /// Of the object that was entered last.
    private var unfilled: [Placeholders.Unfilled] = []

    init(_ file: RealmFile) {
        self.file = file
        reader = JSONReader(RealmBytes(file), limits: RealmImport.limits, mayHaveMark: true)
    }

    mutating func objects() throws(RealmFileError) -> [Found] {
        do {
            return try found()
        } catch let error as JSONReadError {
            throw RealmFileError(file: file.name, reason: .json(error, in: ""))
        } catch let error as RealmImportError {
            throw RealmFileError(file: file.name, reason: error)
        } catch {
            throw RealmFileError(file: file.name, reason: .missing(path: ""))
        }
    }

    private mutating func found() throws -> [Found] {
        var found: [Found] = []
        switch try reader.next() {
        case .beginObject: found.append(try object())
        case .beginArray:
            while let event = try reader.next(), event != .endArray {
                guard event == .beginObject else {
                    throw RealmImportError.wrongType(
                        path: "\(reader.path)",
                        expected: "an object"
                    )
                }
                found.append(try object())
            }
        default: throw RealmImportError.wrongType(path: "", expected: "an object")
        }
        _ = try reader.next()
        return found
    }

    /// Members of a file that has people only.
    private static let ofParts: Set<String> = ["realm", "users", "federatedUsers"]

    /// The object that was entered last.
    private mutating func object() throws -> Found {
        let start = reader.offset - 1
        let path = "\(reader.path)"
        unfilled = []
        var name: String?
        var people: PeoplePlace?
        var isPart = true
        var hasFederatedUsers = false
        while let member = try reader.nextName() {
            isPart = isPart && Self.ofParts.contains(member)
            if sameBytes(member, "realm") {
                guard let value = MemberType.text.converted(try reader.value()) else {
                    throw RealmImportError.wrongType(
                        path: Self.path(path, "realm"),
                        expected: "a text"
                    )
                }
                let filled = try filling(.object(["realm": value]), path: path)
                name = filled.object?.string("realm")
            } else if sameBytes(member, "users") {
                people = try users(Self.path(path, "users"))
            } else {
                hasFederatedUsers = hasFederatedUsers || sameBytes(member, "federatedUsers")
                try reader.skip()
            }
        }
        guard let name, !name.isEmpty else {
            throw RealmImportError.missing(path: Self.path(path, "realm"))
        }
        return Found(
            name: name,
            isPart: isPart && (people != nil || hasFederatedUsers),
            path: path,
            stretch: start..<reader.offset,
            people: people,
            hasFederatedUsers: hasFederatedUsers,
            unfilled: unfilled
        )
    }

    /// With its placeholders replaced. Those that are not are noted, and the rest is looked at too.
    private mutating func filling(_ value: JSONValue, path: String) throws(RealmImportError)
        -> JSONValue
    {
        do throws(RealmImportError) {
            return try file.placeholders.filling(value, path: path)
        } catch {
            guard case .placeholders(let more) = error else { throw error }
            unfilled.note(more)
            return value
        }
    }

    private mutating func users(_ path: String) throws -> PeoplePlace? {
        switch try reader.next() {
        case .value(.null): return nil
        case .beginArray: break
        default: throw RealmImportError.wrongType(path: path, expected: "an array")
        }
        let start = reader.offset - 1
        var people: [PersonPlace] = []
        while let person = try reader.nextElement() {
            let place = "\(reader.path)"
            guard let json = try filling(person, path: place).object else {
                throw RealmImportError.wrongType(path: "\(reader.path)", expected: "an object")
            }
            people.append(
                PersonPlace(
                    key: PersonPlace.key(json["id"].flatMap(MemberType.text.converted)?.string),
                    stretch: reader.start..<reader.offset,
                    index: people.count
                )
            )
        }
        return PeoplePlace(
            file: file,
            path: path,
            stretch: start..<reader.offset,
            people: people
        )
    }

    private static func path(_ path: String, _ member: String) -> String {
        path.isEmpty ? member : "\(path).\(member)"
    }
}
