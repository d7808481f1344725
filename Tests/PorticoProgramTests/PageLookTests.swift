import Foundation
import HTTPTypes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("How the pages look")
struct PageLookTests {
    private static let svg = #"<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>"#
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]

    @Test(
        "an image is what its content says",
        arguments: [
            (Array(svg.utf8), .svg), (Array("<?xml version=\"1.0\"?>\n<svg/>".utf8), .svg),
            (Array("<!-- a mark --><svg/>".utf8), .svg), (png, .png),
            ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg), (Array("RIFF....WEBPVP8 ".utf8), .webp),
            (Array("<html><svg/></html>".utf8), nil), (Array("RIFF....WAVE".utf8), nil),
            ([0xFF, 0xFE], nil), ([], nil), (Array("<script>alert(1)</script>".utf8), nil),
        ] as [([UInt8], PageImage.Kind?)]
    )
    func kinds(bytes: [UInt8], kind: PageImage.Kind?) {
        #expect(PageImage.kind(of: bytes) == kind)
    }

    @Test("what a theme does not know, and what is no image, stops the start and says why")
    func refusals() throws {
        let portico = try PorticoProcess()
        func write(_ bytes: some Sequence<UInt8>, _ path: String) throws {
            let file = portico.home.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(bytes).write(to: file)
        }
        try write("text".utf8, "text.svg")
        try write([UInt8](repeating: 0x20, count: 300 * 1024), "big.png")
        try write(Self.svg.utf8, "wrong/gogle.svg")
        try write(Self.svg.utf8, "twice/apple.svg")
        try write(Self.png, "twice/apple.png")
        try write("<html>".utf8, "html/apple.svg")
        for (arguments, text) in [
            (["--pages-light", "accent=red"], "--pages-light has a wrong value: \"accent=red\"."),
            (["--pages-light", "accnt=#000000"], "Expected: a list of NAME=VALUE, such as"),
            (["--pages-light", "accent"], "--pages-light has a wrong value"),
            (
                ["--pages-light", "accent=#000000", "--pages-light", "accent=#111111"],
                "--pages-light has a wrong value"
            ),
            (["--pages-light", "radius=4px;color:red"], "--pages-light has a wrong value"),
            (["--pages-light", "font=a}b"], "--pages-light has a wrong value"),
            (["--pages-dark", "radius=4px"], "--pages-dark has a wrong value"),
            (["--pages-logo", "none.png"], "pages.logo: "),
            (["--pages-logo", "text.svg"], "is not an image that pages can show. (wrong-value)"),
            (["--pages-logo", "big.png"], "is longer than 256 KiB"),
            (["--pages-brand", "nowhere"], "The folder in pages.brand cannot be read"),
            (["--pages-brand", "wrong"], "Did you mean google.svg?"),
            (["--pages-brand", "twice"], "pages.brand has two images for apple"),
            (["--pages-brand", "html"], "is not an image that pages can show"),
        ] {
            let outcome = try portico.run(["serve", "--listen", "127.0.0.1:0"] + arguments)
            #expect(outcome.status == 2, "\(arguments) \(outcome.stderr)")
            #expect(outcome.stderr.contains(text), "\(arguments) \(outcome.stderr)")
            #expect(outcome.stdout == "", "\(arguments)")
        }
    }

    @Test("WEB-CSP-2: logo and marks are served with their types, kept an hour, and run nothing")
    func served() async throws {
        let portico = try PorticoProcess()
        let brand = portico.home.appending(path: "brand")
        try FileManager.default.createDirectory(at: brand, withIntermediateDirectories: true)
        try Data(Self.svg.utf8).write(to: brand.appending(path: "apple.svg"))
        try Data("Apple's terms".utf8).write(to: brand.appending(path: "LICENCE.txt"))
        try Data(Self.png).write(to: portico.home.appending(path: "logo.png"))
        let server = try await DemoServer(
            in: portico,
            arguments: [
                "--pages-brand", "brand", "--pages-logo", "logo.png", "--pages-light",
                "accent=#0a5c2f", "--pages-light", "quiet=#cccccc",
            ]
        )
        let person = WebPerson()
        let page = try await person.get(server.url + "/login").text
        #expect(page.contains("--accent: #0a5c2f;"))
        #expect(page.contains(#"<img src="/assets/logo" class="logo" alt="">"#))
        #expect(page.contains(#"<img src="/assets/brand/apple" alt="""#))
        #expect(!page.contains("/assets/brand/google"))
        // The Provider's pages are the same team's.
        let realm = try await person.get(server.issuer, with: [.accept: "text/html"]).text
        #expect(realm.contains(#"src="/assets/logo""#))
        #expect(realm.contains("--accent: #0a5c2f;"))

        let mark = try await person.get(server.url + "/assets/brand/apple")
        #expect(mark.status == 200)
        #expect(mark.headers[.contentType] == "image/svg+xml")
        #expect(mark.headers[.contentSecurityPolicy]?.contains("sandbox") == true)
        #expect(mark.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
        #expect(mark.headers[.xContentTypeOptions] == "nosniff")
        #expect(mark.headers[.cacheControl] == "public, max-age=3600")
        #expect(mark.text == Self.svg)
        let tag = try #require(mark.headers[.eTag])
        let again = try await person.get(
            server.url + "/assets/brand/apple",
            with: [.ifNoneMatch: tag]
        )
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        let logo = try await person.get(server.url + "/assets/logo")
        let icon = try await person.get(server.url + "/favicon.ico")
        #expect(icon.status == 200 && icon.body == logo.body)
        #expect(logo.headers[.contentType] == "image/png")
        for path in ["google", "generic", "LICENCE.txt", "apple.svg", "../../demo/key-ring"] {
            #expect(try await person.get(server.url + "/assets/brand/" + path).status != 200)
        }
        try await person.close()
        #expect(
            server.running.stderr.contains("! The theme has too little contrast: quiet on page")
        )
    }
}

@Suite("serve, and providers that cannot be used") struct UnusableProviderTests {
    private static let file = ".local/share/portico/server/portico.sqlite"

    @Test("each is named in the log when the server starts, and offered to no one")
    func named() async throws {
        let portico = try PorticoProcess()
        func add(_ arguments: [String], _ secret: String) throws {
            try portico.done(
                ["provider", "add"] + arguments + ["--secret-file", "-"],
                input: secret
            )
        }
        try add(["google", "--client-id", "ours"], "a secret\n")
        try add(["facebook", "--client-id", "ours"], "a secret\n")
        // Apple takes no address without a domain name, and ours is one on loopback.
        try add(
            ["apple", "--client-id", "ours", "--team-id", "ABCDE12345", "--key-id", "KEY1234567"],
            DoctorTests.appleKey
        )
        let database = try SQLiteDatabase(file: portico.home.appending(path: Self.file).path)
        let store = BackendConfigurationStore(database)
        for var record in try await store.configuration().providers where record.name == "facebook"
        {
            record.sealedSecret = "AAAA"
            try await store.put(record)
        }
        try await database.close()
        let server = try await EarnestServer(in: portico)
        for name in ["apple", "facebook"] {
            // The log is written beside what says that it listens.
            try await server.wait { server.running.stderr.contains("provider=\(name)") }
        }
        #expect(!server.running.stderr.contains("provider=google"))
        let page = try await server.request("GET", "/login")
        #expect(page.body.contains("/v1/auth/google"))
        #expect(!page.body.contains("/v1/auth/apple"))
        #expect(!page.body.contains("/v1/auth/facebook"))
    }
}
