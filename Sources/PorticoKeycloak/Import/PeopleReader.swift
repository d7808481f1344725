import PorticoBytes
import PorticoProtocol

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
    /// The first bytes of the person's id; people without one come last.
    let key: UInt64
    let stretch: Range<Int>
    /// In the array.
    let index: Int

    static func key(_ id: String?) -> UInt64 {
        guard let id else { return .max }
        let bytes = (UniqueID(id)?.bytes ?? Array(id.utf8)).prefix(8)
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

    /// Whether someone in the files has that id, however its UUID is spelled. Of many that begin alike
    /// not all are looked at.
    func contains(_ id: String) throws(RealmFileError) -> Bool {
        let key = PersonPlace.key(id)
        for place in people[firstIndex(of: key)...].prefix(Self.mostAlike) {
            guard place.person.key == key else { break }
            let other = try read(place).object.string("id") ?? ""
            if sameBytes(ImportedIDs.key(other), ImportedIDs.key(id)) { return true }
        }
        return false
    }

    private static let mostAlike = 64

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
            return try Representation(reader.value(), path: path)
        } catch let error as JSONReadError {
            throw RealmFileError(file: file, reason: .json(error, in: path))
        } catch let error as RealmImportError {
            throw RealmFileError(file: file, reason: error)
        } catch {
            throw RealmFileError(file: file, reason: .missing(path: path))
        }
    }
}
