import PorticoBytes
import PorticoProtocol
import PorticoStores

/// An array of people in a file.
struct PeoplePlace: Sendable {
    let file: RealmFile
    /// `[1].users`
    let path: String
    let stretch: Range<Int>
    let people: [PersonPlace]
}

/// Where one person stands. 32 bytes, because one is kept of everyone in the files.
struct PersonPlace: Sendable {
    /// The first bytes of the person's id, a UUID in small letters; people without one come last.
    let key: UInt64
    let stretch: Range<Int>
    /// In the array.
    let index: Int

    static func key(_ id: String?) -> UInt64 {
        guard let id else { return .max }
        let bytes = ImportedIDs.key(id).utf8.prefix(8)
        return bytes.reduce(0) { $0 << 8 | UInt64($1) } << (8 * (8 - bytes.count))
    }
}

/// Reads the people of a realm one by one, in the order of their ids.
///
/// The store's tables are in that order, too: beside each other, a hundred people are written with a
/// tenth of the pages that they need where each lies somewhere else.
struct PeopleReader {
    private let places: [PeoplePlace]
    private let people: [Place]
    /// How many were read.
    private var count = 0
    /// How much was read for questions, in bytes.
    private let asked = Locked(0)
    /// The file of the one who was read last.
    private(set) var file = ""

    private struct Place {
        let array: Int
        let person: PersonPlace

        /// Those of one key in the order of the files.
        var order: (UInt64, Int, Int) { (person.key, array, person.index) }
    }

    init(_ places: [PeoplePlace]) {
        self.places = places
        var people: [Place] = []
        for (array, place) in places.enumerated() {
            people += place.people.map { Place(array: array, person: $0) }
        }
        people.sort { $0.order < $1.order }
        self.people = people
    }

    mutating func next() throws(RealmFileError) -> Representation? {
        guard count < people.count else { return nil }
        let next = people[count]
        count += 1
        file = places[next.array].file.name
        return try read(next)
    }

    /// Whether someone in the files has that id, however its UUID is spelled, and always another user
    /// name than that one.
    ///
    /// What is read for such questions is bounded: after that the answer is no.
    func contains(_ id: String, besides username: String) throws(RealmFileError) -> Bool {
        let key = PersonPlace.key(id)
        var isThere = false
        for place in people[firstIndex(of: key)...] {
            guard place.person.key == key else { break }
            guard mayAsk(place) else { return false }
            let other = try read(place).object
            guard let said = other.string("id"),
                sameBytes(ImportedIDs.key(said), ImportedIDs.key(id))
            else { continue }
            let name = other.string("username") ?? ""
            guard !sameBytes(LoginName.folded(name), LoginName.folded(username)) else {
                return false
            }
            isThere = true
        }
        return isThere
    }

    /// In bytes of the files, for all of an import.
    private static let mostAsked = 256 << 20

    private func mayAsk(_ place: Place) -> Bool {
        asked.withLock { asked in
            asked += place.person.stretch.count
            return asked <= Self.mostAsked
        }
    }

    /// Of the first with that key, or one behind it.
    private func firstIndex(of key: UInt64) -> Int {
        var range = people.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                people[middle].person.key < key
                ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private func read(_ next: Place) throws(RealmFileError) -> Representation {
        let person = next.person
        let place = places[next.array]
        let file = place.file.name
        let path = "\(place.path)[\(person.index)]"
        var reader = JSONReader(
            RealmBytes(place.file, [.stretch(person.stretch)]),
            limits: RealmImport.personLimits,
            chunk: person.stretch.count
        )
        do {
            let value = try place.file.placeholders.filling(reader.value(), path: path)
            return try Representation(value, path: path)
        } catch let error as JSONReadError {
            throw RealmFileError(file: file, reason: .json(error, in: path))
        } catch let error as RealmImportError {
            throw RealmFileError(file: file, reason: error)
        } catch {
            throw RealmFileError(file: file, reason: .missing(path: path))
        }
    }
}
