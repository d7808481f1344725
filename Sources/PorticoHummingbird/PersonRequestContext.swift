public import Hummingbird
public import PorticoProtocol

/// A request context with the person who makes the request. ``PersonAuthenticator`` sets it.
public protocol PersonRequestContext: RequestContext {
    /// Who makes the request; `nil` where no ``PersonAuthenticator`` stands before the route.
    var person: AuthenticatedPerson? { get set }
}

extension PersonRequestContext {
    /// Who makes the request.
    ///
    /// - Throws: An ``AdmissionRefusal`` that answers 401 where nobody was admitted.
    public func requirePerson() throws(AdmissionRefusal) -> AuthenticatedPerson {
        guard let person else { throw .unauthorized }
        return person
    }

    /// Who makes the request, if they have a role.
    ///
    /// - Parameters:
    ///   - role: Compared to the letter.
    ///   - owner: The realm, or a client by its `client_id`.
    /// - Throws: An ``AdmissionRefusal`` that answers 401 where nobody was admitted, 403 where the
    ///   person has not that role.
    public func requirePerson(with role: String, in owner: RoleOwner = .realm)
        throws(AdmissionRefusal) -> AuthenticatedPerson
    {
        let person = try requirePerson()
        guard person.roles.contains(role, in: owner) else { throw .forbidden }
        return person
    }
}

/// The smallest ``PersonRequestContext``, for a service that needs nothing else in it.
public struct BasicPersonContext: PersonRequestContext {
    public var coreContext: CoreRequestContextStorage
    public var person: AuthenticatedPerson?

    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}
