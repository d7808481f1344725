import PorticoProtocol
import PorticoTestSupport
import Testing

/// The main walks where engines differ: what they take for one site, which cookies they send along,
/// and what a finger meets on a small screen.
@Suite("End to end: the main walks in every engine", .serialized, .sharesBrowsers)
struct EngineWalkTests {
    struct Walk: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (MainWalk) async throws -> Void

        static let all: [Walk] =
            MainWalk.providers.flatMap { provider in
                [
                    Walk(testDescription: "register and return, \(provider)") {
                        try await $0.registerAndReturn(provider)
                    },
                    Walk(testDescription: "cancel, \(provider)") {
                        try await $0.cancel(provider)
                    },
                ]
            } + [
                Walk(testDescription: "a second provider") { try await $0.addSecondProvider() },
                Walk(testDescription: "an app") { try await $0.signInToApp() },
                Walk(testDescription: "by handle") { main in
                    let walk = HandleWalk(stage: main.stage, browser: main.browser)
                    try await walk.signIn(HandleWalk.ann)
                    try await walk.expectSession(of: HandleWalk.ann)
                    try await main.signOut()
                },
            ]
    }

    @Test(
        "SEED-ADR-2, decision 0030: the main walks in Firefox ESR",
        .needs(.firefox),
        arguments: Scripts.on,
        Walk.all
    )
    func firefox(scripts: Bool, walk: Walk) async throws {
        try await MainWalk.run(.firefox, scripts: scripts, walk.run)
    }

    @Test(
        "SEED-ADR-2, decision 0030: the main walks in WebKitGTK",
        .needs(.webkit),
        arguments: Scripts.on,
        Walk.all
    )
    func webkit(scripts: Bool, walk: Walk) async throws {
        try await MainWalk.run(.webkit, scripts: scripts, walk.run)
    }

    @Test(
        "SEED-ADR-2, decision 0030: the main walks at a phone's size, with a finger",
        .needs(.phone),
        arguments: Scripts.on,
        Walk.all
    )
    func phone(scripts: Bool, walk: Walk) async throws {
        try await MainWalk.run(.phone, scripts: scripts) { main in
            try await main.browser.expectTouch()
            try await walk.run(main)
        }
    }
}

extension Browser {
    /// Nothing else is worth calling it a phone.
    fileprivate func expectTouch() async throws {
        let screen = try await run(
            """
            return [innerWidth, matchMedia('(pointer: coarse)').matches, navigator.maxTouchPoints > 0];
            """
        )
        #expect(screen == [360, true, true])
    }
}
