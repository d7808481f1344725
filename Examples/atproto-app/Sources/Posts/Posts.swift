import Foundation

/// Signs a person in by internet handle at a backend, and writes and lists records at their host.
@main struct Posts {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            say("\(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let settings = Settings(ProcessInfo.processInfo.environment)
        let account = settings.account
        switch (arguments.first, arguments.dropFirst().first) {
        case ("sign-in", let handle): greet(try await account.signIn(handle: handle))
        // What the system does with an address of the app's own scheme.
        case ("came", nil):
            greet(try await settings.guideAccount.came(readLine() ?? ""))
        case ("who", nil): try await launch(account)
        case ("write", let text?):
            print(try await Records(account: account).write(text))
        case ("list", nil):
            for text in try await Records(account: account).list() { print(text) }
        case ("renew", nil):
            try await account.renew()
            print("Renewed")
        case ("sign-out", nil):
            let isTold = try await account.signOut()
            print(isTold ? "Signed out" : "Signed out of this device only")
        default:
            say("usage: posts sign-in [HANDLE] | came | who | write TEXT | list | renew | sign-out")
            exit(2)
        }
    }

    private static func greet(_ person: Person?) {
        if let person { print("Signed in as \(person.handle)") }
    }

    /// What an app does at each start: it shows who is signed in, and asks the backend whether that
    /// is still so. Without an answer the person stays signed in.
    private static func launch(_ account: any Account) async throws {
        guard let person = try await account.restore() else {
            print("Not signed in")
            return
        }
        switch try await account.validate() {
        case .live: print("Signed in as \(person.handle)")
        case .over: print("Signed out by the server: sign in again")
        case .unknown(let why): print("Signed in as \(person.handle), not checked: \(why)")
        }
    }

    static func say(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}
