import PorticoBytes

@testable import Portico

/// A browser sheet that does what it is told.
final class ScriptedSheet: BrowserSheet {
    struct Showing: Hashable, Sendable {
        let address: String
        let ending: SheetEnding
    }

    typealias Script =
        @Sendable (_ address: String, _ count: Int) async throws(SignInError) ->
        String

    let takesHTTPS: Bool
    private let script: Script
    private let shown = Locked<[Showing]>([])

    /// - Parameter script: Returns the URI that the sheet closes with; `count` begins with 1.
    init(takesHTTPS: Bool = true, _ script: @escaping Script) {
        self.takesHTTPS = takesHTTPS
        self.script = script
    }

    var showings: [Showing] { shown.withLock { $0 } }

    func show(_ address: String, until ending: SheetEnding) async throws(SignInError) -> String {
        let count = shown.withLock { shown in
            shown.append(Showing(address: address, ending: ending))
            return shown.count
        }
        return try await script(address, count)
    }
}

extension FakeProvider {
    /// The person signs in, and the browser is sent back.
    func agreeing(_ address: String) throws(SignInError) -> String {
        do {
            return try authorize(address)
        } catch {
            throw SignInError(.denied)
        }
    }
}
