import Portico

/// Prints the address before it opens the browser: one that "opened" may not have.
struct AnnouncedBrowser: ExternalBrowser {
    let console: Console
    let host: String
    /// Whether a browser is started at all.
    let opens: Bool
    /// Said below the address.
    let afterwards: String

    func open(_ address: String) async throws {
        console.say(
            opens
                ? "Opening your browser to sign in to \(printable(host))"
                : "To sign in to \(printable(host)), open this address in a browser on this machine:"
        )
        console.say("  \(printable(address))")
        if opens {
            do {
                try await SystemBrowser().open(address)
            } catch {
                // The person can still open the address.
                console.warn("\(error) Open the address yourself.")
            }
        }
        console.say(afterwards)
    }
}
