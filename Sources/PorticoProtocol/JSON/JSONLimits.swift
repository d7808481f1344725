import PorticoBytes

/// Limits for reading foreign JSON (RFC 8259 §9).
package struct JSONLimits: Sendable {
    /// In bytes.
    package let size: Int
    /// How many arrays and objects may be open at once.
    package let depth: Int
    /// The longest string with non-ASCII characters, in bytes.
    package let text: Int
    /// How many members an object may have.
    package let members: Int
    /// Whether a number that a `Double` would write otherwise is read as a text, digit by digit: for
    /// readers who may take numbers for texts (`1.10`, `12345678901234567890`).
    package private(set) var keepsDigits = false

    /// Strings and objects may be as large as the whole: for our own data, and the operator's
    /// files.
    ///
    /// - Parameter depth: At most 128, because each level uses stack space.
    package init(size: Int, depth: Int = 32) {
        self.init(size: size, depth: depth, text: size, members: size)
    }

    /// For input from anyone (``ForeignText``), including providers that a user configured.
    package static func foreign(
        size: Int,
        depth: Int = 32,
        text: Int = ForeignText.longest,
        members: Int = 1_000
    ) -> JSONLimits {
        JSONLimits(size: size, depth: depth, text: text, members: members)
    }

    /// The longest text in a claim with other signs than ASCII, in bytes.
    package static let longestClaim = 4 * 1024

    /// For the claims of a token, which are read before its issuer is known.
    package static func claims(size: Int) -> JSONLimits {
        .foreign(size: size, text: longestClaim)
    }

    private init(size: Int, depth: Int, text: Int, members: Int) {
        self.size = size
        self.depth = min(depth, 128)
        self.text = text
        self.members = members
    }

    /// The same limits for a value within that many arrays and objects.
    func within(_ levels: Int) -> JSONLimits {
        var limits = JSONLimits(size: size, depth: depth - levels, text: text, members: members)
        limits.keepsDigits = keepsDigits
        return limits
    }

    /// The same limits, and ``keepsDigits``.
    package var keepingDigits: JSONLimits {
        var limits = self
        limits.keepsDigits = true
        return limits
    }

    package static let standard = JSONLimits.foreign(size: 64 * 1024)
}
