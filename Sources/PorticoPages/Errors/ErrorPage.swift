package import Foundation
package import PorticoBytes

/// Something that cannot go on: one sentence, a next step, and for whoever is asked for help a closed
/// box with what happened.
package struct ErrorPage: Page {
    /// For the developer and for support; never what a person must read. Shown as it is, escaped.
    package struct Details: Sendable {
        /// The error code, such as `invalid_scope`.
        package let code: String
        /// One English sentence naming the rule that was broken.
        package let description: String?
        package let clientID: String?
        package let time: Date?

        package init(
            code: String,
            description: String? = nil,
            clientID: String? = nil,
            time: Date?
        ) {
            self.code = code
            self.description = description
            self.clientID = clientID
            self.time = time
        }
    }

    package let issue: Issue
    /// The asking client's name, where known.
    package let client: String?
    /// The way back to the client, where its redirect URI was found valid.
    package let wayBack: PageLink?
    package let details: Details?

    package init(
        issue: Issue,
        client: String? = nil,
        wayBack: PageLink? = nil,
        details: Details? = nil
    ) {
        self.issue = issue
        self.client = client
        self.wayBack = wayBack
        self.details = details
    }

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.error(issue).heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let told = words.error(issue)
        return HTML([
            .line(told.sentence), .line(told.next),
            .step(words.common.step(to: wayBack, of: client)),
            details?.html(words.details, frame),
        ])
    }
}

extension ErrorPage.Details {
    func html(_ words: DetailsWords, _ frame: PageFrame) -> HTML {
        let rows: [(label: String, value: String?)] = [
            (words.code, code),
            (words.reason, description),
            (words.client, clientID),
            (words.time, time?.formatted(.iso8601)),
            (words.reference, frame.reference),
        ]
        return .details(
            words.title,
            rows.compactMap { row in
                row.value.map { (row.label, ShownText($0, limit: 500)) }
            }
        )
    }
}

extension ErrorPage {
    package static let gallery: [GalleryState] = [
        state(
            "request not understood",
            .requestNotUnderstood,
            code: "invalid_request",
            "redirect_uri is now post_logout_redirect_uri."
        ),
        state("way on", .requestNotUnderstood, code: "invalid_request", wayBack: login),
        state(
            "unknown client",
            .unknownClient,
            code: "invalid_request",
            "client_id is not that of a registered client.",
            client: "notes-app"
        ),
        state(
            "unknown redirect",
            .unknownRedirect,
            code: "invalid_request",
            "redirect_uri is not one the client registered.",
            client: "notes-app"
        ),
        GalleryState(
            "account blocked",
            ErrorPage(
                issue: .accountBlocked,
                client: "Notes",
                wayBack: PageLink(redirect: "com.example.notes:/callback?error=access_denied")
            )
        ),
        state("not allowed", .notAllowed, code: "forged_form"),
        GalleryState(
            "provider misconfigured",
            ErrorPage(issue: .providerMisconfigured(name: "Google"), wayBack: login)
        ),
        state("busy", .busy, code: "busy"),
        state("server error", .serverError, code: "server_error"),
        state("too large", .tooLarge, code: "too_large"),
        state(
            "too many tries",
            .tooManyTries(seconds: 12),
            code: "rate_limited",
            wayBack: login
        ),
        GalleryState("not found", ErrorPage(issue: .notFound)),
        GalleryState("method not allowed", ErrorPage(issue: .methodNotAllowed)),
    ]

    private static let login = PageLink(path: "/login")

    private static func state(
        _ name: String,
        _ issue: Issue,
        code: String,
        _ description: String? = nil,
        client: String? = nil,
        wayBack: PageLink? = nil
    ) -> GalleryState {
        GalleryState(
            name,
            ErrorPage(
                issue: issue,
                wayBack: wayBack,
                details: Details(
                    code: code,
                    description: description,
                    clientID: client,
                    time: Date(timeIntervalSince1970: 1_760_000_000)
                )
            )
        )
    }
}
