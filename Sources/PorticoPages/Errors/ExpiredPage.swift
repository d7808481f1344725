/// A form that can no longer be answered, and the way to start the same request again (WCAG 2.2.1).
package struct ExpiredPage: Page {
    package enum Reason: Sendable {
        /// The form was open for longer than this.
        case tookTooLong(minutes: Int)
        /// Another browser started it, or this one did not keep our cookie.
        case unmatched
    }

    package let reason: Reason
    /// Starts the same request again, where it can be read.
    package let restart: PageLink?

    package init(reason: Reason, restart: PageLink? = nil) {
        self.reason = reason
        self.restart = restart
    }

    package static let template = PageTemplate.message

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch reason {
        case .tookTooLong: words.expired.tookTooLong
        case .unmatched: words.expired.unmatched
        }
    }

    package func view(_ words: Words, _ frame: PageFrame) -> MessageView {
        var lines: [Phrase] =
            switch reason {
            case .tookTooLong(let minutes): [words.expired.closed(minutes)]
            case .unmatched: [words.expired.otherBrowser]
            }
        guard let restart else {
            lines.append(words.expired.returnToApp)
            return MessageView(lines: lines)
        }
        let text = words.common.startAgain
        return MessageView(lines: lines, step: .init(link: restart, linkText: text))
    }
}

extension ExpiredPage {
    package static let gallery: [GalleryState] = [
        GalleryState(
            "took too long",
            ExpiredPage(
                reason: .tookTooLong(minutes: 30),
                restart: PageLink(path: "/realms/demo/login-actions/restart?request=AbC")
            )
        ),
        GalleryState("unmatched, no way on", ExpiredPage(reason: .unmatched)),
        GalleryState(
            "unmatched",
            ExpiredPage(
                reason: .unmatched,
                restart: PageLink(path: "/realms/demo/login-actions/restart?request=AbC")
            )
        ),
    ]
}
