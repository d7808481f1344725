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
        guard let token = request.bearerToken else { return nil }
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
    var bearerToken: String? {
        headerFields[.authorization].flatMap { field in
            field.hasPrefix("Bearer ") ? String(field.dropFirst(7)) : nil
        }
    }

    fileprivate var idempotencyKey: String? {
        HTTPField.Name("Idempotency-Key").flatMap { headerFields[$0] }
    }
}
