import PorticoBytes
import PorticoTestSupport
import Testing

@Suite("Association files, as they are fetched")
struct AppLinksTests {
    private static let fingerprint =
        String(repeating: "AB:", count: 31) + "AB"

    private static let apple = """
        {"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.n"],\
        "components":[{"/":"/auth/callback"}]}]},\
        "webcredentials":{"apps":["ABCDE12345.com.example.n"]}}
        """

    private static func google(_ fingerprint: String) -> String {
        """
        [{"relation":["delegate_permission/common.handle_all_urls"],"target":\
        {"namespace":"android_app","package_name":"com.example.n",\
        "sha256_cert_fingerprints":["\(fingerprint)"]}}]
        """
    }

    private static func json(_ body: String, type: String = "application/json")
        -> LocalServer.Answer
    {
        LocalServer.reply("200 OK", ["Content-Type: \(type)"], body)
    }

    @Test("SEED-ADR-19: what Apple and Google would not take is told, with what mends it")
    func faults() throws {
        let portico = try PorticoProcess()
        let answers = Locked<(apple: LocalServer.Answer, google: LocalServer.Answer)>(
            (.silence, .silence)
        )
        let server = try LocalServer { request in
            let answers = answers.withLock { $0 }
            return request.hasPrefix("GET /.well-known/apple-app-site-association ")
                ? answers.apple : answers.google
        }
        let origin = ["--public-url", "http://127.0.0.1:\(server.port)"]
        try portico.done(["realm", "create", "home"] + origin)
        try portico.done([
            "client", "create", "n", "--hand-off", "code", "--redirect-uri", "com.example.n:/c",
            "--apple-app", "ABCDE12345.com.example.n",
            "--android-app", "com.example.n=\(Self.fingerprint)",
        ])
        func check(_ apple: LocalServer.Answer, _ google: LocalServer.Answer) throws
            -> PorticoProcess.Outcome
        {
            answers.withLock { $0 = (apple, google) }
            return try portico.run(["client", "links", "n"] + origin)
        }
        let good = (Self.json(Self.apple), Self.json(Self.google(Self.fingerprint)))
        let well = try check(good.0, good.1)
        #expect(well.status == 0, "\(well.stdout)")
        let moved = LocalServer.reply("301 Moved", ["Location: http://127.0.0.1/"])
        for (apple, google, text, fix) in [
            (moved, good.1, "answers 301, and no redirect is followed", "at this address itself"),
            (LocalServer.reply("404 Not Found"), good.1, "answers 404", "pass /.well-known/ on"),
            (Self.json(Self.apple, type: "text/html"), good.1, "is text/html, not", "Content-Type"),
            (Self.json("<html>"), good.1, "is not JSON", "reach?"),
            (
                Self.json(#"{"webcredentials":{"apps":["ABCDE12345.com.example.n"]}}"#), good.1,
                "is missing in applinks", "Another server"
            ),
            (
                Self.json(Self.apple.replacing("webcredentials", with: "webcredentialz")), good.1,
                "is missing in webcredentials", "Another server"
            ),
            (good.0, Self.json("[]"), "com.example.n is missing", "Another server"),
            (
                good.0,
                Self.json(Self.google(Self.fingerprint.replacing("AB:AB:", with: "AB:CD:"))),
                "com.example.n lacks AB:AB:", "Another server"
            ),
        ] as [(LocalServer.Answer, LocalServer.Answer, String, String)] {
            let outcome = try check(apple, google)
            #expect(outcome.status == 10, "\(text)")
            #expect(outcome.stdout.contains(text), "\(text) \(outcome.stdout)")
            #expect(outcome.stdout.contains("fix: "), "\(text)")
            #expect(outcome.stdout.contains(fix), "\(text) \(outcome.stdout)")
        }
        // Who is not served is not in the files.
        try portico.done("client update n --disable-client --quiet")
        let disabled = try check(Self.json(#"{"applinks":{}}"#), good.1)
        #expect(disabled.stdout.contains("fix: The app is disabled: portico client update n"))
    }
}
