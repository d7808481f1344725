import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What becomes of the notes of things.
extension ImportDifference {
    /// A note, with what the one before says of that of which this file says nothing.
    ///
    /// - Parameter masked: The names of notes of parts whose secrets the file masks.
    func keeping(_ unsaid: UnsaidRights, _ masked: Set<String>, _ note: RealmPart) -> RealmPart {
        guard var fields = ImportedFields(document: note.document) else { return note }
        let before = existing.fields(note.id)
        fields.keep(unsaid.paths, of: before)
        // A file without ids does not take one back.
        for path in [FieldPath.fileID, .internalID] where fields.said(at: path) == nil {
            fields.keep(path, of: before)
        }
        var note = note
        if note.sealed == nil, unsaid.clientNotes.contains(note.id) || masked.contains(note.id) {
            // The file says no secret, and that of here is none that this import has made.
            fields.keep(.madeSecret, of: before)
            note.sealed = before == nil ? nil : existing.notes[note.id]?.sealed
        }
        note.document = fields.document
        let retired = existing.retirements[note.id]
        note.document[ImportNotes.retiredFrom] = retired.map(JSONValue.integer)
        return note
    }

    /// Whether a note says what the one that is kept does. A seal is another each time.
    func isKept(_ note: RealmPart) throws -> Bool {
        guard let former = existing.notes[note.id], former.document == note.document else {
            return false
        }
        return try secrets(of: former) == secrets(of: note)
    }
}
