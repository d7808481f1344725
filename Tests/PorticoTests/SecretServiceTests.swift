import Foundation
import PorticoBytes
import PorticoTestSupport
import Testing

@testable import Portico

/// A desktop of its own: a D-Bus session, and a keyring in it.
private final class Desktop {
    private static let bus = "/usr/bin/dbus-daemon"
    private static let keyring = "/usr/bin/gnome-keyring-daemon"
    private static let sender = "/usr/bin/dbus-send"

    static var isInstalled: Bool {
        [bus, keyring, sender].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private let folder: TemporaryFolder
    private let address: String
    private let environment: [String: String]
    private let earlier: [(name: String, value: String?)]
    private var programs: [ChildProgram] = []

    init() throws {
        folder = try TemporaryFolder()
        var environment = ProcessInfo.processInfo.environment
        // Not a path, which may be too long for a socket.
        address = "unix:abstract=portico-\(UUID().uuidString)"
        environment["DBUS_SESSION_BUS_ADDRESS"] = address
        for name in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"] {
            environment[name] = folder.path
        }
        self.environment = environment
        let ours = ["DBUS_SESSION_BUS_ADDRESS", "XDG_STATE_HOME"]
        earlier = ours.map { ($0, ProcessInfo.processInfo.environment[$0]) }
        for name in ours {
            setenv(name, environment[name] ?? "", 1)
        }
    }

    deinit {
        end()
        for (name, value) in earlier {
            if let value { setenv(name, value, 1) } else { unsetenv(name) }
        }
    }

    func start() async throws {
        let arguments = ["--session", "--nofork", "--nopidfile", "--nosyslog"]
        programs.append(
            try ChildProgram(
                Self.bus,
                arguments + ["--address=\(address)"],
                environment: environment
            )
        )
        let own = "string:org.freedesktop.DBus"
        try await waitUntil("the bus is there") {
            try await send("org.freedesktop.DBus", "/", "DBus.GetNameOwner", own)
        }
        let password = Pipe()
        password.fileHandleForWriting.write(Data("a password".utf8))
        try password.fileHandleForWriting.close()
        programs.append(
            try ChildProgram(
                Self.keyring,
                ["--foreground", "--unlock", "--components=secrets"],
                environment: environment,
                input: password.fileHandleForReading.fileDescriptor
            )
        )
        let name = "string:org.freedesktop.secrets"
        try await waitUntil("the keyring is there") {
            try await send("org.freedesktop.DBus", "/", "DBus.GetNameOwner", name)
        }
    }

    func lock() async throws {
        let collection = "array:objpath:/org/freedesktop/secrets/collection/login"
        let path = "/org/freedesktop/secrets"
        let isLocked = try await send(
            "org.freedesktop.secrets",
            path,
            "Secret.Service.Lock",
            collection
        )
        #expect(isLocked)
    }

    /// Makes another keyring the default one: that of the D-Bus session.
    func chooseAnotherKeyring() async throws {
        let isChosen = try await send(
            "org.freedesktop.secrets",
            "/org/freedesktop/secrets",
            "Secret.Service.SetAlias",
            "string:default",
            "objpath:/org/freedesktop/secrets/collection/session"
        )
        #expect(isChosen)
    }

    private func send(_ name: String, _ path: String, _ method: String, _ given: String...)
        async throws -> Bool
    {
        let arguments = ["--session", "--print-reply", "--dest=\(name)", path]
        let program = try ChildProgram(
            Self.sender,
            arguments + ["org.freedesktop.\(method)"] + given,
            environment: environment
        )
        return try await program.untilExit() == .exited(0)
    }

    func end() {
        for program in programs.reversed() {
            program.terminate()
            program.waitUntilExit(within: 10)
        }
        programs = []
    }
}

@Suite("The keyring of a Linux desktop", .serialized)
struct SecretServiceTests {
    private let ann = SecretService(account: "portico test: ann")
    private let bob = SecretService(account: "portico test: bob")

    private func failure(_ body: () async throws(SignInError) -> Void) async -> SignInError? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    private func failures() async -> Set<SignInError?> {
        [
            await failure { () throws(SignInError) in _ = try await ann.read() },
            await failure { () throws(SignInError) in try await ann.write([1]) },
            await failure { () throws(SignInError) in try await ann.remove() },
        ]
    }

    @Test(
        "Kept for each account; locked is not signed out; without a keyring the error says so",
        .enabled(if: Desktop.isInstalled, "gnome-keyring and D-Bus are not installed")
    )
    func life() async throws {
        let desktop = try Desktop()
        #expect(await failures() == [.storage(.noKeyring)])
        try await desktop.start()
        #expect(try await ann.read() == nil)
        try await ann.remove()
        for record in [[0, 255, 10], [UInt8](repeating: 7, count: 50_000), []] as [[UInt8]] {
            try await ann.write(record)
            #expect(try await ann.read() == record)
        }
        let scene = Scene(storage: bob)
        let session = try await scene.signIn()
        #expect(try await scene.neighbour().user == session.user)
        try await ann.remove()
        #expect(try await ann.read() == nil)
        #expect(try await bob.read() != nil)
        let lock = try #require(try bob.tryLock())
        #expect(try bob.tryLock() == nil)
        #expect(try ann.tryLock() != nil)
        lock.release()
        try await ann.write([1])
        // It is written where it is, although another keyring is the default one now.
        try await desktop.chooseAnotherKeyring()
        try await ann.write([2])
        #expect(try await ann.read() == [2])
        try await desktop.lock()
        #expect(await failures() == [.storage(.locked)])
        #expect(await scene.client.restore().problem == .locked)
        // The end of the D-Bus session does not end this process.
        desktop.end()
        #expect(await failures() == [.storage(.noKeyring)])
        #expect(session.isActive)
    }
}
