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
    package static let gallery = [
        GalleryState("asked", BackendSignOutPage(account: .sample, form: .sample))
    ]
}

extension BackendSignedOutPage: PageWithStates {
    package static let gallery = [
        GalleryState(
            "here",
            BackendSignedOutPage(
                outcome: .here,
                stillAt: [.google],
                signInAgain: PageLink(path: "/login")
            )
        ),
        GalleryState(
            "everywhere",
            BackendSignedOutPage(
                outcome: .everywhere,
                stillAt: [.google],
                signInAgain: PageLink(path: "/login")
            )
        ),
        GalleryState(
            "was not signed in",
            BackendSignedOutPage(outcome: .wasNotSignedIn, signInAgain: PageLink(path: "/login"))
        ),
    ]
}

extension ReturnToAppPage: PageWithStates {
    package static let gallery: [GalleryState] = [
        GalleryState(
            "ready",
            ReturnToAppPage(
                state: .ready,
                app: "Notes",
                person: "Ann Example",
                link: PageLink(redirect: "com.example.notes:/callback?code=AbC&state=1")
            )
        ),
        GalleryState(
            "app not opened",
            ReturnToAppPage(
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
            )
        ),
        GalleryState(
            "app not opened, no link",
            ReturnToAppPage(state: .appNotOpened, app: "Notes")
        ),
    ]
}
