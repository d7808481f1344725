import PorticoBytes
import PorticoProtocol
import PorticoStores

/// An authorization request of a known client (RFC 6749 §4.1.1), with where its answer goes. What is
/// asked of it is asked of ``asked``.
@dynamicMemberLookup
struct ProvenRequest: Sendable {
    let asked: ClientRequest
    let target: AuthorizationTarget

    /// Reads the effective parameters of a request: those of the URL, or of the pushed request.
    ///
    /// - Parameters:
    ///   - isCarried: Whether it was read before, and comes out of a seal
    ///     (``ClientRequest/parameters``).
    ///   - now: Seconds since 1970.
    init(
        _ form: FormParameters,
        in realm: LiveRealm,
        wasPushed: Bool,
        isCarried: Bool = false,
        at now: Int64
    ) async throws {
        let client = try await Self.client(form, realm)
        target = try AuthorizationTarget(form, of: client, in: realm)
        do {
            asked = try await ClientRequest(
                form,
                of: client,
                in: realm,
                wasPushed: wasPushed,
                isCarried: isCarried,
                at: now
            )
        } catch let error as OAuthError {
            throw AuthorizationRefusal.redirect(error, target)
        }
    }

    subscript<Value>(dynamicMember member: KeyPath<ClientRequest, Value>) -> Value {
        asked[keyPath: member]
    }

    private static func client(_ form: FormParameters, _ realm: LiveRealm) async throws -> Client {
        let clientID: String
        do throws(OAuthError) {
            clientID = try form.required("client_id")
        } catch {
            throw AuthorizationRefusal.page(error, client: nil, nil)
        }
        guard let client = try await realm.client(clientID: clientID) else {
            let error = OAuthError(.invalidRequest, "client_id is not that of a registered client.")
            throw AuthorizationRefusal.page(error, client: clientID, .unknownClient)
        }
        return client
    }
}
