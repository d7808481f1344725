import PorticoBytes

/// The columns of a session.
enum SessionColumn: Int, SQLColumns {
    case id, realmID, personID, epoch, cookieHash, app, generation, refreshSecret, refreshKeyID
    case rotatedAt, idempotencyKey, issuer, subject, providerSessionID, authenticatedAt, acr, amr
    case provenAt, device, address, createdAt, lastSeenAt, idleSeconds, expiresAt
}

/// The columns of a session that waits for its app, or came to it so.
enum HandOffColumn: Int, SQLColumns {
    case codeHash, redirectHash, challenge, codeExpiresAt
}

extension PersonSession {
    /// A session that does not wait for its app.
    ///
    /// - Parameter row: Begins with the columns of ``SessionColumn``.
    init(_ row: any SQLRow) throws {
        func at(_ column: SessionColumn) -> Int { column.rawValue }
        let form: Form
        if let cookieHash = try row.optionalHash(at(.cookieHash)) {
            form = .browser(cookieHash: cookieHash)
        } else {
            let refresh = try RefreshState(row, from: at(.generation))
            form = .app(name: try row.text(at(.app)), refresh: refresh)
        }
        var identity: IdentityKey?
        if let issuer = try row.optionalText(at(.issuer)) {
            identity = IdentityKey(issuer: issuer, subject: try row.text(at(.subject)))
        }
        self.init(
            id: try row.text(at(.id)),
            realmID: try row.text(at(.realmID)),
            personID: try row.text(at(.personID)),
            epoch: try row.int64(at(.epoch)),
            form: form,
            identity: identity,
            providerSessionID: try row.optionalText(at(.providerSessionID)),
            authenticatedAt: try row.int64(at(.authenticatedAt)),
            acr: try row.text(at(.acr)),
            amr: try row.words(at(.amr)),
            provenAt: try row.optionalInt64(at(.provenAt)),
            device: try row.text(at(.device)),
            address: try row.optionalText(at(.address)),
            createdAt: try row.int64(at(.createdAt)),
            lastSeenAt: try row.int64(at(.lastSeenAt)),
            idleSeconds: try row.optionalInt64(at(.idleSeconds)),
            expiresAt: try row.int64(at(.expiresAt))
        )
    }

    /// In the order of ``SessionColumn``, of ``HandOffColumn``, then `is_new`.
    ///
    /// - Parameter isNew: Whether this sign-in made the person.
    func values(isNew: Bool) -> [SQLValue] {
        var refresh = Array(repeating: SQLValue.null, count: 5)
        var code = Array(repeating: SQLValue.null, count: HandOffColumn.count)
        switch form {
        case .browser: break
        case .app(_, let state): refresh = state.values
        case .handOff(let handOff):
            code = [
                .bytes(handOff.codeHash.bytes), .bytes(handOff.redirectHash.bytes),
                .bytes(handOff.challenge.bytes), .int64(handOff.expiresAt),
            ]
        }
        var values: [SQLValue] = [
            .text(id), .text(realmID), .text(personID), .int64(epoch), SQLValue(cookieHash),
            SQLValue(form.app),
        ]
        values += refresh
        values += [
            SQLValue(identity?.issuer), SQLValue(identity?.subject), SQLValue(providerSessionID),
            .int64(authenticatedAt), .text(acr), SQLValue(words: amr), SQLValue(provenAt),
            .text(device), SQLValue(address), .int64(createdAt), .int64(lastSeenAt),
            SQLValue(idleSeconds), .int64(expiresAt),
        ]
        values += code
        values.append(.bool(isNew))
        return values
    }
}

extension LiveSession {
    /// With no providers.
    ///
    /// - Parameter row: The columns of a session, then those of its person.
    init(_ row: any SQLRow) throws {
        self.init(
            session: try PersonSession(row),
            person: try Person(row, from: SessionColumn.count)
        )
    }
}
