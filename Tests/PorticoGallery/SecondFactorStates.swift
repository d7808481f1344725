package import PorticoPages

extension SecondFactorsPage: PageWithStates {
    private static let app = App(id: "1", addedAt: 1_798_800_000)
    private static let other = App(id: "2", addedAt: 1_798_800_000)

    package static let gallery = [
        state("none", []),
        state("demanded", [], waiting: true, isDemanded: true),
        state("added", [app, other], codes: Codes(id: "3", left: 12), status: .added),
        state(
            "added, on the way to an app",
            [app],
            codes: Codes(id: "3", left: 11),
            status: .added,
            waiting: true
        ),
        state("two apps and codes", [app, other], codes: Codes(id: "3", left: 11)),
        state("removed", [], status: .removed),
        state("codes alone", [], codes: Codes(id: "3", left: 1)),
        state("full", Array(repeating: app, count: 10), status: .full),
    ]

    private static func state(
        _ name: String,
        _ apps: [App],
        codes: Codes? = nil,
        status: Status? = nil,
        waiting: Bool = false,
        isDemanded: Bool = false
    ) -> GalleryState {
        GalleryState(
            name,
            SecondFactorsPage(
                account: .sample,
                apps: apps,
                codes: codes,
                form: .sample,
                status: status,
                goOn: waiting ? PageLink(path: "/realms/demo/login-actions/restart") : nil,
                isDemanded: isDemanded,
                signOut: PageLink(path: "/realms/demo/protocol/openid-connect/logout"),
                navigation: .sampleOfRealm
            )
        )
    }
}

extension AuthenticatorSetupPage: PageWithStates {
    package static let gallery = [
        state("asked"), state("missing", .missing), state("wrong code", .wrong),
    ]

    private static func state(_ name: String, _ problem: Problem? = nil) -> GalleryState {
        GalleryState(
            name,
            AuthenticatorSetupPage(
                key: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
                link: PageLink(
                    redirect: "otpauth://totp/Demo:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                ),
                form: PageForm.sample.with("setup", "AaBbCcDdEeFf_0123456789"),
                problem: problem
            )
        )
    }
}

extension AppAddedPage: PageWithStates {
    package static let gallery = [
        GalleryState(
            "added",
            AppAddedPage(
                form: .sample,
                later: PageLink(path: "/realms/demo/account/second-factor")
            )
        )
    ]
}

extension RecoveryCodesPage: PageWithStates {
    package static let gallery = [
        GalleryState(
            "made",
            RecoveryCodesPage(
                account: .sample,
                codes: sampleCodes,
                done: PageLink(path: "/realms/demo/account/second-factor")
            )
        ),
        GalleryState(
            "made again",
            RecoveryCodesPage(
                account: .sample,
                codes: sampleCodes,
                replacesOthers: true,
                done: PageLink(path: "/realms/demo/account/second-factor")
            )
        ),
    ]

    private static let sampleCodes = (0..<12).map { "K6YY5KVQ" + String(2345 + $0) }
}
