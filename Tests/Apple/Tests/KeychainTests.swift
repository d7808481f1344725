import Foundation
import PorticoBytes
import Security
import Testing
import UIKit

@testable import Portico

extension AppleSystem {
    @Suite("The keychain", .serialized)
    struct KeychainTests {
        private let keychain = Keychain()

        init() throws {
            try AppleSystem.reset()
        }

        @Test("Updated first, added if there is nothing, and never deleted to be written")
        func updateThenAdd() async throws {
            #expect(try await keychain.read() == nil)
            try await keychain.write([1, 2, 3])
            #expect(try await keychain.read() == [1, 2, 3])
            try await keychain.write([4])
            #expect(try await keychain.read() == [4])
            #expect(KeychainStandIn.calls == ["copy", "update", "add", "copy", "update", "copy"])
            #expect(KeychainStandIn.count == 1)
        }

        @Test("SEED-ADR-18: on this device only, after the first unlock, not synchronised")
        func attributes() async throws {
            try await keychain.write([1])
            let accessible = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            #expect(KeychainStandIn.attribute(kSecAttrAccessible) == accessible)
            #expect(KeychainStandIn.attribute(kSecAttrSynchronizable) == "false")
            #expect(KeychainStandIn.attribute(kSecClass) == kSecClassGenericPassword)
        }

        @Test("Accounts are kept apart")
        func accounts() async throws {
            let ann = Keychain(account: "ann")
            let bob = Keychain(account: "bob")
            try await ann.write([1])
            try await bob.write([2])
            #expect(try await ann.read() == [1])
            try await ann.remove()
            try await ann.remove()
            #expect(try await ann.read() == nil)
            #expect(try await bob.read() == [2])
            let lock = try #require(try ann.tryLock())
            #expect(try ann.tryLock() == nil)
            #expect(try bob.tryLock() != nil)
            lock.release()
            #expect(try ann.tryLock() != nil)
        }

        @Test("-25308: locked is not signed out, and the session lives on")
        func locked() async throws {
            let scene = Scene(storage: keychain)
            let session = try await scene.signIn()
            KeychainStandIn.refuse(errSecInteractionNotAllowed)
            guard case .locked(.locked) = await scene.client.restore() else {
                Issue.record("it is there, and locked")
                return
            }
            scene.clock.advance(by: 400)
            #expect(await failure { _ = try await session.token() } == .storage(.locked))
            #expect(session.isActive)
            KeychainStandIn.refuse(nil)
            #expect(try await session.token() == "A3")
            guard case .signedIn = await scene.client.restore() else {
                Issue.record("it is unlocked")
                return
            }
        }

        @Test("-34018 names the entitlement, and is not signed out")
        func entitlement() async throws {
            KeychainStandIn.refuse(errSecMissingEntitlement)
            for error in [
                await failure { _ = try await keychain.read() },
                await failure { try await keychain.write([1]) },
                await failure { try await keychain.remove() },
            ] {
                #expect(error == .storage(.entitlementMissing))
                #expect(error?.description.contains("keychain-access-groups") == true)
            }
            guard
                case .locked(.entitlementMissing) = await Scene(storage: keychain).client.restore()
            else {
                Issue.record("nothing is known of a session")
                return
            }
        }

        @Test(
            "Any other status is a storage error",
            arguments: [-25291, -50, -26275] as [OSStatus]
        )
        func status(_ status: OSStatus) async throws {
            KeychainStandIn.refuse(status)
            #expect(await failure { _ = try await keychain.read() } == .storage(.unreadable))
            #expect(await failure { try await keychain.write([1]) } == .storage(.unwritable))
            #expect(await failure { try await keychain.remove() } == .storage(.unwritable))
        }

        @Test("What an earlier installation left is dropped, and so is its next write's content")
        func reinstalled() async throws {
            try await keychain.write([1])
            try AppleSystem.uninstall()
            #expect(KeychainStandIn.count == 1, "the keychain outlives the app")
            #expect(try await keychain.read() == nil)
            #expect(KeychainStandIn.count == 0)
            try await keychain.write([2])
            try AppleSystem.uninstall()
            // A new installation that writes before it reads.
            try await keychain.write([3])
            #expect(try await keychain.read() == [3])
        }

        @Test("A session that another process stores while a leftover is dropped stays")
        func reinstalledRace() async throws {
            try await keychain.write([1])
            try AppleSystem.uninstall()
            let keychain = keychain
            KeychainStandIn.before("delete") { wait { try await keychain.write([2]) } }
            #expect(try await keychain.read() == nil)
            #expect(try await keychain.read() == [2])
        }

        @Test("A process that adds the item first is no failure")
        func addedMeanwhile() async throws {
            let keychain = keychain
            KeychainStandIn.before("add") { wait { try await keychain.write([1]) } }
            try await keychain.write([2])
            #expect(try await keychain.read() == [2])
            #expect(KeychainStandIn.count == 1)
        }

        @Test("An item of an access group has its lock in the app group's container")
        func group() async throws {
            let shared = Keychain(accessGroup: "TEAM.id", appGroup: "group.com.example")
            try await keychain.write([1])
            try await shared.write([2])
            #expect(KeychainStandIn.attribute(kSecAttrAccessGroup, ofItem: 1) == "TEAM.id")
            #expect(try await shared.read() == [2])
            let own = try keychain.tryLock()
            let lock = try #require(try shared.tryLock())
            #expect(own != nil)
            let home = FileManager.default.homeDirectoryForCurrentUser.path
            let folder = "\(home)/group.com.example/Library/Application Support/Portico"
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(Set(files.map { $0.split(separator: ".").last }) == ["lock", "install"])
            lock.release()
        }

        @Test("A group that the app is not entitled to is told, of the keychain or of files")
        func foreignGroup() async throws {
            for (access, app) in [("OTHER.id", "group.com.example"), ("TEAM.id", "com.example")] {
                let shared = Keychain(accessGroup: access, appGroup: app)
                #expect(
                    await failure { try await shared.write([1]) } == .storage(.entitlementMissing)
                )
            }
        }

        @Test("0xdead10cc: a refresh holds its lock within time that the system granted")
        func expiring() async throws {
            let scene = Scene(storage: keychain)
            let session = try await scene.signIn()
            scene.clock.advance(by: 400)
            TimeStandIn.refuse(true)
            let refused = SignInError(.transient(.suspending, retryAfter: nil))
            #expect(await failure { _ = try await session.token() } == refused)
            #expect(scene.provider.generation == 0)
            TimeStandIn.refuse(false)
            let keychain = keychain
            let seen = Locked<[String]>([])
            scene.provider.answer("/token") { [provider = scene.provider] _ in
                provider.answerAsUsual("/token")
                // In the middle of the refresh the time is over: the lock is free at once.
                if TimeStandIn.hasRunning(1) { seen.withLock { $0.append("granted") } }
                TimeStandIn.expire()
                // `try?`: a lock that is missing fails below.
                if let lock = try? keychain.tryLock() {
                    seen.withLock { $0.append("free") }
                    lock.release()
                }
                return nil
            }
            let token = try await session.token()
            #expect(seen.withLock { $0 } == ["granted", "free"])
            #expect(session.isActive)
            #expect(try await scene.storedRecord?.accessToken.reveal() == token)
        }

        @Test("0xdead10cc: what comes after the time is kept, and written when there is time again")
        func expiredForGood() async throws {
            let scene = Scene(storage: keychain)
            scene.provider.change { $0.rotatesPlainly = true }
            let session = try await scene.signIn()
            scene.clock.advance(by: 400)
            scene.provider.answer("/token") { [provider = scene.provider] _ in
                provider.answerAsUsual("/token")
                TimeStandIn.refuse(true)
                TimeStandIn.expire()
                return nil
            }
            let refused = SignInError(.transient(.suspending, retryAfter: nil))
            #expect(await failure { _ = try await session.token() } == refused)
            #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R0")
            TimeStandIn.refuse(false)
            let token = try await session.token()
            #expect(try await scene.storedRecord?.accessToken.reveal() == token)
            #expect(!scene.provider.isFamilyDead)
        }

        @Test("An app that does not say where keeps its session in the keychain, by its name")
        func standard() async throws {
            let client = SignInClient(issuer: "https://op.example.com", clientID: "app")
            #expect(client.context.storage is Keychain)
            let backend = BackendClient(backend: "https://api.example.com", app: "notes")
            #expect(backend.context.storage is Keychain)
            try await client.context.storage.write([1])
            try await backend.context.storage.write([2])
            #expect(try await client.context.storage.read() == [1])
        }
    }
}

/// Runs what another process does, while this one waits.
private func wait(_ body: @escaping @Sendable () async throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
        do {
            try await body()
        } catch {
            Issue.record(error)
        }
        done.signal()
    }
    done.wait()
}
