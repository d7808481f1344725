package import HTTPTypes
import PorticoBytes

/// Who reads an answer: it decides whether an error is a page or JSON.
package enum Audience: Hashable, Sendable {
    case people
    /// The same, in a window that an app has opened and waits for.
    case popups
    case programs

    package var isPeople: Bool { self != .programs }
}

/// One route of a service: a method at an address, its audience, and its handler.
///
/// Everything else follows from the route: `HEAD`, 405 with `Allow`, `OPTIONS`, CORS, the form of
/// an error, and whether the answer may be shown in a window that an app opened (``HTTPService``).
package struct Route<Context: Sendable>: Sendable {
    package typealias Handler = @Sendable (Context) async throws -> Response
    /// Says, by a request without its body, whose account a long one counts for. It throws what the
    /// handler throws to whom it does not let in.
    package typealias Uploader = @Sendable (Context) async throws -> String

    package let method: HTTPRequest.Method
    package let path: RoutePath
    package let audience: Audience
    /// The origins with scripts that may read the answer.
    package let scripts: ScriptOrigins
    /// Whether `HEAD` is answered like `GET` without a body (RFC 9110 §9.3.2). Not if the request
    /// spends something.
    package let answersHead: Bool
    /// The pages of other sites that may have a browser send it.
    package private(set) var otherSites = OtherSites.any
    /// Of a row that takes bodies longer than ``ConnectionLimits/body`` (docs/decisions/0068). Its
    /// handler looks at ``Request/upload``.
    let uploader: Uploader?
    let respond: Handler

    private init(
        _ method: HTTPRequest.Method,
        _ path: RoutePath,
        _ audience: Audience,
        _ scripts: ScriptOrigins,
        _ answersHead: Bool,
        uploads uploader: Uploader? = nil,
        _ respond: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.audience = audience
        self.scripts = scripts
        self.answersHead = answersHead
        self.uploader = uploader
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
        uploads uploader: Uploader? = nil,
        _ respond: @escaping Handler
    ) -> Route {
        Route(.post, path, audience, scripts, false, uploads: uploader, respond)
    }

    package static func delete(
        _ path: RoutePath,
        for audience: Audience,
        _ respond: @escaping Handler
    ) -> Route {
        Route(.delete, path, audience, .none, false, respond)
    }

    /// The same row, for requests of these other sites only.
    package func from(_ otherSites: OtherSites) -> Route {
        var route = self
        route.otherSites = otherSites
        return route
    }

    /// The same handler for several methods.
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

/// The origins with scripts that may read an answer (Fetch §3.2; RFC 9700 §2.6, OpenID Connect Core
/// §5.3).
package enum ScriptOrigins: Hashable, Sendable {
    /// No other origin: for pages, and for endpoints that only servers call.
    case none
    /// Any origin: for public documents.
    case any
    /// The origins that the requesting client has registered. If no client has authenticated, those
    /// of all clients: such an answer tells nothing about any of them.
    case clients
    /// The same, for an address that people use too: an answer for no client is not readable.
    case knownClients
}
