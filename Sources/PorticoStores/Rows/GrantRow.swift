import PorticoBytes
import PorticoProtocol

/// The columns of a grant.
enum GrantColumn: Int, SQLColumns {
    case id, realmID, clientID, personID, sessionID, scope, isOffline, authenticatedAt, acr, amr
    case claims, createdAt, idleSeconds, expiresAt, generation, refreshSecret, refreshKeyID
    case rotatedAt, idempotencyKey
    case dpopJKT, clientKey, hasOwnTimes
}

extension Grant {
    /// - Parameter row: Begins with the columns of ``GrantColumn``.
    init(_ row: any SQLRow) throws {
        func at(_ column: GrantColumn) -> Int { column.rawValue }
        self.init(
            id: try row.uniqueID(at(.id)),
            realmID: try row.text(at(.realmID)),
            clientID: try row.text(at(.clientID)),
            personID: try row.optionalText(at(.personID)),
            sessionID: try row.optionalText(at(.sessionID)),
            scope: Scope(tokens: try row.words(at(.scope))),
            isOffline: try row.bool(at(.isOffline)),
            authenticatedAt: try row.optionalInt64(at(.authenticatedAt)),
            acr: try row.optionalText(at(.acr)),
            amr: try row.words(at(.amr)),
            claims: try row.optionalText(at(.claims)),
            createdAt: try row.int64(at(.createdAt)),
            idleSeconds: try row.int64(at(.idleSeconds)),
            expiresAt: try row.optionalInt64(at(.expiresAt)),
            refresh: try row.optionalInt64(at(.generation)) == nil
                ? nil : RefreshState(row, from: at(.generation))
        )
        if let text = try row.optionalText(at(.dpopJKT)) {
            let parts = text.split(separator: " ", maxSplits: 1)
            guard let key = parts.first.flatMap({ JWKThumbprint(String($0)) }),
                let since = parts.count == 1 ? 0 : UInt32(parts[1])
            else { throw SQLDecodingError.outOfRange(column: at(.dpopJKT)) }
            dpopKey = key
            boundSince = since
        }
        clientKey = try row.optionalText(at(.clientKey))
        hasOwnTimes = try row.bool(at(.hasOwnTimes))
    }

    /// In the order of ``GrantColumn``.
    var values: [SQLValue] {
        [
            .bytes(id.bytes), .text(realmID), .text(clientID), SQLValue(personID),
            SQLValue(sessionID), SQLValue(words: scope.tokens), .bool(isOffline),
            SQLValue(authenticatedAt), SQLValue(acr), SQLValue(words: amr), SQLValue(claims),
            .int64(createdAt), .int64(idleSeconds), SQLValue(expiresAt),
        ] + (refresh?.values ?? Array(repeating: .null, count: 5))
            + [
                SQLValue(dpopKey?.column(since: boundSince)), SQLValue(clientKey),
                .bool(hasOwnTimes),
            ]
    }
}

extension JWKThumbprint {
    /// As `dpop_jkt` has it: with the first generation that is bound to it, if that is not the first
    /// of all.
    func column(since generation: UInt32) -> String {
        generation == 0 ? text : "\(text) \(generation)"
    }
}

extension RefreshState {
    /// - Parameter first: The place of `generation`; `refresh_secret`, `refresh_key_id`,
    ///   `rotated_at` and `idempotency_key` follow it.
    init(_ row: any SQLRow, from first: Int) throws {
        guard let generation = UInt32(exactly: try row.int64(first)) else {
            throw SQLDecodingError.outOfRange(column: first)
        }
        self.init(
            generation: generation,
            secret: try row.bytes(first + 1),
            keyID: try row.bytes(first + 2),
            rotatedAt: try row.int64(first + 3),
            idempotencyKey: try row.optionalHash(first + 4)
        )
    }

    /// In the same order.
    var values: [SQLValue] {
        [
            .int64(Int64(generation)), .bytes(secret), .bytes(keyID), .int64(rotatedAt),
            SQLValue(idempotencyKey),
        ]
    }
}
