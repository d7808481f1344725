package import PorticoPages

extension AccountDetailsPage: PageWithStates {
    package static let gallery: [GalleryState] = [
        state("confirmed", .verified("ann@example.com")),
        state("unconfirmed", .unverified("ann@example.com")),
        state("relay", .relay("x7k2q@privaterelay.appleid.com")),
        state("no e-mail", .missing),
        state("saved", .verified("ann@example.com"), wasSaved: true),
        state(
            "two names",
            .verified("ann@example.com"),
            name: .parts(given: "Ann", family: "Example")
        ),
        state("name missing", .verified("ann@example.com"), [.nameMissing], name: .whole("")),
        state(
            "given name missing",
            .verified("ann@example.com"),
            [.nameMissing],
            name: .parts(given: "", family: "")
        ),
        state("e-mail wrong", .unverified("ann@"), [.emailWrong]),
        state("e-mail taken", .missing, [.emailTaken]),
        state("e-mail missing", .missing, [.emailMissing]),
    ]

    private static func state(
        _ state: String,
        _ email: WelcomePage.Email,
        _ problems: [WelcomePage.Problem] = [],
        name: AccountDetailsPage.Name = .whole("Ann Example"),
        wasSaved: Bool = false
    ) -> GalleryState {
        // Two names are of people who were registered in a realm.
        let isOfRealm = if case .parts = name { true } else { false }
        return GalleryState(
            state,
            AccountDetailsPage(
                name: name,
                email: email,
                form: .sample,
                problems: problems,
                wasSaved: wasSaved,
                download: PageLink(path: (isOfRealm ? "/realms/demo" : "") + "/account/data"),
                navigation: isOfRealm ? .sampleOfRealmWithMethods : PageNavigation()
            )
        )
    }
}

extension AccountDevicesPage: PageWithStates {
    private static let samples = [
        Device(
            id: "b2",
            name: "iPhone",
            app: "Notes",
            address: "203.0.113.7",
            lastSeen: 1_795_298_400 - 18_000
        ),
        Device(
            id: "a1",
            name: "Firefox on Linux",
            address: "2001:db8::1",
            lastSeen: 1_795_298_400,
            isThis: true
        ),
        Device(
            id: "c3",
            name: "Safari on macOS",
            address: "198.51.100.4",
            lastSeen: 1_795_298_400 - 72_000
        ),
    ]

    package static let gallery: [GalleryState] = [
        state("three devices", samples),
        state("only this one", [samples[1]]),
        state("ended", Array(samples.prefix(2)), .ended),
        state("others ended", [samples[1]], .othersEnded),
        GalleryState(
            "of a realm",
            AccountDevicesPage(
                account: PageAccount(name: "Ann Example", userName: "ann@example.com"),
                devices: [
                    Device(id: "b2", name: "", lastSeen: 1_795_298_400 - 1200),
                    Device(
                        id: "a1",
                        name: "Firefox · Linux",
                        lastSeen: 1_795_298_400,
                        isThis: true
                    ),
                ],
                now: 1_795_298_400,
                form: .sample,
                signOut: PageLink(path: "/realms/demo/protocol/openid-connect/logout"),
                navigation: .sampleOfRealm
            )
        ),
    ]

    private static func state(
        _ name: String,
        _ devices: [Device],
        _ status: Status? = nil
    ) -> GalleryState {
        GalleryState(
            name,
            AccountDevicesPage(devices: devices, now: 1_795_298_400, form: .sample, status: status)
        )
    }
}

extension AccountOverviewPage: PageWithStates {
    package static let gallery = states([
        "several methods": AccountOverviewPage(
            account: .sample,
            methods: [.google, .apple],
            devices: 2,
            lastActivity: 1_795_298_400 - 7_300,
            now: 1_795_298_400,
            form: .sample
        ),
        "new": AccountOverviewPage(
            account: PageAccount(name: nil, userName: "ann@example.com"),
            methods: [.facebook],
            devices: 1,
            lastActivity: 1_795_298_400,
            now: 1_795_298_400,
            form: .sample
        ),
        "no usable method": AccountOverviewPage(
            account: .sample,
            methods: [],
            devices: 1,
            lastActivity: 1_795_298_400,
            now: 1_795_298_400,
            form: .sample
        ),
        "of a realm": AccountOverviewPage(
            account: .sample,
            methods: [],
            hasPassword: true,
            devices: 1,
            lastActivity: 1_795_298_400,
            now: 1_795_298_400,
            delete: PageLink(path: "/realms/demo/account/delete"),
            signOut: PageLink(path: "/realms/demo/protocol/openid-connect/logout"),
            navigation: .sampleOfRealmWithMethods
        ),
    ])
}

extension ConnectedAppsPage: PageWithStates {
    package static let gallery = [
        state("two apps", samples),
        state("none", []),
        state("removed", Array(samples.prefix(1)), removed: "Some Reader"),
        state("by document", documented),
    ]

    private static func state(
        _ name: String,
        _ apps: [App],
        removed: String? = nil
    ) -> GalleryState {
        GalleryState(
            name,
            ConnectedAppsPage(
                account: PageAccount(name: "Ann Example", userName: "ann@example.com"),
                apps: apps,
                now: 1_800_001_200,
                form: .sample,
                removed: removed,
                signOut: PageLink(path: "/realms/demo/protocol/openid-connect/logout"),
                navigation: .sampleOfRealm
            )
        )
    }

    /// Of a client with a document, at a host of the AT Protocol.
    private static let documented = [
        App(
            id: "reader",
            name: "reader.example/client.json",
            scopes: ["atproto", "transition:generic"],
            allowedAt: 1_799_913_600,
            lastUsedAt: 1_800_000_000
        )
    ]

    private static let samples = [
        App(
            id: "notes",
            name: "Notes",
            scopes: ["openid", "profile", "email", "offline_access", "roles"],
            lastUsedAt: 1_800_000_000
        ),
        App(
            id: "reader",
            name: "Some Reader",
            scopes: ["openid", "roles"],
            allowedAt: 1_800_000_000
        ),
    ]
}

extension DashboardPage: PageWithStates {
    package static let gallery = states([
        "signed in": DashboardPage(account: .sample, signedInWith: .google, form: .sample)
    ])
}

extension DeleteAccountPage: PageWithStates {
    package static let gallery = states([
        "asked": DeleteAccountPage(account: .sample, form: .sample),
        "Apple": DeleteAccountPage(account: .sample, usesApple: true, form: .sample),
        "not sure": DeleteAccountPage(account: .sample, form: .sample, wasNotSure: true),
    ])
}

extension AccountDeletedPage: PageWithStates {
    package static let gallery = states([
        "done": AccountDeletedPage(),
        "Apple left": AccountDeletedPage(appleLeft: true),
    ])
}

extension SignInMethodsPage: PageWithStates {
    private static let samples = [
        Linked(id: "1", label: .google, email: "ann@example.com", addedAt: 1_798_800_000),
        Linked(id: "2", label: .facebook, addedAt: 1_800_000_000),
    ]

    package static let gallery: [GalleryState] = [
        state("two methods", samples),
        state("only one", Array(samples.prefix(1))),
        state(
            "only one that works",
            [
                samples[0],
                Linked(id: "2", label: .facebook, addedAt: 1_800_000_000, isUsable: false),
            ]
        ),
        state("nothing to add", samples, others: []),
        GalleryState(
            "a password",
            SignInMethodsPage(
                linked: [],
                others: [.google, .facebook, .apple, .example],
                hasPassword: true,
                form: .sample,
                navigation: .sampleOfRealmWithMethods
            )
        ),
        state("added", samples, status: .added(.facebook)),
        state("removed", Array(samples.prefix(1)), status: .removed(.facebook)),
        state("last one refused", Array(samples.prefix(1)), lastOneRefused: true),
        state("stopped", Array(samples.prefix(1)), notAdded: .cancelled(.facebook)),
        state(
            "not answering",
            Array(samples.prefix(1)),
            others: [
                SignInMethod(name: "facebook", label: .facebook, isNotResponding: true), .apple,
                .example,
            ],
            notAdded: .notAnswering(.facebook)
        ),
    ]

    private static func state(
        _ name: String,
        _ linked: [Linked],
        others: [SignInMethod]? = nil,
        status: Status? = nil,
        lastOneRefused: Bool = false,
        notAdded: ChooseMethodPage.Problem? = nil
    ) -> GalleryState {
        GalleryState(
            name,
            SignInMethodsPage(
                linked: linked,
                others: others ?? Array(SignInMethod.samples.dropFirst(linked.count)),
                form: .sample,
                status: status,
                lastOneRefused: lastOneRefused,
                notAdded: notAdded
            )
        )
    }
}
