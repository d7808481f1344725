import PorticoBytes
import PorticoSQLite
import PorticoStores
import Testing

@Suite("SQLite: statements and rows") struct StatementTests {
    let database: SQLiteDatabase

    init() throws {
        database = try SQLiteDatabase(inMemory: ())
    }

    @Test("placeholders are bound by their number, also where one is repeated")
    func placeholders() throws {
        let row = try database.read { reader in
            try reader.first(
                "SELECT $1, $2, $1, $3, $2",
                [.text("one"), .int64(2), .text("three")]
            ) { row in
                [
                    try row.text(0), "\(try row.int64(1))", try row.text(2), try row.text(3),
                    "\(try row.int64(4))",
                ]
            }
        }
        #expect(row == ["one", "2", "one", "three", "2"])
    }

    @Test(
        "placeholders out of order, or others, are refused: another database binds them otherwise"
    )
    func misplaced() throws {
        for sql: SQLText in ["SELECT $2, $1", "SELECT ?, ?", "SELECT :1, $2", "SELECT $1, $3"] {
            #expect(throws: SQLError(.badStatement, code: 21)) {
                try database.read { _ = try $0.hasRow(sql, [.int64(1), .int64(2)]) }
            }
        }
    }

    @Test("a wrong number of arguments is refused", arguments: [0, 1, 3])
    func wrongCount(_ count: Int) throws {
        let arguments = Array(repeating: SQLValue.int64(1), count: count)
        #expect(throws: SQLError(.badStatement, code: 25)) {
            try database.read { _ = try $0.hasRow("SELECT $1, $2", arguments) }
        }
        // And an argument that was bound before does not stay.
        #expect(try database.read { try $0.hasRow("SELECT $1, $2", [.null, .null]) })
    }

    @Test("values come back as they were bound")
    func values() throws {
        let texts = ["", "a", "e\u{301}\u{1F511}", String(repeating: "x", count: 70_000)]
        for text in texts {
            let found = try database.read {
                try $0.first("SELECT $1", [.text(text)]) { try $0.text(0) }
            }
            #expect(found.map { sameBytes($0, text) } == true)
        }
        for integer in [Int64.min, -1, 0, 1, .max] {
            let found = try database.read {
                try $0.first("SELECT $1", [.int64(integer)]) { try $0.int64(0) }
            }
            #expect(found == integer)
        }
        for bytes in [[], [0], Array(0...255)] as [[UInt8]] {
            let found = try database.read {
                try $0.first("SELECT $1", [.bytes(bytes)]) { try $0.bytes(0) }
            }
            #expect(found == bytes)
        }
        for bool in [true, false] {
            let found = try database.read {
                try $0.first("SELECT $1", [.bool(bool)]) { try $0.bool(0) }
            }
            #expect(found == bool)
        }
    }

    @Test("a value of another type than asked for is an error, never a conversion")
    func wrongTypes() throws {
        let values: [SQLValue] = [.text("1"), .int64(2), .bytes([1])]
        let wrong = SQLDecodingError.wrongType(column: 0)
        for (index, value) in values.enumerated() {
            _ = try database.read { reader in
                try reader.first("SELECT $1", [value]) { row in
                    if index != 0 { #expect(throws: wrong) { try row.text(0) } }
                    if index != 1 { #expect(throws: wrong) { try row.int64(0) } }
                    if index != 1 { #expect(throws: wrong) { try row.bool(0) } }
                    if index != 2 { #expect(throws: wrong) { try row.bytes(0) } }
                    if index != 2 { #expect(throws: wrong) { try row.optionalHash(0) } }
                }
            }
        }
    }

    @Test("NULL is only what may be missing, and what is out of range is an error")
    func nullAndRange() throws {
        try database.read { reader in
            _ = try reader.first("SELECT NULL, 2, x'0102'", []) { row throws in
                #expect(try row.optionalText(0) == nil)
                #expect(try row.optionalInt64(0) == nil)
                #expect(try row.optionalBytes(0) == nil)
                #expect(try row.optionalHash(0) == nil)
                let null = SQLDecodingError.null(column: 0)
                #expect(throws: null) { try row.text(0) }
                #expect(throws: null) { try row.int64(0) }
                #expect(throws: null) { try row.bytes(0) }
                #expect(throws: null) { try row.bool(0) }
                #expect(throws: null) { try row.hash(0) }
                #expect(throws: SQLDecodingError.outOfRange(column: 1)) { try row.bool(1) }
                #expect(throws: SQLDecodingError.outOfRange(column: 2)) { try row.hash(2) }
                #expect(throws: SQLDecodingError.outOfRange(column: 2)) { try row.uniqueID(2) }
                // A column that is not there is NULL to SQLite.
                #expect(throws: SQLDecodingError.null(column: 9)) { try row.text(9) }
            }
        }
    }

    @Test("a statement can run inside its own rows")
    func nested() throws {
        @Sendable func count(_ reader: any SQLReader, _ depth: Int64) throws -> Int64 {
            guard depth > 0 else { return 1 }
            return try reader.rows("SELECT $1 UNION SELECT -1", [.int64(depth)]) { row in
                _ = try row.int64(0)
                return try count(reader, depth - 1)
            }.reduce(0, +)
        }
        #expect(try database.read { try count($0, 4) } == 16)
    }

    @Test("a decoder that throws leaves the statement fit for use")
    func throwingDecoder() throws {
        struct Stop: Error {}
        for _ in 1...2 {
            #expect(throws: Stop.self) {
                try database.read {
                    try $0.rows("SELECT 1 UNION SELECT 2", []) { _ in throw Stop() }
                }
            }
        }
    }

    @Test("a run says how many rows it changed, and a second time how many that were")
    func changes() async throws {
        let counts = try await database.write { transaction in
            try transaction.run("CREATE TABLE t (x INTEGER PRIMARY KEY)", [])
            return try [
                transaction.run("INSERT INTO t VALUES (1), (2)", []),
                transaction.run("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", []),
                transaction.run("UPDATE t SET x = x + 10", []),
                transaction.run("DELETE FROM t WHERE x = 99", []),
                transaction.run("DELETE FROM t", []),
            ]
        }
        #expect(counts == [2, 0, 2, 0, 2])
    }
}
