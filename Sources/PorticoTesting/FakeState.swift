import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// What a ``FakeProvider`` and a ``FakeBackend`` both keep: people, and the tokens of apps.
protocol FakeState {
    var people: [FakePerson] { get set }
    var families: [TokenFamily] { get set }
}

extension FakeState {
    func person(_ subject: String) -> FakePerson? {
        people.first { sameBytes($0.subject, subject) }
    }

    /// Whose token a request carries, if it is live.
    func person(of request: HTTPRequest, at now: Date) -> FakePerson? {
        guard let token = request.sessionToken else { return nil }
        return families.first { $0.isLive(token, at: now) }.flatMap { person($0.subject) }
    }

    mutating func change(_ person: FakePerson) {
        let index = people.firstIndex { sameBytes($0.subject, person.subject) }
        if let index { people[index] = person } else { people.append(person) }
    }

    /// - Returns: The tokens that a refresh token is good for, by their index.
    mutating func refresh(
        _ request: HTTPRequest,
        _ form: FormParameters,
        _ rotation: RefreshRotation
    ) -> Int? {
        let token = form["refresh_token"] ?? ""
        guard let index = families.firstIndex(where: { $0.has(token) }),
            families[index].use(token, key: request.idempotencyKey, rotation)
        else { return nil }
        return index
    }

    mutating func endFamilies(where isEnding: (TokenFamily) -> Bool = { _ in true }) {
        for index in families.indices where isEnding(families[index]) { families[index].end() }
    }
}

extension HTTPRequest {
    /// What the request carries as a Bearer token, or as the cookie of a backend.
    var sessionToken: String? {
        if let token = token(after: "Bearer ") { return token }
        // As the real one: by the cookie alone, any page could ask.
        guard headerFields[.portico] == "1",
            let cookie = headerFields[.cookie], cookie.hasPrefix("sid=")
        else { return nil }
        return String(cookie.dropFirst(4))
    }

    /// - Parameter scheme: With the space after it.
    func token(after scheme: String) -> String? {
        headerFields[.authorization].flatMap { field in
            field.hasPrefix(scheme) ? String(field.dropFirst(scheme.count)) : nil
        }
    }

    fileprivate var idempotencyKey: String? { headerFields[.idempotencyKey] }
}
