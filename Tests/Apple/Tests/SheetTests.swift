import AuthenticationServices
import Foundation
import PorticoTestSupport
import SwiftUI
import Testing
import UIKit

@testable import Portico

extension AppleSystem {
    @Suite("The sign-in sheet", .serialized)
    @MainActor struct SheetTests {
        private let scene: Scene

        init() throws {
            try AppleSystem.reset()
            let https = Redirect.https(Scene.redirectURI, fallback: .scheme("com.example.app:/cb"))
            scene = Scene(redirect: https)
        }

        /// A person who agrees.
        private func agree(after first: String? = nil) {
            let provider = scene.provider
            SheetStandIn.behave { address in
                if let first, SheetStandIn.log.isEmpty { return .finish(at: first) }
                do {
                    return .finish(at: try provider.authorize(address))
                } catch {
                    return .fail(.presentationContextInvalid)
                }
            }
        }

        @Test("RFC8252-B.1-1: the sheet ends on https, and calls back on a queue of its own")
        func signIn() async throws {
            agree()
            // Called from the main actor, as views do: the callback must not inherit it.
            let session = try await scene.client.signIn(using: .sheet())
            #expect(session.user.subject == "alice")
            #expect(
                SheetStandIn.log == ["shown until https://app.example.com/cb", "finished"]
            )
        }

        @Test("RFC8252-6-7: it is what an app that names no method signs in with")
        func standard() async throws {
            agree()
            #expect(try await scene.client.signIn().isActive)
            let loopback = Scene(redirect: .loopback())
            let refused = SignInError(.misconfigured(.redirectNotForSheet))
            #expect(await failure { _ = try await loopback.client.signIn() } == refused)
            #expect(SheetStandIn.log.count == 2, "no port was opened, no browser started")
        }

        @Test("A window is passed on, and an ephemeral sheet forgets")
        func ephemeral() async throws {
            agree()
            let session = try await scene.client.signIn(
                using: .sheet(in: UIWindow(), isEphemeral: true)
            )
            #expect(session.isActive)
            #expect(SheetStandIn.log.first == "shown until https://app.example.com/cb, ephemeral")
        }

        @Test(
            "Only the person's cancel is one: a refused redirect and a missing window are mistakes",
            arguments: [
                (SheetStandIn.Conduct.cancel, SignInError.Kind.cancelled(.user)),
                (.refuse(reason: "not associated"), .misconfigured(.redirectNotAssociated)),
                (.fail(.presentationContextNotProvided), .misconfigured(.sheetNotShown)),
                (.fail(.presentationContextInvalid), .misconfigured(.sheetNotShown)),
                (.doNotStart, .misconfigured(.sheetNotShown)),
            ]
        )
        func failures(conduct: SheetStandIn.Conduct, kind: SignInError.Kind) async throws {
            SheetStandIn.behave { _ in conduct }
            let error = await failure { _ = try await scene.client.signIn(using: .sheet()) }
            #expect(error?.kind == kind)
            #expect(scene.provider.requests("/token").isEmpty)
            #expect(try await scene.storage.read() == nil)
        }

        @Test("A scheme needs no association: whatever the system adds, its cancel is the person's")
        func schemeCancelled() async throws {
            let scene = Scene(redirect: .scheme("com.example.app:/cb"))
            SheetStandIn.behave { _ in .refuse(reason: "closed") }
            let error = await failure { _ = try await scene.client.signIn(using: .sheet()) }
            #expect(error?.kind == .cancelled(.user))
        }

        @Test("SEED-KAPE-3: it is retained while the person thinks; cancelling the task closes it")
        func cancelled() async throws {
            for _ in 0..<20 {
                SheetStandIn.behave { _ in .stay }
                let client = scene.client
                let task = Task {
                    await failure { _ = try await client.signIn(using: .sheet()) }
                }
                try await waitUntil("it is shown") { !SheetStandIn.log.isEmpty }
                try await Task.sleep(for: .milliseconds(2))
                #expect(SheetStandIn.log.count == 1, "not released")
                task.cancel()
                #expect(await task.value == SignInError(.cancelled(.program)))
                #expect(SheetStandIn.log.last == "closed by the app")
            }
        }

        @Test("RFC 8252 §8.9: after an answer that is not ours it is shown once more")
        func shownAgain() async throws {
            agree(after: "\(Scene.redirectURI)?code=evil&state=evil")
            #expect(try await scene.client.signIn(using: .sheet()).isActive)
            #expect(SheetStandIn.log.filter { $0.hasPrefix("shown") }.count == 2)
        }

        @Test("OIDCRPL-3-5: signing out ends the provider's session in the same sheet")
        func signOut() async throws {
            agree()
            let session = try await scene.client.signIn()
            SheetStandIn.behave { address in
                // `try?`: what is missing is empty, and fails below.
                let uri = (try? parameter("post_logout_redirect_uri", of: address)) ?? ""
                let state = (try? parameter("state", of: address)) ?? ""
                return .finish(at: "\(uri)?state=\(state)")
            }
            let report = await session.signOut()
            #expect(report.browserSessionEnded)
            #expect(SheetStandIn.log.count == 2)
        }

        @Test("A view signs in in the sheet of its own window, by its environment")
        func environment() async throws {
            let provider = scene.provider
            let values = EnvironmentValues(standIn: { url in
                let callback = try provider.authorize(url.absoluteString)
                return try #require(URL(string: callback))
            })
            #expect(try await values.signIn(scene.client).isActive)
            let method = values.signIn.method(isEphemeral: true)
            #expect(try await scene.client.signIn(using: method).isActive)
            #expect(
                SheetStandIn.log == [
                    "environment until https://app.example.com/cb",
                    "environment until https://app.example.com/cb, ephemeral",
                ]
            )
        }

        @Test("The view's sheet: the person's cancel, a refused redirect, and the task's end")
        func environmentFailures() async throws {
            let client = scene.client
            let cases: [(ASWebAuthenticationSessionError, SignInError.Kind)] = [
                (ASWebAuthenticationSessionError(.canceledLogin), .cancelled(.user)),
                (
                    ASWebAuthenticationSessionError(.canceledLogin, userInfo: ["x": "y"]),
                    .misconfigured(.redirectNotAssociated)
                ),
                (
                    ASWebAuthenticationSessionError(.presentationContextInvalid),
                    .misconfigured(.sheetNotShown)
                ),
            ]
            for (thrown, kind) in cases {
                let values = EnvironmentValues(standIn: { _ in throw thrown })
                #expect(await failure { _ = try await values.signIn(client) }?.kind == kind)
            }
            let values = EnvironmentValues(standIn: { url in
                // A sheet that does not hear of it: the app goes on all the same.
                await Gate().pass()
                return url
            })
            SheetStandIn.behave { _ in .stay }
            let task = Task { await failure { _ = try await values.signIn(client) } }
            try await waitUntil("it is shown") { !SheetStandIn.log.isEmpty }
            task.cancel()
            #expect(await task.value == SignInError(.cancelled(.program)))
        }
    }
}
