/// How much JSON is read from a stranger (RFC 8259 §9).
package struct JSONLimits: Sendable {
    /// In bytes.
    package let size: Int
    /// How many arrays and objects may be open at once.
    package let depth: Int

    /// - Parameter depth: Cut to 128, because each level takes room on the stack.
    package init(size: Int, depth: Int = 32) {
        self.size = size
        self.depth = min(depth, 128)
    }

    package static let standard = JSONLimits(size: 64 * 1024)
}
