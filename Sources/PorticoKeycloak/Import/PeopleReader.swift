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
        let bytes = id.utf8.prefix(8)
        return bytes.reduce(0) { $0 << 8 | UInt64($1) } << (8 * (8 - bytes.count))
    }
}

/// Reads the people of a realm one by one, in the order of their ids.
///
/// The store's tables are in that order, too: beside each other, a hundred people are written with a
/// tenth of the pages that they need where each lies somewhere else.
struct PeopleReader {
    private let places: [PeoplePlace]
    /// Who is read, from the last to the first.
    private var rest: [Place] = []
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
        for (array, place) in places.enumerated() {
            rest += place.people.map { Place(array: array, person: $0) }
        }
        rest.sort { $0.order > $1.order }
    }

    mutating func next() throws(RealmFileError) -> Representation? {
        guard let next = rest.popLast() else { return nil }
        let person = next.person
        let place = places[next.array]
        let path = "\(place.path)[\(person.index)]"
        file = place.file.name
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
