import AuthenticationServices
import Foundation
import PorticoBytes
import Security
import Testing
import UIKit

@testable import Portico

/// One device, one person: these tests run one after the other.
@Suite("On Apple's systems, as the stand-ins behave", .serialized)
struct AppleSystem {
    /// A new device, without a trace of an app.
    static func reset() throws {
        KeychainStandIn.reset()
        SheetStandIn.behave { _ in .stay }
        TimeStandIn.refuse(false)
        try uninstall()
    }

    /// Deletes the app, and with it its container. The keychain stays.
    static func uninstall() throws {
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        // The script gives a home of their own to these tests.
        try #require(home.contains("/apple/native/"))
        for name in try FileManager.default.contentsOfDirectory(atPath: home) {
            try FileManager.default.removeItem(atPath: "\(home)/\(name)")
        }
    }
}

func failure(_ body: () async throws -> Void) async -> SignInError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? SignInError
    }
}
