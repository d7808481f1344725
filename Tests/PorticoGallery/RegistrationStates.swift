package import PorticoPages

extension RegistrationPage: PageWithStates {
    package static let gallery: [GalleryState] = [
        state("fresh"),
        state("the address is the username", userName: false),
        state("no address", email: false),
        state(
            "everything missing",
            [
                .givenNameMissing, .emailMissing, .userNameMissing,
                .password(.missing),
            ]
        ),
        state(
            "everything wrong",
            [
                .givenNameWrong, .familyNameWrong, .emailWrong, .userNameWrong,
                .password(.tooShort),
            ]
        ),
        state("username taken", [.userNameTaken]),
        state("address taken", [.emailTaken]),
        state("must wait", [.mustWait(seconds: 120)]),
        state("busy", [.busy]),
    ]

    private static func state(
        _ name: String,
        _ problems: [Problem] = [],
        email: Bool = true,
        userName: Bool = true
    ) -> GalleryState {
        var entries = Entries()
        if !problems.isEmpty, problems.first != .givenNameMissing {
            entries.givenName = "Ann"
            entries.familyName = "Example"
            entries.email = "ann@example.com"
            entries.userName = "ann"
        }
        return GalleryState(
            name,
            RegistrationPage(
                client: "Notes",
                form: .sample,
                entries: entries,
                asksForEmail: email,
                asksForUserName: userName,
                leastCharacters: 8,
                problems: problems
            )
        )
    }
}
