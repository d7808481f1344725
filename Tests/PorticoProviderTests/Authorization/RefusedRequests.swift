import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// The server that refused requests share: none of them leaves anything behind.
enum RefusedRequests {
    static let server = Task { try await ProviderUnderTest() }
}

/// Client and redirect URI are good, something else is not: the error goes to the redirect URI
/// before anyone sees a page, by GET, by POST and where the request is pushed; nothing is kept.
func expectRefused(
    _ changes: [(String, String)],
    adding added: [(String, String)] = [],
    of client: String = "native1",
    as code: String,
    state: String? = "s-1",
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let server = try await RefusedRequests.server.value
    let request = TestFlow.request(client, changes) + added
    expectError(
        try await server.send(.get, TestBrowser.authorizationPath(request)),
        code,
        of: client,
        state: state,
        sourceLocation: sourceLocation
    )
    expectError(
        try await server.post(.endpoint("auth"), request),
        code,
        of: client,
        state: state,
        sourceLocation: sourceLocation
    )
    let pushed = try await server.push(request)
    #expect(pushed.status == 400, sourceLocation: sourceLocation)
    // RFC 9126 §2.1: request_uri must not be pushed, whatever it says.
    let expected = code == "request_uri_not_supported" ? "invalid_request" : code
    #expect(pushed.error == expected, sourceLocation: sourceLocation)
    #expect(pushed.json["request_uri"] == nil, sourceLocation: sourceLocation)
    #expect(try await server.remains() == Remains(), sourceLocation: sourceLocation)
}
