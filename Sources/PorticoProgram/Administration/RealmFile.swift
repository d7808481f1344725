import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A file with realms in the form in which Keycloak exports them.
struct RealmFile {
    let path: String
    private let bytes: [UInt8]

    /// - Parameter path: `-` for stdin.
    init(_ path: String) throws(Failure) {
        self.path =
            path == "-" ? "stdin" : path
        do {
            bytes = try FileInput.bytes(path, limit: RealmImport.limits.size)
        } catch {
            throw Failure(.importBroken, error.what, advice: error.advice)
        }
    }

    /// The realms in it, ready for the store, with what became of each part of the file.
    ///
    /// - Throws: where the file is broken: nothing of it is used then.
    func read(into installation: Installation) async throws -> [RealmImport.Imported] {
        do {
            return try await installation.registering { registration in
                let read = RealmImport(
                    creation: RealmCreation(ring: installation.ring),
                    clients: ClientRegistration(ring: installation.ring),
                    people: registration,
                    ring: installation.ring,
                    baseURL: installation.settings.effectivePublicURL
                )
                return try await read(bytes, at: installation.clock.moment())
            }
        } catch let error as RealmImportError {
            throw broken(printable(error.description))
        }
    }

    /// The names of its realms: enough to find those that exist already. Hashing the
    /// passwords of a large realm takes minutes.
    func names() throws(Failure) -> [String] {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: RealmImport.limits)
        } catch {
            throw broken(error.description)
        }
        let names = (value.array ?? [value]).map { $0.object?.string("realm") }
        guard !names.contains(nil) else { throw broken("A realm in it has no name.") }
        return names.compactMap { $0 }
    }

    private func broken(_ why: String) -> Failure {
        Failure(.importBroken, "\(printable(path)) cannot be imported. Nothing was imported.", why)
    }
}

extension Realm {
    func warnWhereDisabled(_ console: Console) {
        guard !isEnabled else { return }
        console.warn("Realm \(name) is disabled, as in the file: no one can sign in.")
    }
}
