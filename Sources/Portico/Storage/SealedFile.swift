import Crypto
import PorticoBytes
import PorticoSystem

/// Keeps a session in a ``PrivateFile`` that is encrypted under a key of the app's (AES-256-GCM).
///
/// It is for an app that has a better place for one short key than for a session: a security module,
/// a secret that the person types, a service that hands secrets to programs. With the key stored
/// beside it, the file is no safer than a ``PrivateFile``. An older file that is put back opens: that
/// needs a place that counts.
///
/// The file is `version1 ‖ nonce12 ‖ ciphertext ‖ tag16`; its version and its own name are
/// authenticated with it, so that the file of one account does not open as that of another.
public struct SealedFile: SessionStorage {
    private let file: PrivateFile
    private let key: SymmetricKey
    private let associated: [UInt8]

    private static let version: UInt8 = 1

    /// A file that need not exist yet.
    ///
    /// - Parameters:
    ///   - path: As for ``PrivateFile/init(_:)``. The file may be moved to another folder, but its
    ///     name must stay.
    ///   - key: 32 random bytes, for this purpose only. With any other number every call throws
    ///     storage(.wrongKey).
    public init(_ path: String, key: [UInt8]) {
        file = PrivateFile(path)
        self.key = SymmetricKey(data: key)
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
        associated = Array("portico.session".utf8) + [0, Self.version] + name
    }

    /// - Throws: storage(.wrongKey) if the file was sealed with another key or under another name, or
    ///   was changed; storage(.laterVersion); and as ``PrivateFile/read()``.
    @concurrent public func read() async throws(SignInError) -> [UInt8]? {
        try checkKey()
        guard let sealed = try await file.read() else { return nil }
        guard let version = sealed.first, version >= Self.version else {
            throw .storage(.wrongKey)
        }
        guard version == Self.version else { throw .storage(.laterVersion) }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst())
            return Array(try AES.GCM.open(box, using: key, authenticating: associated))
        } catch {
            throw .storage(.wrongKey)
        }
    }

    @concurrent public func write(_ record: [UInt8]) async throws(SignInError) {
        try checkKey()
        let sealed: Data?
        do {
            sealed = try AES.GCM.seal(record, using: key, authenticating: associated).combined
        } catch {
            throw .storage(.unwritable)
        }
        guard let sealed else { throw .storage(.unwritable) }
        try await file.write([Self.version] + sealed)
    }

    @concurrent public func remove() async throws(SignInError) {
        try await file.remove()
    }

    public func tryLock() throws(SignInError) -> SessionLock? {
        try file.tryLock()
    }

    private func checkKey() throws(SignInError) {
        guard key.bitCount == 256 else { throw .storage(.wrongKey) }
    }
}

extension SealedFile: CustomStringConvertible, CustomReflectable {
    public var description: String { "SealedFile" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
