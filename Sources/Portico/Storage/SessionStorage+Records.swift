import PorticoProtocol

/// The records in a storage. One that a later version of the library wrote is left alone: another
/// app, or this one once it is updated, still uses it.
extension SessionStorage {
    /// - Returns: `nil` if nothing is stored, or nothing that can be parsed.
    /// - Throws: storage(.laterVersion), and as ``read()``.
    func record<Record: KeptRecord>() async throws(SignInError) -> Record? {
        guard let bytes = try await read() else { return nil }
        return try Record.reading(bytes)
    }

    /// Stores the record of a new sign-in, under the lock: another process may be about to write a
    /// refresh of the previous session.
    func replace(with record: some KeptRecord) async throws(SignInError) {
        let lock = try await lock(patience: .refresh)
        defer { lock.release() }
        try await lock.hold { () throws(SignInError) in
            try await checkKeeps(type(of: record))
            try await write(record.serialized())
        }
    }

    /// Checks that the record of a sign-in can be kept, before a person is asked to sign in. Damage
    /// is no obstacle: the new record replaces it.
    ///
    /// - Throws: storage(.laterVersion), storage(.locked), storage(.entitlementMissing),
    ///   storage(.noKeyring)
    func checkKeeps<Record: KeptRecord>(_: Record.Type) async throws(SignInError) {
        do {
            _ = try await record() as Record?
        } catch {
            switch error.kind {
            case .storage(.laterVersion), .storage(.locked), .storage(.entitlementMissing),
                .storage(.noKeyring):
                throw error
            default: return
            }
        }
    }
}

extension KeptRecord {
    /// - Returns: `nil` if the bytes are not a record.
    /// - Throws: storage(.laterVersion)
    static func reading(_ bytes: [UInt8]) throws(SignInError) -> Self? {
        if let record = Self(bytes) { return record }
        // `try?`: what is not JSON has no version.
        let json = try? JSONObject(parsing: bytes, limits: JSONLimits(size: 1 << 20))
        guard let version = json?.int64("version"), version > Self.version else { return nil }
        throw .storage(.laterVersion)
    }
}
