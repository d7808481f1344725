import PorticoPages

/// A form or address came back without the flow it belongs to.
struct FlowLoss: Error {
    enum Reason: Sendable {
        /// The browser keeps no cookies.
        case noCookie
        /// Another browser's, or nobody's.
        case unmatched
        case tookTooLong
        /// The request had its code before.
        case answered
    }

    let reason: Reason
    /// Starts the same request again, where it can be read.
    let restart: PageLink?

    init(_ reason: Reason, restart: PageLink?) {
        self.reason = reason
        self.restart = restart
    }
}

/// A form post that no page of ours in this browser sent.
struct ForgedForm: Error {}
