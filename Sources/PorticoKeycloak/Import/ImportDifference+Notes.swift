import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What becomes of the notes of things.
extension ImportDifference {
    /// A note, with what the one before says of that of which this file says nothing.
    func keeping(_ unsaid: UnsaidRights, _ note: RealmPart) -> RealmPart {
        guard var fields = ImportedFields(document: note.document) else { return note }
        let before = existing.isNoted ? existing.fields(note.id) : nil
        fields.keep(unsaid.paths, of: before)
        var note = note
        if note.sealed == nil, unsaid.clientNotes.contains(note.id) {
            // The file says no secret, and that of here is none that this import has made.
            fields.keep(.madeSecret, of: before)
            note.sealed = before == nil ? nil : existing.notes[note.id]?.sealed
        }
        note.document = fields.document
        return note
    }

    /// Whether a note says what the one that is kept does. A seal is another each time.
    func isKept(_ note: RealmPart) throws -> Bool {
        guard let former = existing.notes[note.id], former.document == note.document else {
            return false
        }
        let secrets = try [former, note].map { note in
            try ImportNotes.secret(of: note, ring: ring)?.reveal() ?? ""
        }
        return sameBytes(secrets[0], secrets[1])
    }
}
