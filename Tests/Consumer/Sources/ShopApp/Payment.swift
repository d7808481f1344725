import HTTPTypes
import Portico

func pay(_ order: HTTPRequest, in session: Session) async throws -> HTTPResponse {
    let (_, response) = try await session.http.data(for: order)
    guard let needed = SignInRequest(answering: response) else { return response }
    try await session.stepUp(needed, using: .loopback())
    return try await session.http.data(for: order).1
}
