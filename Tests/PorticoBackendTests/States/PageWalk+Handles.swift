import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoTestSupport

@testable import PorticoBackend
@testable import PorticoSignIn

/// Signing in by internet handle.
extension PageWalk {
    static let handles = asked + refused + answered

    private static let asked = [
        PageWalk(ChooseMethodPage.self, "with an internet handle") { walker in
            let server = try await BackendUnderTest.withHandles()
            return try await walker.visitor(server).open("/login").reply
        },
        asking("asked") { _, _ in "" },
        PageWalk(HandlePage.self, "known") { walker in
            let server = try await BackendUnderTest.withHandles()
            let query = app + [("handle", "ann.example.com")]
            let path = FormEncoding.appending(query, to: "/mobile-auth")
            return try await walker.visitor(server).open(path).reply
        },
        asking("proposed") { _, _ in "ann@example.com" },
        PageWalk(HandleHostPage.self, "of a handle") { walker in
            try await host("ann.example.com", walker)
        },
        PageWalk(HandleHostPage.self, "named") { walker in
            try await host("https://pds.example.com", walker)
        },
    ]

    private static let refused = [
        asking("unreadable") { _, _ in "ann example com" },
        asking("not found") { _, _ in "nobody.example.com" },
        asking("host unreachable") { server, _ in
            server.hosts.setAway("pds.example.com")
            return "ann.example.com"
        },
        asking("host without sign-in") { server, _ in
            server.hosts.setIssuer(of: "pds.example.com", nil)
            return "ann.example.com"
        },
        asking("one way") { server, _ in
            server.hosts.unconfirm(.ann)
            return "ann.example.com"
        },
        PageWalk(HandlePage.self, "too many tries") { walker in
            let visitor = walker.visitor(
                try await BackendUnderTest(
                    apps: [.moved, .notes],
                    limits: SignInLimits(),
                    handles: [:]
                )
            )
            for _ in 0..<5 { _ = try await visitor.begin("ann.example.com", app) }
            return try await visitor.begin("ann.example.com", app)
        },
        asking("busy") { server, _ in
            let key = server.backend.signIn.directory.handleKeys.first?.keyID ?? ""
            _ = try await server.database.configuration.withdrawHandleKey(
                key,
                at: server.clock.seconds
            )
            try await server.backend.signIn.directory.refresh()
            return "ann.example.com"
        },
    ]

    private static let answered = [
        answering("other account", app) { server, location in
            try server.hosts.refuse(location, "login_required", "")
        },
        answering("not finished", app) { server, location in
            try server.hosts.refuse(location, "access_denied", "This request has expired")
        },
        answering("denied", []) { server, location in try server.hosts.refuse(location) },
        answering("expired", []) { server, location in
            server.clock.advance(by: 601)
            return try server.hosts.approve(location, as: .ann)
        },
        PageWalk(HandleAgainPage.self, "asked") { walker in
            let server = try await BackendUnderTest.withHandles()
            let visitor = walker.visitor(server)
            let begun = try await visitor.begin("ann.example.com")
            server.hosts.move(.ann, to: "other.example.com")
            return try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        },
        PageWalk(HandlePopupPage.self, "signed in") { walker in
            let server = try await BackendUnderTest.withHandles()
            return try await walker.visitor(server).byHandle([("pwa", "true")])
        },
    ]

    private static let app = [("mobile", "true"), ("app", "moved")]

    /// The page that asks, after a handle was typed, or none.
    private static func asking(
        _ state: String,
        _ typed: @escaping @Sendable (BackendUnderTest, Walker) async throws -> String
    ) -> PageWalk {
        PageWalk(HandlePage.self, state) { walker in
            let server = try await BackendUnderTest.withHandles()
            let visitor = walker.visitor(server)
            let handle = try await typed(server, walker)
            guard !handle.isEmpty else {
                return try await visitor.open(FormEncoding.appending(app, to: "/mobile-auth")).reply
            }
            return try await visitor.begin(handle, app)
        }
    }

    /// The same page, after the host's answer.
    private static func answering(
        _ state: String,
        _ query: [(name: String, value: String)],
        _ answer: @escaping @Sendable (BackendUnderTest, String?) throws -> String
    ) -> PageWalk {
        PageWalk(HandlePage.self, state) { walker in
            let server = try await BackendUnderTest.withHandles()
            let visitor = walker.visitor(server)
            let begun = try await visitor.begin("ann.example.com", query)
            return try await visitor.request(answer(server, begun.location))
        }
    }

    private static func host(_ handle: String, _ walker: Walker) async throws -> Reply {
        let server = try await BackendUnderTest.withHandles()
        return try await walker.visitor(server).begin(handle, [("ask", "host")])
    }
}
