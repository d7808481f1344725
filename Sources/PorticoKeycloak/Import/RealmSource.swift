import PorticoBytes
import PorticoProtocol

/// The realms in files, by the places where they stand: one realm, an array of realms, or the parts
/// that Keycloak exports to a folder (`R-realm.json` and `R-users-0.json`), in any order.
package struct RealmSource: Sendable {
    package private(set) var realms: [RealmPlace] = []

    /// Gives the one realm of the files another name.
    ///
    /// - Returns: `false` where there are several.
    package mutating func rename(to name: String) -> Bool {
        guard realms.count == 1 else { return false }
        realms[0].name = name
        return true
    }

    /// Reads the files from their beginnings to their ends, and keeps places.
    ///
    /// - Throws: where a file is no strict JSON, has a realm twice, or has people of a realm that is
    ///   not there.
    package init(_ files: [RealmFile]) throws(RealmFileError) {
        var parts: [RealmPlace] = []
        var known: [ExactText: Int] = [:]
        for place in try Self.places(in: files) {
            if place.isPart {
                parts.append(place)
                continue
            }
            guard known.updateValue(realms.count, forKey: ExactText(place.name)) == nil else {
                throw RealmFileError(
                    file: place.file.name,
                    reason: .repeatedRealm(path: place.path)
                )
            }
            realms.append(place)
        }
        for part in parts {
            guard let realm = known[ExactText(part.name)] else {
                throw RealmFileError(
                    file: part.file.name,
                    reason: .peopleAlone(path: part.path)
                )
            }
            realms[realm].others += part.people
            if part.hasFederatedUsers { realms[realm].hasFederatedUsers = true }
        }
    }

    /// The same of files that are compared: people alone are some of a realm's.
    package static func compared(_ files: [RealmFile]) throws(RealmFileError) -> [RealmPlace] {
        files.count == 1 ? try places(in: files) : try RealmSource(files).realms
    }

    private static func places(in files: [RealmFile]) throws(RealmFileError) -> [RealmPlace] {
        var places: [RealmPlace] = []
        for file in files {
            var index = RealmIndex(file)
            let found = try index.objects()
            let all = found.map { RealmPlace($0, in: file) }
            guard found.allSatisfy(\.unfilled.isEmpty) else {
                // Those of the rest too, so that no one has to ask twice.
                var unfilled: [Placeholders.Unfilled] = []
                for place in all where !place.isPart { unfilled.note(place.unfilled()) }
                for one in found { unfilled.note(one.unfilled) }
                throw RealmFileError(file: file.name, reason: .placeholders(unfilled))
            }
            places += all
        }
        return places
    }
}

/// Where a realm stands, and where its people do.
package struct RealmPlace: Sendable {
    /// What it is called here.
    package fileprivate(set) var name: String
    let file: RealmFile
    /// In the file: `[1]`; empty where the file is one realm.
    let path: String
    private let stretch: Range<Int>
    /// Whether it is people of a realm without the realm itself.
    fileprivate let isPart: Bool
    /// The `users` of the realm itself.
    private let own: PeoplePlace?
    /// Those of other files.
    fileprivate var others: [PeoplePlace] = []
    fileprivate var hasFederatedUsers: Bool

    fileprivate init(_ found: RealmIndex.Found, in file: RealmFile) {
        (name, path, stretch) = (found.name, found.path, found.stretch)
        (isPart, own, hasFederatedUsers) = (found.isPart, found.people, found.hasFederatedUsers)
        self.file = file
    }

    var people: [PeoplePlace] { [own].compactMap(\.self) + others }

    func called(_ name: String) -> RealmPlace {
        var place = self
        place.name = name
        return place
    }

    func expectUnchanged() throws(RealmFileError) {
        try file.expectUnchanged()
        for other in others { try other.file.expectUnchanged() }
    }

    /// Placeholders that are not replaced, without those of its people.
    fileprivate func unfilled() -> [Placeholders.Unfilled] {
        do throws(RealmFileError) {
            _ = try representation()
            return []
        } catch {
            // What else is wrong with it is told once these are replaced.
            guard case .placeholders(let unfilled) = error.reason else { return [] }
            return unfilled
        }
    }

    /// Everything of the realm but its people, with what Keycloak puts into every realm.
    func representation() throws(RealmFileError) -> Representation {
        try said().completed(named: name)
    }

    /// The same without what the file does not say.
    func said() throws(RealmFileError) -> Representation {
        let whole = stretch
        var parts = [RealmBytes.Part.stretch(whole)]
        if let users = own?.stretch {
            parts = [
                .stretch(whole.lowerBound..<users.lowerBound), .text("[]"),
                .stretch(users.upperBound..<whole.upperBound),
            ]
        }
        var reader = JSONReader(RealmBytes(file, parts), limits: RealmImport.limits)
        do {
            let value = try file.placeholders.filling(reader.value(), path: path)
            guard var object = value.object else {
                throw RealmImportError.wrongType(path: path, expected: "an object")
            }
            object["realm"] = .string(name)
            return try Representation(.object(object), path: path)
        } catch let error as JSONReadError {
            throw RealmFileError(file: file.name, reason: .json(error, in: path))
        } catch let error as RealmImportError {
            throw RealmFileError(file: file.name, reason: error)
        } catch {
            throw RealmFileError(file: file.name, reason: .missing(path: path))
        }
    }
}

extension RealmPlace {
    /// Says where people are that did not come along.
    func reportMissingPeople(_ realm: Representation, report: inout ImportReport) {
        if hasFederatedUsers {
            report.add(
                .skipped,
                "federatedUsers",
                "what is known of people of a user federation: it is not imported"
            )
        }
        guard people.isEmpty else { return }
        let words: StaticString =
            realm.holdsKeys
            ? "there are none: an export to a folder has them in files beside (…-users-0.json)"
            : "there are none: a partial export leaves them out"
        report.add(.skipped, "people", "\(words)")
    }
}

extension Representation {
    /// Whether it is a whole export: a partial one has no private keys.
    fileprivate var holdsKeys: Bool {
        let providers = object.object("components")?.array(PartImport.keyComponents) ?? []
        return providers.contains { provider in
            guard let config = provider.object?.object("config") else { return false }
            return ["privateKey", "secret", "ecdsaPrivateKey", "eddsaPrivateKey"].contains {
                guard let text = config.array($0)?.first?.string else { return false }
                return !text.utf8.allSatisfy { $0 == UInt8(ascii: "*") }
            }
        }
    }
}

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
