import AuthenticationServices
import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing
import UIKit

@testable import Portico

extension AppleSystem {
    @Suite("Sign in with Apple, in the system's own sheet", .serialized)
    @MainActor struct AppleIDTests {
        private let scene: BackendScene

        init() throws {
            try AppleSystem.reset()
            scene = BackendScene()
        }

        @Test("PRV-A-16: Apple's request has the hash of our nonce, and its answer signs in")
        func signIn() async throws {
            let attempts = Locked<[String]>([])
            AppleStandIn.behave { nonce in
                attempts.withLock { $0.append(nonce) }
                // The raw one is the backend's first: N1.
                return .success(
                    ASAuthorizationAppleIDCredential(
                        identityToken: Data("TOKEN N1".utf8),
                        authorizationCode: Data("c0de".utf8),
                        fullName: PersonNameComponents(givenName: "Ann", familyName: "Lee")
                    )
                )
            }
            let session = try await scene.client.signInWithApple(in: UIWindow())
            #expect(session.user.id == "u-1")
            #expect(attempts.withLock { $0 } == [Hexadecimal.text(Hash256(of: "N1").bytes)])
            let sent = try #require(scene.backend.requests("/v1/auth/apple/native").first).form
            #expect(sent["authorization_code"] == "c0de")
            #expect(sent["user"] == #"{"name":{"firstName":"Ann","lastName":"Lee"}}"#)
        }

        @Test("A person who closes the sheet has cancelled, and anything else is a mistake")
        func failures() async throws {
            for (code, kind) in [
                (.canceled, .cancelled(.user)), (.failed, .misconfigured(.appleSignInRefused)),
                (.unknown, .misconfigured(.appleSignInRefused)),
            ] as [(ASAuthorizationError.Code, SignInError.Kind)] {
                AppleStandIn.behave { _ in .failure(ASAuthorizationError(code)) }
                let error = await #expect(throws: SignInError.self) {
                    _ = try await scene.client.signInWithApple()
                }
                #expect(error?.kind == kind)
            }
            #expect(scene.backend.requests("/v1/auth/apple/native").isEmpty)
            #expect(try await scene.storage.read() == nil)
        }

        @Test("A button of the app's own fills in the request, and hands over the answer")
        func button() async throws {
            let attempt = try await scene.client.beginNative(with: "apple")
            let request = ASAuthorizationAppleIDProvider().createRequest()
            attempt.prepare(request)
            #expect(request.nonce == attempt.hashedNonce)
            #expect(request.requestedScopes == [.fullName, .email])
            let credential = ASAuthorizationAppleIDCredential(
                identityToken: nil,
                authorizationCode: nil,
                fullName: nil
            )
            let answer = ASAuthorization(credential: credential)
            let error = await #expect(throws: SignInError.self) {
                _ = try await attempt.complete(answer)
            }
            #expect(error?.kind == .rejected(.idTokenMissing))
        }
    }
}
