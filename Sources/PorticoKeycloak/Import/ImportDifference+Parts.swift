import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What becomes of parts. Administrators change and delete identity providers (``DeletedHere``).
extension ImportDifference {
    /// - Returns: `nil` where nothing is written.
    func merged(
        _ part: RealmPart,
        _ report: inout ImportReport
    ) throws -> RealmPart? {
        let note = ImportNotes.Name.part(part)
        let subject = "\(part.kind) \(part.id)"
        guard let here = existing.parts[note] else {
            guard existing.notes[note] != nil else { return part }
            report.add(.skipped, subject, "\(DeletedHere.deleted)")
            return nil
        }
        if isMadeHere(here) {
            report.add(.skipped, subject, "\(DeletedHere.made)")
            return nil
        }
        var merged = part
        let (said, kept) = (try secrets(of: part), try secrets(of: here))
        // What a file masks it does not say.
        var takesSecrets = !said.isMasked && said != kept
        if var way = way(note, id: nil) {
            var file = part.document
            // A file without ids does not take one back.
            let id = ImportNotes.internalID
            file[id] = file[id] ?? here.document[id]
            merged.document = way.merged(file, here.document)
            let former = try existing.notes[note].map(secrets) ?? [:]
            takesSecrets = takesSecrets && former != said
            if takesSecrets, former != kept, !kept.isMasked {
                takesSecrets = false
                report.add(.skipped, subject, "secrets", "\(Self.refused)")
            }
            tell(way, subject, &report)
        }
        if !takesSecrets { merged.sealed = here.sealed }
        return merged == here ? nil : merged
    }

    /// Whether a part came with no file, though it is named as one that did.
    func isMadeHere(_ here: RealmPart) -> Bool {
        existing.isMadeHere(
            ImportNotes.Name.part(here),
            id: here.document[ImportNotes.internalID],
            at: .internalID
        )
    }

    func isMasked(_ part: RealmPart) throws -> Bool { try secrets(of: part).isMasked }

    func secrets(of part: RealmPart) throws -> JSONObject {
        try RealmPartSeal(ring: ring).secrets(of: part)
    }
}

extension RealmPartSeal {
    /// What is sealed in a part.
    func secrets(of part: RealmPart) throws -> JSONObject {
        try part.sealed.map {
            try open($0, of: part.kind, id: part.id, realmID: part.realmID)
        } ?? [:]
    }
}

extension JSONObject {
    /// Whether one of its members, or of theirs, is a mask.
    var isMasked: Bool {
        contains { $0.value.string == RealmSecrets.mask || $0.value.object?.isMasked == true }
    }
}
