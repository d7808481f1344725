public import Hummingbird
public import PorticoProtocol

/// A request context with the person who makes the request. ``PersonAuthenticator`` sets it.
public protocol PersonRequestContext: RequestContext {
    /// The person who makes the request; `nil` if the route has no ``PersonAuthenticator`` before
    /// it.
    var person: AuthenticatedPerson? { get set }
}

extension PersonRequestContext {
    /// The person who makes the request.
    ///
    /// - Throws: An ``AdmissionRefusal`` that answers 401 if no person was admitted.
    public func requirePerson() throws(AdmissionRefusal) -> AuthenticatedPerson {
        guard let person else { throw .unauthorized }
        return person
    }

    /// The person who makes the request, if they have a role.
    ///
    /// - Parameters:
    ///   - role: Must match exactly.
    ///   - owner: The realm, or a client by its `client_id`.
    /// - Throws: An ``AdmissionRefusal`` that answers 401 if no person was admitted, 403 if the
    ///   person does not have that role.
    public func requirePerson(with role: String, in owner: RoleOwner = .realm)
        throws(AdmissionRefusal) -> AuthenticatedPerson
    {
        let person = try requirePerson()
        guard person.roles.contains(role, in: owner) else { throw .forbidden }
        return person
    }
}

/// The smallest ``PersonRequestContext``, for a service that needs nothing else.
public struct BasicPersonContext: PersonRequestContext {
    public var coreContext: CoreRequestContextStorage
    public var person: AuthenticatedPerson?

    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}
