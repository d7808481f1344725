package import PorticoPages

extension AlreadySignedInPage: PageWithStates {
    package static let gallery: [GalleryState] =
        PageLink(path: "/dashboard").map { link in
            [
                GalleryState(
                    "asked",
                    AlreadySignedInPage(account: .sample, proceed: link, form: .sample)
                ),
                GalleryState(
                    "no name",
                    AlreadySignedInPage(
                        account: PageAccount(name: nil, userName: "ann@example.com"),
                        proceed: link,
                        form: .sample
                    )
                ),
            ]
        } ?? []
}

extension BackendSignOutPage: PageWithStates {
    package static let gallery = states([
        "asked": BackendSignOutPage(account: .sample, form: .sample)
    ])
}

extension BackendSignedOutPage: PageWithStates {
    package static let gallery = states([
        "here": BackendSignedOutPage(
            outcome: .here,
            stillAt: [.google],
            signInAgain: PageLink(path: "/login")
        ),
        "everywhere": BackendSignedOutPage(
            outcome: .everywhere,
            stillAt: [.google],
            signInAgain: PageLink(path: "/login")
        ),
        "was not signed in": BackendSignedOutPage(
            outcome: .wasNotSignedIn,
            signInAgain: PageLink(path: "/login")
        ),
    ])
}

extension ReturnToAppPage: PageWithStates {
    package static let gallery = states([
        "ready": ReturnToAppPage(
            state: .ready,
            app: "Notes",
            person: "Ann Example",
            link: PageLink(redirect: "com.example.notes:/callback?code=AbC&state=1")
        ),
        "app not opened": ReturnToAppPage(
            state: .appNotOpened,
            app: "Notes",
            link: PageLink(redirect: "com.example.notes:/"),
            stores: [
                ("App Store", "https://apps.example/1"),
                ("Google Play", "https://play.example/1"),
            ]
            .compactMap { name, address in
                PageLink(https: address).map { Store(name: name, link: $0) }
            }
        ),
        "app not opened, no link": ReturnToAppPage(state: .appNotOpened, app: "Notes"),
    ])
}

extension OutboxPage: PageWithStates {
    package static let gallery = states([
        "three mails": OutboxPage(
            mails: [
                mail(
                    .waiting,
                    .confirmationCode(
                        code: "481052",
                        use: .confirmAddress("ann@example.com"),
                        minutes: 10
                    )
                ),
                mail(.sent(at: 1_795_298_300), .methodAdded(provider: "Apple")),
                mail(.givenUp, .accountDeleted),
            ],
            now: 1_795_298_400
        ),
        "no mail": OutboxPage(mails: [], now: 1_795_298_400),
    ])

    private static func mail(_ status: Status, _ text: MailText) -> Mail {
        let written = text.text(in: .english, service: "Demo")
        return Mail(
            to: "ann@example.com",
            subject: written.subject,
            lines: written.lines,
            status: status
        )
    }
}
