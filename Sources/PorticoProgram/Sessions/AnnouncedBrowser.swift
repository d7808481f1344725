import Portico

/// Prints the address before it opens the browser: one that "opened" may not have.
struct AnnouncedBrowser: ExternalBrowser {
    let console: Console
    let host: String
    /// Whether a browser is started at all.
    let opens: Bool
    /// Whether the person is at another machine, by SSH.
    let isRemote: Bool
    /// The one that was asked for; 0: any.
    let callbackPort: UInt16
    /// Said below the address.
    let afterwards: String

    func open(_ address: String) async throws {
        console.say(
            opens
                ? "Opening your browser to sign in to \(printable(host))"
                : "To sign in to \(printable(host)), open this address in a browser:"
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
        if isRemote { adviseRemote() }
        console.say(afterwards)
    }

    /// The answer comes to a port of this machine, which a browser elsewhere does not reach.
    private func adviseRemote() {
        console.say(
            "  In a browser on another machine the last page is an error page: copy its address, and "
                + "paste it here."
        )
        guard callbackPort == 0 else {
            return console.say(
                "  Or forward the port, on that machine: "
                    + "ssh -L \(callbackPort):127.0.0.1:\(callbackPort) HOST"
            )
        }
        console.say("  Or forward a port, on that machine, and sign in again with it:")
        console.say("    ssh -L 8085:127.0.0.1:8085 HOST")
        console.say("    portico login --callback-port 8085")
    }
}
