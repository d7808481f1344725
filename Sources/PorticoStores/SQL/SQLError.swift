/// What a database says is wrong, as far as the stores care.
package struct SQLError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// Two things would have one name.
        case uniqueViolation
        /// A row names another that is not there.
        case foreignKeyViolation
        /// No room left.
        case full
        /// The medium takes no writes.
        case readOnly
        /// The medium fails.
        case cannotWrite
        case corrupt
        /// The statement and the schema do not fit: a programmer's error.
        case badStatement
        case closed
        case other
    }

    package let reason: Reason
    /// The driver's own number (SQLite's extended result code); for the log.
    package let code: Int32

    package init(_ reason: Reason, code: Int32) {
        self.reason = reason
        self.code = code
    }
}

extension SQLError {
    /// Why nothing can be written; `nil`: that is not what is wrong.
    package var whyUnwritable: StaticString? {
        switch reason {
        case .full: "disk full"
        case .readOnly: "read-only"
        case .cannotWrite: "disk full or damaged"
        default: nil
        }
    }
}

extension SQLError: CustomStringConvertible {
    package var description: String { "\(words) (code \(code))" }

    /// A literal, so that nothing that was stored gets out.
    package var words: StaticString {
        switch reason {
        case .uniqueViolation: "Something of that name is there already."
        case .foreignKeyViolation: "The change names something that is not there."
        case .full: "The database cannot be written: the disk is full."
        case .readOnly: "The database cannot be written: it is read-only."
        case .cannotWrite: "The database cannot be written: is the disk full or damaged?"
        case .corrupt: "The database file is damaged."
        case .badStatement: "A statement does not fit the schema."
        case .closed: "The database is closed."
        case .other: "The database reports an error."
        }
    }
}
