package import PorticoBytes

/// For the code from an email: one field, and paste works (WCAG 3.3.8).
///
/// The form posts `request`, `csrf`, `code` and `action`, which is `confirm`, `resend` or
/// `change-address`.
package struct EmailCodePage: Page {
    package enum Problem: Sendable, Equatable {
        case missing
        case wrong(triesLeft: Int)
        case expired
        case used
        case tooMany
    }

    /// Where it was sent, with most of it hidden: `a…@example.com`.
    package let address: String
    package let form: PageForm
    package let problem: Problem?
    package let canResend: Bool
    package let canChangeAddress: Bool
    /// For how long the code is good.
    package let minutes: Int
    /// A new one was sent just now.
    package let wasResent: Bool

    package init(
        address: String,
        form: PageForm,
        problem: Problem? = nil,
        canResend: Bool = true,
        canChangeAddress: Bool = true,
        minutes: Int = 10,
        wasResent: Bool = false
    ) {
        self.address = address
        self.form = form
        self.problem = problem
        self.canResend = canResend
        self.canChangeAddress = canChangeAddress
        self.minutes = minutes
        self.wasResent = wasResent
    }

    /// `ann@example.com` as `a…@example.com`; of a long host the end, so that it fits into a line.
    package static func masked(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@"), let first = address.first,
            at > address.startIndex
        else { return "…" }
        let host = address[address.index(after: at)...]
        let end = host.utf8.count <= 26 ? String(host) : "…\(host.suffix(22))"
        return "\(first)…@\(end)"
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.code.heading }

    package func problems(_ words: Words) -> ErrorSummary? {
        told(words).map {
            ErrorSummary(
                summaryTitle: words.code.problem,
                items: [.init(text: $0, field: Self.field)]
            )
        }
    }

    private func told(_ words: Words) -> Phrase? {
        switch problem {
        case .missing: words.code.missing
        case .wrong(let triesLeft): words.code.wrong(words.code.tries(triesLeft))
        case .expired: words.code.expired
        case .used: words.code.used
        case .tooMany: words.code.tooMany
        case nil: nil
        }
    }

    private static let field = "code"

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .status(wasResent ? words.code.sentAgain : nil),
            .line(words.code.sent(address)),
            .form(
                form,
                [
                    .field(
                        FieldBlock(
                            Self.field,
                            .code,
                            label: words.code.label,
                            hint: words.code.lasts(words.time.minutes(minutes)),
                            problem: told(words),
                            startsHere: true
                        )
                    ),
                    .buttons([
                        ActionButton("confirm", words.code.confirm, .first),
                        canResend
                            ? ActionButton("resend", words.code.sendAgain, isWayOut: true) : nil,
                        canChangeAddress
                            ? ActionButton(
                                "change-address",
                                words.code.changeAddress,
                                isWayOut: true
                            ) : nil,
                    ]),
                ]
            ),
        ])
    }
}
