public import Portico
import PorticoBytes
import PorticoProtocol

extension Session {
    /// A session to preview a view with: this person is signed in, with tokens that are made up and
    /// never expire. Nothing is stored.
    ///
    /// - Parameter person: With a subject that is not empty.
    public static func preview(_ person: FakePerson = .ann()) -> Session {
        let provider = FakeProvider(people: [person])
        do {
            let tokens = try TokenResponse(parsing: provider.signedIn(person).body)
            return try Session(unchecked: tokens, by: .testing(provider))
        } catch {
            preconditionFailure("PorticoTesting: a person for a preview needs a subject.")
        }
    }
}

extension BackendSession {
    /// As ``Portico/Session/preview(_:)``, at a backend.
    ///
    /// - Parameter person: With a subject that is not empty.
    public static func preview(_ person: FakePerson = .ann()) -> BackendSession {
        let backend = FakeBackend(people: [person])
        do {
            return try BackendSession(
                unchecked: backend.signedIn(person).body,
                by: .testing(backend)
            )
        } catch {
            preconditionFailure("PorticoTesting: a person for a preview needs a subject.")
        }
    }
}
