import Foundation
import HTTPTypes
import PorticoStandIns
import PorticoTestSupport
import Testing

/// `Examples/atproto-app`, a process of its own, behind a backend: by internet handle, with a host
/// whose authorization server is a realm of ours.
@Suite("The example of an app with internet handles runs")
struct PostsExampleTests {
    /// The app on its device.
    private struct App {
        let portico: PorticoProcess
        /// As the app knows it.
        let backend: String
        let environment: [String: String]

        init(_ network: HandleNetwork, at backend: String, _ mode: String) {
            portico = network.portico
            self.backend = backend
            environment = [
                "POSTS_BACKEND": backend, "POSTS_MODE": mode,
                // A browser that shows nothing: the person opens the address that is printed.
                "BROWSER": "true",
            ]
        }

        /// To its end, without keeping a thread from the servers in this process.
        func callAsFunction(_ arguments: String..., input: String = "") async throws
            -> PorticoProcess.Outcome
        {
            try await run(arguments, input: input)
        }

        private func run(_ arguments: [String], input: String = "") async throws
            -> PorticoProcess.Outcome
        {
            let running = try portico.start(
                arguments,
                of: "PostsExample",
                input: input,
                environment: environment
            )
            let status = try await running.ended()
            return PorticoProcess.Outcome(
                stdout: running.stdout,
                stderr: running.stderr,
                status: status
            )
        }

        /// What was printed, under the name that the backend has for browsers.
        private func opened(_ printed: String, _ path: String) -> String {
            #expect(printed.hasPrefix(backend + path))
            return "https://\(HandleNetwork.backend)\(printed.dropFirst(backend.count))"
        }

        var file: URL { portico.home.appending(path: ".config/posts/session") }
        var isKept: Bool { FileManager.default.fileExists(atPath: file.path) }

        /// By the library.
        func signIn(_ network: HandleNetwork, _ handle: String...) async throws {
            let signIn = try portico.start(
                ["sign-in"] + handle,
                of: "PostsExample",
                environment: environment
            )
            let printed = try await signIn.wait(forErrors: /http:\/\/\S+\n/).dropLast()
            let path = handle.isEmpty ? "/mobile-auth?" : "/login?"
            let person = WebPerson(in: network.names)
            let page = try await person.signIn(
                byHandle: opened(String(printed), path),
                of: .ann,
                EarnestServer.password
            )
            // The page names the app and the person, who presses the button.
            _ = try await person.get(try #require(page.button, "\(page.text)"))
            try await person.close()
            #expect(try await signIn.ended() == 0, "\(signIn.stderr)")
            #expect(signIn.stdout == "Signed in as ann.handles.test\n")
        }

        /// In the guide's shape.
        ///
        /// - Returns: What the app opened, and the `state` in it.
        func begin(_ handle: [String] = []) async throws -> (address: String, state: String) {
            let begun = try await run(["sign-in"] + handle)
            #expect(begun.status == 0, "\(begun.stderr)")
            let opened = /(http:\/\/\S+[?&]state=)([A-F0-9\-]{36})\n/
            let match = try #require(begun.stderr.firstMatch(of: opened))
            return ("\(match.1)\(match.2)", String(match.2))
        }

        /// - Returns: The address that the browser cannot open, and the `state` of the app.
        func redirect(
            _ network: HandleNetwork,
            _ handle: String...,
            by person: ATHostPerson = .ann
        ) async throws -> (address: String, state: String) {
            let begun = try await begin(handle)
            let login = "/login?handle=ann.handles.test&mobile=true&state="
            let path = handle.isEmpty ? "/mobile-auth?state=" : login
            let address = try await network.redirect(opened(begun.address, path), person)
            #expect(address.hasSuffix("&state=\(begun.state)"))
            return (address, begun.state)
        }
    }

    private static let greeting = "Signed in as ann.handles.test\n"
    private static let notAsked = "That address answers no sign-in of this app.\n"

    /// The app calls the host, which gets a token with a proof, and nothing of the app's.
    private func calls(_ app: App, of network: HandleNetwork) async throws {
        #expect(try await app("who").stdout == Self.greeting)
        let written = try await app("write", "Hello")
        #expect(
            written.stdout.hasPrefix("at://\(ATHostPerson.ann.did)/com.example.note/"),
            "\(written.stderr)"
        )
        #expect(try await app("write", "Again").status == 0)
        #expect(try await app("list").stdout == "Again\nHello\n")
        #expect(try await app("renew").stdout == "Renewed\n")
        let calls = network.log.requests(to: .xrpc)
        #expect(calls.count >= 3)
        for call in calls {
            #expect(call.headers[.authorization]?.hasPrefix("DPoP ") == true)
            #expect(call.headers[.cookie] == nil)
        }
        // What the host cannot do now ends nothing.
        network.host.configure { $0.down = [.xrpc] }
        #expect(try await app("write", "Lost").stderr == "The server answered 503.\n")
        network.host.repair()
        #expect(try await app("who").stdout == Self.greeting)
    }

    private func signsOut(_ app: App, of network: HandleNetwork) async throws {
        let before = network.log.count(.revocation)
        #expect(try await app("sign-out").stdout == "Signed out\n")
        #expect(!app.isKept)
        #expect(try await app("who").stdout == "Not signed in\n")
        try await isTold(network.log, before)
    }

    private func isTold(_ log: RequestLog<ATHostCall>, _ before: Int) async throws {
        try await waitUntil("the host is told") { log.count(.revocation) > before }
    }

    @Test("SEED-TIJS-8: an app with a code in the redirect: restart, calls of the host, sign-out")
    func code() async throws {
        let app = ["posts", "--redirect-uri", "http://127.0.0.1/callback"]
        try await HandleNetwork.run(app: app) { network in
            let address = try await network.open { address in
                let app = App(network, at: address, "code")
                #expect(try await app("who").stdout == "Not signed in\n")
                try await app.signIn(network)
                try await calls(app, of: network)
                try await signsOut(app, of: network)
                try await app.signIn(network, "ann.handles.test")
            }
            try await keepsOffline(App(network, at: address, "code"))
        }
    }

    /// No one answers at the backend's address any more.
    private func keepsOffline(_ app: App) async throws {
        let text = "Signed in as ann.handles.test, not checked: The server cannot be reached.\n"
        #expect(try await app("who").stdout == text)
        #expect(try await app("list").status == 1)
        #expect(app.isKept)
        #expect(try await app("sign-out").stdout == "Signed out of this device only\n")
        #expect(!app.isKept)
    }

    @Test("SEED-TIJS-8: the session in the redirect, as the guide has it, by requests of our own")
    func guide() async throws {
        let app = [
            "posts", "--redirect-uri", "com.example.posts:/signed-in", "--hand-off",
            "session-token", "--default",
        ]
        try await HandleNetwork.run(app: app) { network in
            let address = try await network.open { address in
                let app = App(network, at: address, "guide")
                let (redirect, state) = try await app.redirect(network)
                #expect(redirect.hasPrefix("com.example.posts:/signed-in?session_token=Fe26.2*1*"))
                let did = ATHostPerson.ann.did.replacing(":", with: "%3A")
                let end = "%7E2&did=\(did)&handle=ann.handles.test&state=\(state)"
                #expect(redirect.hasSuffix(end))
                try await foreignAddresses(app, redirect, of: network)
                // The name is what the backend says.
                let renamed = redirect.replacing("=ann.handles.test", with: "=president.example")
                #expect(try await app("came", input: renamed).stdout == Self.greeting)
                #expect(try await app("came", input: redirect).stderr == Self.notAsked)
                try await forgedAddresses(app, redirect, state)
                try await otherPerson(app, of: network)
                try await calls(app, of: network)
                let kept = try Data(contentsOf: app.file)
                try await signsOut(app, of: network)
                // A copy of what was kept is of no use.
                try kept.write(to: app.file)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600],
                    ofItemAtPath: app.file.path
                )
                #expect(try await app("who").stdout == "Signed out by the server: sign in again\n")
                #expect(!app.isKept)
                let again = try await app.redirect(network, "ann.handles.test")
                #expect(try await app("came", input: again.address).stdout == Self.greeting)
            }
            try await keepsOffline(App(network, at: address, "guide"))
        }
    }

    /// Anybody can have the system open the app with an address, also while it waits for its own; in
    /// bob's all is true.
    private func foreignAddresses(_ app: App, _ redirect: String, of network: HandleNetwork)
        async throws
    {
        let page = "https://\(HandleNetwork.backend)/mobile-auth"
        let theirs = try await network.redirect(page, .bob)
        #expect(theirs.hasSuffix("&handle=bob.handles.test"))
        let none = "That address brings no session of this app.\n"
        let foreign = [
            (theirs, Self.notAsked), ("\(theirs)&state=", Self.notAsked),
            ("\(theirs)&state=8B9A0A5E-0000-4000-8000-000000000000", Self.notAsked),
            ("com.example.posts:/signed-in?error=access_denied", Self.notAsked),
            (redirect.replacing("com.example.posts", with: "com.example.other"), none),
        ]
        for (address, told) in foreign {
            let refused = try await app("came", input: address)
            #expect(refused.status == 1 && refused.stderr == told, "\(address)")
            #expect(!app.isKept, "\(address)")
        }
    }

    /// What answers the app's own sign-in, and is nothing all the same.
    private func forgedAddresses(_ app: App, _ redirect: String, _ state: String) async throws {
        let kept = try Data(contentsOf: app.file)
        let none = "That address brings no session of this app.\n"
        let other = "That session is not the one it says it is.\n"
        let start = "com.example.posts:/signed-in?session_token="
        let forged = [
            ("\(start)Fe26.2*1%3B&did=did:plc:x&handle=a.example.com&state=\(state)", none),
            ("\(start)Fe26.2*1*junk~2&did=did:plc:x&handle=a.example.com&state=\(state)", other),
            (redirect.replacing("annstandin", with: "bobstandin"), other),
            (
                "com.example.posts:/signed-in?error=access_denied&state=\(state)",
                "Not signed in: access_denied\n"
            ),
        ]
        for (address, told) in forged {
            let begun = try await app.begin()
            let answer = address.replacing(state, with: begun.state)
            let refused = try await app("came", input: answer)
            #expect(refused.status == 1 && refused.stderr == told, "\(address)")
            #expect(try Data(contentsOf: app.file) == kept, "\(address)")
        }
    }

    /// Somebody else signs in in the app's browser: ann's session stays, and theirs ends.
    private func otherPerson(_ app: App, of network: HandleNetwork) async throws {
        let kept = try Data(contentsOf: app.file)
        let before = network.log.count(.revocation)
        let redirect = try await app.redirect(network, by: .bob)
        let refused = try await app("came", input: redirect.address)
        #expect(refused.stderr == "ann.handles.test is signed in. Run first: posts sign-out\n")
        #expect(refused.status == 1)
        #expect(try Data(contentsOf: app.file) == kept)
        try await isTold(network.log, before)
    }
}

extension HandleNetwork {
    /// In the guide's shape.
    ///
    /// - Parameter address: Under the name that the backend has for browsers.
    /// - Returns: The address of the app.
    fileprivate func redirect(_ address: String, _ person: ATHostPerson) async throws -> String {
        let browser = WebPerson(in: names)
        let reply = try await browser.signIn(byHandle: address, of: person, EarnestServer.password)
        try await browser.close()
        #expect(reply.status == 302)
        return try #require(reply.location)
    }
}
