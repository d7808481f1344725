package import HTTPTypes

/// Who reads an answer: then an error is a page, or JSON.
package enum Audience: Hashable, Sendable {
    case people
    /// The same, in a window that an app has opened and waits for.
    case popups
    case programs

    package var isPeople: Bool { self != .programs }
}

/// One row of a service: a method at an address, who asks there, and what answers.
///
/// Everything else follows from the row: `HEAD`, 405 with `Allow`, `OPTIONS`, CORS, how an error
/// looks, and whether the answer may be shown in a window that an app opened (``HTTPService``).
package struct Route<Context: Sendable>: Sendable {
    package typealias Handler = @Sendable (Context) async throws -> Response

    package let method: HTTPRequest.Method
    package let path: RoutePath
    package let audience: Audience
    /// Scripts of which origins may read the answer.
    package let scripts: ScriptOrigins
    /// Whether `HEAD` is answered as `GET` without a body (RFC 9110 §9.3.2). Not where asking spends
    /// something.
    package let answersHead: Bool
    let respond: Handler

    private init(
        _ method: HTTPRequest.Method,
        _ path: RoutePath,
        _ audience: Audience,
        _ scripts: ScriptOrigins,
        _ answersHead: Bool,
        _ respond: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.audience = audience
        self.scripts = scripts
        self.answersHead = answersHead
        self.respond = respond
    }

    package static func get(
        _ path: RoutePath,
        for audience: Audience,
        scripts: ScriptOrigins = .none,
        answersHead: Bool = true,
        _ respond: @escaping Handler
    ) -> Route {
        Route(.get, path, audience, scripts, answersHead, respond)
    }

    package static func post(
        _ path: RoutePath,
        for audience: Audience,
        scripts: ScriptOrigins = .none,
        _ respond: @escaping Handler
    ) -> Route {
        Route(.post, path, audience, scripts, false, respond)
    }

    package static func delete(
        _ path: RoutePath,
        for audience: Audience,
        _ respond: @escaping Handler
    ) -> Route {
        Route(.delete, path, audience, .none, false, respond)
    }

    /// The same answer by several methods.
    package static func any(
        of methods: [HTTPRequest.Method],
        _ path: RoutePath,
        for audience: Audience,
        scripts: ScriptOrigins = .none,
        _ respond: @escaping Handler
    ) -> [Route] {
        methods.map {
            Route($0, path, audience, scripts, $0 == .get, respond)
        }
    }
}

/// Scripts of which origins may read an answer (Fetch §3.2; RFC 9700 §2.6, OpenID Connect Core §5.3).
package enum ScriptOrigins: Hashable, Sendable {
    /// No other origin's: pages, and what only servers ask for.
    case none
    /// Any origin's: public documents.
    case any
    /// Those that the client that asks has registered. Where none has proven itself, those of all
    /// clients: such an answer says nothing of any of them.
    case clients
    /// The same, at an address that answers people too: an answer for no client is for no script.
    case knownClients
}
