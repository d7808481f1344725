package import PorticoBytes

/// New recovery codes, shown this once.
package struct RecoveryCodesPage: Page {
    package let codes: [String]
    /// To the page they were made on.
    package let done: PageLink?

    package init(codes: [String], done: PageLink?) {
        self.codes = codes
        self.done = done
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.factors.newCodes }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.factors.newCodesWhat),
            .list("points", codes.map { "\(exact: Self.grouped($0))" }),
            .strong(words.factors.newCodesOnce),
            .step(PageStep(done, words.factors.saved)),
        ])
    }

    private static func grouped(_ code: String) -> String {
        let bytes = Array(code.utf8)
        return stride(from: 0, to: bytes.count, by: 4)
            .map { String(decoding: bytes[$0..<min($0 + 4, bytes.count)], as: UTF8.self) }
            .joined(separator: "-")
    }
}
