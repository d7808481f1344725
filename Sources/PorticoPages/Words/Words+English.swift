extension Words {
    static let english = Words(
        common: CommonWords(
            errorPrefix: "Error: ",
            withoutHTTPS: "This server runs without https on this machine only.",
            aboutThisPage: "About this page",
            reference: "Reference",
            help: "Help",
            proceed: "Continue",
            cancel: "Cancel",
            tryAgain: "Try again",
            startAgain: "Start again",
            useAnotherAccount: "Use another account",
            backTo: { "Back to \(name: $0)" },
            backToApp: "Back to the app"
        ),
        start: StartWords(
            heading: "Sign in from an app",
            comeFromApp:
                "People come here from an app, to sign in, and then go back to it.",
            nothingToDo: "There is nothing to do on this page itself."
        ),
        signIn: SignInWords(
            heading: { "Sign in to \(name: $0)" },
            intro: { "Use your \(name: $0) account." },
            again: "Sign in again to continue",
            whyAgain: "For this step we need to know that it’s really you.",
            endsAnother: "If you sign in with a different account, the account last used in this "
                + "browser will be signed out, along with its apps.",
            userName: "User name or e-mail",
            password: "Password",
            signIn: "Sign in",
            forgot: "Forgot your password?",
            problem: "There is a problem",
            wrongPair: "That user name and password don’t match. Check both and try again.",
            wrongPassword: "That isn’t the password of this account. Try again.",
            enterUserName: "Enter your user name or e-mail",
            enterPassword: "Enter your password",
            tooManyTries: "Too many tries",
            wait: { "Wait \(ours: englishSpan(seconds: $0)), then try again." },
            busy: "Many people are signing in right now",
            busyAdvice: "Try again in a moment."
        ),
        consent: ConsentWords(
            heading: { "Allow \(name: $0) to use your account?" },
            appOnThisDevice: "An app on this device",
            appAdvice: "We can’t check who made it. Continue only if you started this in an app "
                + "that you trust.",
            site: { "A site at \(name: $0)" },
            siteAdvice: "We don’t know who runs it. Continue only if you trust it.",
            grants: { "\(name: $0) will be able to" },
            grant: { grant(of: $0) },
            account: "Your account",
            allow: "Allow",
            deny: "Don’t allow"
        ),
        account: AccountWords(
            heading: "You’re already signed in",
            choose: { "Which account do you want to use with \(name: $0)?" },
            otherExpected: { "\(name: $0) expects a different account from this one." },
            continueAs: { "Continue as \(name: $0)" }
        ),
        signOut: SignOutWords(
            heading: { "Sign out of \(name: $0)?" },
            asked: { "\(name: $0) asks to sign you out in this browser." },
            askedElsewhere: {
                "\(name: $0) asks to sign you out in another browser or on another device."
            },
            intro: "This signs you out in this browser.",
            still: "You’re still signed in. You can sign out here.",
            signOut: "Sign out",
            stay: "Stay signed in"
        ),
        signedOut: SignedOutWords(
            heading: "You’re signed out",
            done: { "You’re no longer signed in to \(name: $0) in this browser." },
            stillOpen:
                "Apps that you opened earlier may keep you signed in until you sign out there.",
            nobodyWas: "You weren’t signed in",
            stayed: "You’re still signed in",
            nothingChanged: "Nothing was changed. You can close this page."
        ),
        expired: ExpiredWords(
            tookTooLong: "This took too long",
            closed: {
                """
                The sign-in started more than \(ours: englishSpan(minutes: $0)) ago, so it was closed \
                to keep you safe.
                """
            },
            unmatched: "We couldn’t match this sign-in",
            otherBrowser:
                "It was started in another browser, or your browser didn’t keep our cookie.",
            answered: "You’ve already completed this sign-in",
            worksOnce: "It works only once. If the app hasn’t signed you in, start again.",
            returnToApp: "Go back to the app and sign in from there."
        ),
        cookies: CookiesWords(
            heading: "Cookies are blocked",
            why:
                "To keep a sign-in safe we need one cookie from this site, and your browser didn’t "
                + "send it.",
            advice: "Allow cookies for this site in your browser’s settings, then try again."
        ),
        formPost: FormPostWords(
            heading: { "Going back to \(name: $0)" },
            advice: "If nothing happens, choose Continue."
        ),
        details: DetailsWords(
            title: "Technical details",
            code: "Code",
            reason: "Reason",
            client: "Client",
            time: "Time",
            reference: "Reference"
        ),
        problem: { .english($0) },
        choose: .english,
        way: .english,
        time: .english,
        code: .english,
        welcome: .english,
        linking: .english,
        leaving: .english,
        trouble: .english,
        reset: .english,
        area: .english,
        lists: .english,
        removal: .english,
        demo: .english,
        error: { englishError($0) }
    )

    static func englishSpan(seconds: Int) -> String {
        switch Wait(seconds: seconds) {
        case .seconds(1): "1 second"
        case .seconds(let seconds): "\(seconds) seconds"
        case .minutes(let minutes): englishSpan(minutes: minutes)
        }
    }

    static func englishSpan(minutes: Int) -> String {
        minutes == 1 ? "1 minute" : "\(minutes) minutes"
    }

    private static func grant(of scope: String) -> Phrase {
        switch scope {
        case "openid": "Know that it’s you when you sign in"
        case "profile": "See your name and the rest of your profile"
        case "email": "See your e-mail address"
        case "address": "See your postal address"
        case "phone": "See your phone number"
        case "roles": "See which roles you have"
        case "groups": "See which groups you belong to"
        case "offline_access": "Keep this access while you’re not using it"
        default: "Use the permission \(name: scope)"
        }
    }
}
