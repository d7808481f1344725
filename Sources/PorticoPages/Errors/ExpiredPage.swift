/// A form that can no longer be answered, and the way to start the same request again (WCAG 2.2.1).
package struct ExpiredPage: Page {
    package enum Reason: Sendable {
        /// The form was open for longer than this.
        case tookTooLong(minutes: Int)
        /// Another browser started it, or this one did not keep our cookie.
        case unmatched
        /// It was finished already, perhaps in another tab.
        case finished
    }

    package let reason: Reason
    /// The client to which the request belongs, where known.
    package let client: String?
    /// Starts the same request again.
    package let restart: PageLink?

    package init(reason: Reason, client: String? = nil, restart: PageLink? = nil) {
        self.reason = reason
        self.client = client
        self.restart = restart
    }

    package static let template = PageTemplate.message

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch reason {
        case .tookTooLong: words.expired.tookTooLong
        case .unmatched: words.expired.unmatched
        case .finished: words.expired.finished
        }
    }

    package func view(_ words: Words, _ frame: PageFrame) -> MessageView {
        var lines: [Phrase] =
            switch reason {
            case .tookTooLong(let minutes): [words.expired.closed(minutes)]
            case .unmatched: [words.expired.otherBrowser]
            case .finished: [words.expired.onlyOnce]
            }
        guard let restart else {
            lines.append(client.map { words.expired.returnTo($0) } ?? words.expired.returnToApp)
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
                reason: .tookTooLong(minutes: 10),
                client: "Notes",
                restart: PageLink(path: "/realms/demo/login-actions/restart?request=AbC")
            )
        ),
        GalleryState("took too long, no way", ExpiredPage(reason: .tookTooLong(minutes: 1))),
        GalleryState("unmatched", ExpiredPage(reason: .unmatched, client: "Notes")),
        GalleryState(
            "finished",
            ExpiredPage(
                reason: .finished,
                restart: PageLink(path: "/realms/demo/login-actions/restart?request=AbC")
            )
        ),
    ]
}
