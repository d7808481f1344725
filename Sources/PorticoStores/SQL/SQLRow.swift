package import PorticoBytes
package import PorticoProtocol

/// One row of a result, read by position from 0. It is there only while it is decoded.
///
/// Drivers answer three questions; a value of another type than asked for is an error, never a
/// conversion.
package protocol SQLRow {
    /// How many columns it has.
    var count: Int { get }
    func optionalText(_ column: Int) throws -> String?
    func optionalInt64(_ column: Int) throws -> Int64?
    func optionalBytes(_ column: Int) throws -> [UInt8]?
    func bool(_ column: Int) throws -> Bool
}

/// What is wrong with a value that came from the database.
package enum SQLDecodingError: Error, Hashable, Sendable {
    case wrongType(column: Int)
    case null(column: Int)
    case outOfRange(column: Int)
}

extension SQLRow {
    package func text(_ column: Int) throws -> String {
        guard let text = try optionalText(column) else {
            throw SQLDecodingError.null(column: column)
        }
        return text
    }

    package func int64(_ column: Int) throws -> Int64 {
        guard let integer = try optionalInt64(column) else {
            throw SQLDecodingError.null(column: column)
        }
        return integer
    }

    package func bytes(_ column: Int) throws -> [UInt8] {
        guard let bytes = try optionalBytes(column) else {
            throw SQLDecodingError.null(column: column)
        }
        return bytes
    }

    package func uniqueID(_ column: Int) throws -> UniqueID {
        guard let id = UniqueID(bytes: try bytes(column)) else {
            throw SQLDecodingError.outOfRange(column: column)
        }
        return id
    }

    package func optionalHash(_ column: Int) throws -> Hash256? {
        guard let bytes = try optionalBytes(column) else { return nil }
        guard bytes.count == 32 else { throw SQLDecodingError.outOfRange(column: column) }
        return Hash256(kept: bytes)
    }

    package func hash(_ column: Int) throws -> Hash256 {
        guard let hash = try optionalHash(column) else {
            throw SQLDecodingError.null(column: column)
        }
        return hash
    }

    /// Words that ``SQLValue/init(words:)`` wrote.
    package func words(_ column: Int) throws -> [String] {
        try text(column).utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    }

    package func document(_ column: Int) throws -> JSONObject {
        try JSONObject(
            parsing: text(column).utf8,
            limits: JSONLimits(size: 16 * 1024 * 1024, depth: 64)
        )
    }
}
