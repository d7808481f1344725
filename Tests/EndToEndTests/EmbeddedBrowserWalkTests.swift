import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// A browser inside another app, as it calls itself, in a real Chromium.
@Suite("End to end: inside another app", .serialized, .sharesBrowsers)
struct EmbeddedBrowserWalkTests {
    private struct Inside {
        let mark: String
        let system: String
        let hint: String
    }

    private static let apps = [
        Inside(mark: "Instagram 390.0.0", system: "iPhone", hint: "Open in Safari"),
        Inside(mark: "[FBAN/FBIOS;FBAV/500.0]", system: "iPhone", hint: "Open in Safari"),
        Inside(mark: "Version/4.0; wv)", system: "Android 15", hint: "Open in Chrome"),
        Inside(mark: "LinkedInApp", system: "X11", hint: "Open in browser"),
    ]

    @Test(
        "PRV-G-11, RFC 8252 §8.12: Google is not asked in another app's browser, and the way out is told",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func inside(scripts: Bool) async throws {
        try await Walk.run(scripts) { outside, server in
            // What it calls itself stays with it.
            try await outside.elsewhere { walk in
                for app in Self.apps {
                    try await walk.browser.callItself("Mozilla/5.0 (\(app.system)) \(app.mark)")
                    try await walk.open("/login?return_to=/account/ways")
                    try await walk.browser.click("button[formaction='/v1/auth/google']")
                    try await walk.expect("Open this page in your browser")
                    #expect(try await walk.says("Google doesn’t allow sign-in inside other apps."))
                    #expect(try await walk.says(app.hint))
                }
                #expect(server.standIns.log.all.isEmpty)
                let address = try await walk.browser.run(
                    "return document.getElementById('address').value"
                )
                // Other ways work here, for the same request.
                try await walk.goOn()
                try await walk.expect("Sign in to Example")
                try await walk.start("facebook")
                try await walk.be(.paul, at: "facebook")
                try await walk.expect("Welcome")
                try await walk.press("later")
                try await walk.expect("Sign-in methods")

                // What was copied leads on in a browser of its own.
                try await outside.browser.open(try #require(address.string))
                try await outside.be(.ben, at: "google")
                try await outside.expect("Welcome")
                try await outside.press("later")
                try await outside.expect("Sign-in methods")
            }
        }
    }
}
