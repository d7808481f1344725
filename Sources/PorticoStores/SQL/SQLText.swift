/// A statement, told apart by its address, so that no long text is hashed on the way of a request.
///
/// A literal, or, in a `static let`, a literal with lists of columns in it:
/// `"SELECT \(GrantColumn.self, of: "g") FROM grants AS g"`, or with another such text. Nothing else can
/// be put into one.
package struct SQLText: ExpressibleByStringInterpolation, Sendable {
    /// Stays for good. A NUL follows the last byte.
    package nonisolated(unsafe) let start: UnsafePointer<UInt8>
    package let count: Int

    package init(stringLiteral literal: StaticString) {
        start = literal.utf8Start
        count = literal.utf8CodeUnitCount
    }

    package init(stringInterpolation: StringInterpolation) {
        let bytes = Array(stringInterpolation.text.utf8)
        let kept = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 1)
        kept.initialize(from: bytes + [0], count: bytes.count + 1)
        start = UnsafePointer(kept)
        count = bytes.count
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: StaticString) {
            text += "\(literal)"
        }

        /// A literal.
        package mutating func appendInterpolation(_ part: StaticString) {
            text += "\(part)"
        }

        /// A part that statements share.
        package mutating func appendInterpolation(_ part: SQLText) {
            text += String(
                decoding: UnsafeBufferPointer(start: part.start, count: part.count),
                as: UTF8.self
            )
        }

        /// The columns' names, in their order.
        ///
        /// - Parameter table: What the statement calls the table.
        package mutating func appendInterpolation<List: SQLColumns>(
            _ list: List.Type,
            of table: StaticString
        ) {
            text += List.allCases.map { "\(table).\($0.name)" }.joined(separator: ", ")
        }

        package mutating func appendInterpolation<List: SQLColumns>(_ list: List.Type) {
            text += List.allCases.map(\.name).joined(separator: ", ")
        }

        /// `$1, $2, …`: a placeholder for each column.
        package mutating func appendInterpolation<List: SQLColumns>(valuesOf list: List.Type) {
            text += (1...List.allCases.count).map { "$\($0)" }.joined(separator: ", ")
        }
    }
}

/// The columns that a value is kept in: the one list that statements and decoding follow.
///
/// A case is a column's name, in Swift's spelling: `realmID` for `realm_id`. Its raw value is its
/// place behind the first column of the list.
package protocol SQLColumns: CaseIterable, RawRepresentable<Int>, Sendable {}

extension SQLColumns {
    package static var count: Int { allCases.count }

    package var name: String {
        var name = ""
        var isAfterCapital = true
        for letter in "\(self)" {
            if letter.isUppercase, !isAfterCapital { name += "_" }
            isAfterCapital = letter.isUppercase
            name += letter.lowercased()
        }
        return name
    }
}
