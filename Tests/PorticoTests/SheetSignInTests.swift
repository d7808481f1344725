import Foundation
import PorticoBytes
import PorticoTestSupport
import Testing

@testable import Portico

private let https = "https://app.example.com/cb"
private let scheme = "com.example.app:/cb"

@Suite("Signing in in the system's sheet")
struct SheetSignInTests {
    private func scene(
        _ redirect: Redirect = .https(https, fallback: .scheme(scheme)),
        storage: any SessionStorage = InMemory()
    ) -> Scene {
        Scene(storage: storage, redirect: redirect)
    }

    private func failure(_ scene: Scene, _ sheet: ScriptedSheet) async -> SignInError? {
        do {
            _ = try await scene.client.signIn(using: .sheet(sheet))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "RFC8252-7.2-3: https is preferred where the sheet takes it, a scheme is what is left",
        arguments: [
            (true, https, SheetEnding.https(host: "app.example.com", path: "/cb")),
            (false, scheme, .scheme("com.example.app")),
        ]
    )
    func redirects(takesHTTPS: Bool, redirectURI: String, ending: SheetEnding) async throws {
        let scene = scene()
        let provider = scene.provider
        let sheet = ScriptedSheet(takesHTTPS: takesHTTPS) { address, _ throws(SignInError) in
            try provider.agreeing(address)
        }
        let session = try await scene.client.signIn(using: .sheet(sheet))
        #expect(session.user.subject == "alice")
        #expect(sheet.showings.map(\.ending) == [ending])
        #expect(try parameter("redirect_uri", of: sheet.showings[0].address) == redirectURI)
        #expect(provider.requests("/token").map { $0.form["redirect_uri"] } == [redirectURI])
        #expect(try await scene.storedRecord != nil)
    }

    @Test("Closing the sheet is the person's cancel: nothing is asked, nothing kept")
    func closed() async throws {
        let scene = scene()
        let sheet = ScriptedSheet { _, _ throws(SignInError) in
            throw SignInError(.cancelled(.user))
        }
        #expect(await failure(scene, sheet) == SignInError(.cancelled(.user)))
        #expect(scene.provider.requests("/token").isEmpty)
        #expect(try await scene.storage.read() == nil)
    }

    @Test("A sheet that cannot be shown is no cancel")
    func notShown() async throws {
        let sheet = ScriptedSheet { _, _ throws(SignInError) in
            throw SignInError(.misconfigured(.sheetNotShown))
        }
        #expect(await failure(scene(), sheet) == SignInError(.misconfigured(.sheetNotShown)))
        #expect(sheet.showings.count == 1)
    }

    @Test(
        "RFC 8252 §8.9, §8.10: after an answer that is not ours the sheet is shown again",
        arguments: [
            "\(https)?code=evil&state=evil", "\(https)?error=access_denied&state=evil",
            "https://app.example.com/other?code=evil", https, "",
        ]
    )
    func shownAgain(stranger: String) async throws {
        let scene = scene()
        let provider = scene.provider
        let sheet = ScriptedSheet { address, count throws(SignInError) in
            count == 1 ? stranger : try provider.agreeing(address)
        }
        let session = try await scene.client.signIn(using: .sheet(sheet))
        #expect(session.isActive)
        #expect(sheet.showings.count == 2)
        #expect(Set(sheet.showings).count == 1, "the same attempt")
        #expect(provider.requests("/token").count == 1)
    }

    /// At a provider that requires pushed requests.
    private func pushing() -> Scene {
        let scene = scene()
        scene.provider.change {
            $0.metadata["pushed_authorization_request_endpoint"] = "https://op.example.com/par"
            $0.metadata["require_pushed_authorization_requests"] = true
        }
        scene.provider.answer("/par") { [provider = scene.provider] _ in
            let serial = provider.requests("/par").count
            return .json(
                ["request_uri": .string("urn:x:\(serial)"), "expires_in": 60],
                status: 201
            )
        }
        return scene
    }

    @Test("RFC 9126 §2.1, §4: a request is pushed whole, and the address has its reference alone")
    func pushed() async throws {
        let scene = pushing()
        let attempt = try await scene.client.begin()
        let form = try #require(scene.provider.requests("/par").first?.form)
        #expect(form["response_type"] == "code" && form["code_challenge_method"] == "S256")
        #expect(form["redirect_uri"] == https && form["scope"] == "openid profile email")
        for name in ["state", "nonce", "code_challenge"] {
            #expect(form[name]?.isEmpty == false, "\(name)")
            #expect(try parameter(name, of: attempt.address) == nil)
        }
        #expect(try parameter("client_id", of: attempt.address) == "app")
        #expect(try parameter("request_uri", of: attempt.address) == "urn:x:1")
        #expect(try parameter("redirect_uri", of: attempt.address) == nil)
    }

    @Test("RFC 9126 §4: a pushed request is pushed again for the second showing")
    func pushedAgain() async throws {
        let scene = pushing()
        let provider = scene.provider
        let sheet = ScriptedSheet { _, count throws(SignInError) in
            guard count == 2, let form = provider.requests("/par").last?.form else { return https }
            let names = ["client_id", "redirect_uri", "code_challenge", "nonce", "state"]
            return try provider.agreeing(
                FormEncoding.appending(names.map { ($0, form[$0] ?? "") }, to: "https://x/")
            )
        }
        #expect(try await scene.client.signIn(using: .sheet(sheet)).isActive)
        let shown = try sheet.showings.map { try parameter("request_uri", of: $0.address) }
        #expect(shown == ["urn:x:1", "urn:x:2"])
        let states = Set(provider.requests("/par").map { $0.form["state"] })
        #expect(states.count == 1, "the same attempt")
    }

    @Test(
        "RFC 8252 §8.9, §8.10: a second answer that is not ours ends it, and no code was sent",
        arguments: [
            ("\(https)?code=evil&state=evil", SignInError.Check.state),
            ("https://app.example.com/other?code=evil", .redirect),
        ]
    )
    func notOurs(stranger: String, check: SignInError.Check) async throws {
        let scene = scene()
        let sheet = ScriptedSheet { _, _ in stranger }
        #expect(await failure(scene, sheet) == SignInError(.rejected(check)))
        #expect(sheet.showings.count == 2)
        #expect(scene.provider.requests("/token").isEmpty)
        #expect(try await scene.storage.read() == nil)
    }

    @Test("The provider's no is an answer: the sheet is not shown again")
    func denied() async throws {
        let scene = scene()
        let provider = scene.provider
        let sheet = ScriptedSheet { address, _ throws(SignInError) in
            try provider.agreeing(address).replacing("code=", with: "error=access_denied&x=")
        }
        #expect(await failure(scene, sheet) == SignInError(.denied))
        #expect(sheet.showings.count == 1)
    }

    @Test("SEED-KAPE-3: cancelling the task closes the sheet, and the error is the program's")
    func cancelled() async throws {
        for _ in 0..<20 {
            let scene = scene()
            let opened = Gate()
            let sheet = ScriptedSheet { _, _ throws(SignInError) in
                let outcome = FirstOutcome<Bool>()
                await withTaskCancellationHandler {
                    await opened.pass()
                    _ = await outcome.value()
                } onCancel: {
                    outcome.tell(true)
                }
                throw SignInError(.cancelled(.program))
            }
            opened.open()
            let client = scene.client
            let task = Task.failure { _ = try await client.signIn(using: .sheet(sheet)) }
            await opened.arrival()
            task.cancel()
            #expect(await task.value == .cancelled(.program))
            #expect(sheet.showings.count == 1)
        }
    }

    @Test("SEED-KAPE-3: a task that is cancelled already shows no sheet")
    func cancelledBefore() async throws {
        let scene = scene()
        let sheet = ScriptedSheet { _, _ in "" }
        let client = scene.client
        // What is known already is not fetched, which would notice first.
        _ = try await client.provider()
        let gate = Gate()
        let task = Task.failure {
            await gate.pass()
            _ = try await client.signIn(using: .sheet(sheet))
        }
        await gate.arrival()
        task.cancel()
        gate.open()
        #expect(await task.value == .cancelled(.program))
        #expect(sheet.showings.isEmpty)
    }

    @Test("A redirect that the sheet cannot end on is refused before anything is sent or shown")
    func unsuitable() async throws {
        let cases: [(Redirect, Bool)] = [
            (.loopback(), true), (.https(https), false),
            (.https("https://app.example.com:8443/cb"), true),
        ]
        for (redirect, takesHTTPS) in cases {
            let scene = scene(redirect)
            let sheet = ScriptedSheet(takesHTTPS: takesHTTPS) { _, _ in "" }
            let error = await failure(scene, sheet)
            #expect(error == SignInError(.misconfigured(.redirectNotForSheet)), "\(redirect)")
            #expect(sheet.showings.isEmpty)
            #expect(scene.provider.requests.isEmpty)
        }
    }

    @Test("A fallback is a private-use scheme, for an https redirect")
    func fallbacks() async throws {
        let cases: [Redirect] = [
            .https(https, fallback: .loopback()), .https(https, fallback: .https(https)),
            .https(scheme, fallback: .scheme(scheme)), .https(https, fallback: .scheme("x:/cb")),
            .https(https, fallback: .schemeWithAuthority(scheme)),
            .https(https, fallback: .scheme("com.example.app://x/cb")),
        ]
        for redirect in cases {
            let sheet = ScriptedSheet { _, _ in "" }
            let error = await failure(scene(redirect), sheet)
            #expect(error == SignInError(.misconfigured(.redirectInvalid)), "\(redirect)")
            #expect(sheet.showings.isEmpty)
        }
    }

    @Test("A fallback may have an authority, for a provider that registers nothing else")
    func fallbackWithAuthority() async throws {
        let uri = "com.example.app://op.example.com/cb"
        let scene = scene(.https(https, fallback: .schemeWithAuthority(uri)))
        let provider = scene.provider
        let sheet = ScriptedSheet(takesHTTPS: false) { address, _ throws(SignInError) in
            try provider.agreeing(address)
        }
        #expect(try await scene.client.signIn(using: .sheet(sheet)).isActive)
        #expect(try parameter("redirect_uri", of: sheet.showings[0].address) == uri)
        #expect(sheet.showings[0].ending == .scheme("com.example.app"))
    }

    @Test("What would not be kept is not asked for: no sheet while the storage is locked")
    func locked() async throws {
        let storage = FaultyStorage()
        let scene = scene(storage: storage)
        storage.failsReading = true
        let sheet = ScriptedSheet { _, _ in "" }
        #expect(await failure(scene, sheet) == SignInError(.storage(.locked)))
        #expect(sheet.showings.isEmpty)
        #expect(scene.provider.requests.isEmpty)
    }

    @Test("A backend's sign-in takes the same sheet")
    func backend() async throws {
        let scene = BackendScene()
        let backend = scene.backend
        let sheet = ScriptedSheet { address, count throws(SignInError) in
            do {
                return count == 1 ? "x:/y" : try backend.authorize(address)
            } catch {
                throw SignInError(.denied)
            }
        }
        let session = try await scene.client.signIn(with: "google", using: .sheet(sheet))
        #expect(session.user.id == "u-1")
        #expect(sheet.showings.count == 2)
    }
}

@Suite("Signing out in the system's sheet")
struct SheetSignOutTests {
    private func report(
        _ answer:
            @escaping @Sendable (_ redirect: String, _ state: String)
            throws(SignInError) -> String
    ) async throws -> (SignOutReport, ScriptedSheet, Scene) {
        let scene = Scene(redirect: .https(https, fallback: .scheme(scheme)))
        let session = try await scene.signIn()
        let sheet = ScriptedSheet { address, _ throws(SignInError) in
            // `try?`: what is missing is empty, and fails below.
            let uri = (try? parameter("post_logout_redirect_uri", of: address)) ?? ""
            let state = (try? parameter("state", of: address)) ?? ""
            return try answer(uri, state)
        }
        let report = await session.signOut(.everything, using: .sheet(sheet))
        #expect(!session.isActive)
        #expect(try await scene.storage.read() == nil)
        #expect(report.revoked)
        return (report, sheet, scene)
    }

    @Test("OIDCRPL-3-5: the provider's session ends in the sheet, which returns to the app")
    func ended() async throws {
        let (report, sheet, _) = try await report { uri, state in "\(uri)?state=\(state)" }
        #expect(report.browserSessionEnded)
        let showing = try #require(sheet.showings.first)
        #expect(showing.address.hasPrefix("https://op.example.com/logout?"))
        #expect(showing.ending == .https(host: "app.example.com", path: "/cb"))
        #expect(try parameter("post_logout_redirect_uri", of: showing.address) == https)
        #expect(try parameter("id_token_hint", of: showing.address) != nil)
    }

    @Test("OIDCRPL-3-5: a return with another state does not count as the end")
    func otherState() async throws {
        for answer in ["?state=evil", "", "?x=y"] {
            let (report, _, _) = try await report { uri, _ in uri + answer }
            #expect(report.browserSession == .pageOpened)
        }
    }

    @Test("OIDCRPL-6-2: a person who closes the sheet is signed out of the app; the page was shown")
    func closed() async throws {
        let (report, _, _) = try await report { _, _ throws(SignInError) in
            throw SignInError(.cancelled(.user))
        }
        #expect(report.browserSession == .pageOpened)
        #expect(report.localCleared)
    }

    @Test("A sheet that cannot be shown is told as a failure")
    func notShown() async throws {
        let notShown = SignInError(.misconfigured(.sheetNotShown))
        let (report, _, _) = try await report { _, _ throws(SignInError) in throw notShown }
        #expect(report.browserSession == .failed(notShown))
    }
}

/// A folder that is gone after the test.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = Guardian.shared.folder
            .appending(path: "portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        path = url.path
    }

    deinit {
        // `try?`: what is left behind lies in the system's folder for such things.
        try? FileManager.default.removeItem(atPath: path)
    }

    func script(_ lines: String) throws -> String {
        let file = "\(path)/program"
        try "#!/bin/sh\n\(lines)\n".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file)
        return file
    }

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
}

@Suite("The system browser")
struct SystemBrowserTests {
    @Test(
        "attack H16, RFC 8252 B.5: the address is one argument, whatever it holds",
        arguments: [
            "https://op.example.com/auth?state=a&x=$(id)", "https://op.example.com/;rm%20-rf%20~",
            "https://op.example.com/a;touch$IFS/tmp/x", "https://op.example.com/'&&id;'",
            "https://op.example.com/-o*?&", "http://127.0.0.1:8080/realms/demo?x=%22",
        ]
    )
    func oneArgument(address: String) async throws {
        let folder = try TemporaryFolder()
        let program = try folder.script(#"printf '%s\n%s' "$#" "$1" >"$(dirname "$0")/arguments""#)
        try await SystemBrowser(named: program).open(address)
        #expect(try folder.text("arguments") == "1\n\(address)")
    }

    @Test(
        "attack H16: only https, and http on this machine, is opened",
        arguments: [
            "http://op.example.com/", "http://localhost.evil.example/", "file:///etc/passwd",
            "javascript:alert(1)", "-https://op.example.com", "--help", "",
            "https://op.example.com/ --help", "https://op.example.com/\n", "ftp://a.example/",
            "https://user@op.example.com/", "com.example:/cb",
        ]
    )
    func refused(address: String) async throws {
        let folder = try TemporaryFolder()
        let program = try folder.script(#"touch "$(dirname "$0")/started""#)
        await #expect(throws: SignInError(.misconfigured(.addressNotOpenable))) {
            try await SystemBrowser(named: program).open(address)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/started"))
    }

    @Test("RFC 8252 §6, B.5: without a named browser, the system's own is used")
    func systemsOwn() {
        #if canImport(Darwin)
            #expect(SystemBrowser(named: nil).program == "/usr/bin/open")
        #else
            for name in [nil, ""] {
                #expect(SystemBrowser(named: name).program == "xdg-open")
            }
            #expect(SystemBrowser(named: "firefox").program == "firefox")
        #endif
    }

    @Test("A program that is missing, or fails, is told")
    func failing() async throws {
        let folder = try TemporaryFolder()
        for program in ["\(folder.path)/none", try folder.script("exit 3")] {
            await #expect(throws: SignInError(.misconfigured(.noBrowser))) {
                try await SystemBrowser(named: program).open("https://op.example.com/")
            }
        }
    }

    @Test("RFC 8252 §8.3: a browser that runs on does not keep our port open")
    func inheritsNothing() async throws {
        let folder = try TemporaryFolder()
        let receiver = try LoopbackReceiver(path: "/cb")
        let program = try folder.script("sleep 5 & exit 0")
        try await SystemBrowser(named: program).open("https://op.example.com/")
        let connection = RawSocket.connect(port: receiver.port)
        #expect(connection != nil)
        if let connection { RawSocket.close(connection) }
        receiver.close()
        #expect(RawSocket.connect(port: receiver.port) == nil)
    }
}
