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
                "Apps send you here to sign in, and then take you back.",
            nothingToDo: "There’s nothing to do on this page."
        ),
        signIn: SignInWords(
            heading: { "Sign in to \(name: $0)" },
            intro: { "Use your \(name: $0) account." },
            again: "Sign in again to continue",
            whyAgain: "For this step, we need to confirm it’s you.",
            endsAnother: "If you sign in with a different account, the account last used in this "
                + "browser will be signed out, along with its apps.",
            userName: "Username or email",
            password: "Password",
            signIn: "Sign in",
            forgot: "Forgot your password?",
            problem: "There is a problem",
            wrongPair: "The username or password is incorrect. Check both and try again.",
            wrongPassword: "Incorrect password. Try again.",
            enterUserName: "Enter your username or email",
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
            asked: { "\(name: $0) is asking to sign you out in this browser." },
            askedElsewhere: {
                "\(name: $0) is asking to sign you out in another browser or on another device."
            },
            intro: "This signs you out in this browser.",
            still: "You’re still signed in. You can sign out now.",
            signOut: "Sign out",
            stay: "Stay signed in"
        ),
        signedOut: SignedOutWords(
            heading: "You’re signed out",
            done: { "You’re no longer signed in to \(name: $0) in this browser." },
            stillOpen:
                "Apps you opened earlier may keep you signed in until you sign out of them.",
            nobodyWas: "You weren’t signed in",
            stayed: "You’re still signed in",
            nothingChanged: "Nothing has changed. You can close this page."
        ),
        expired: ExpiredWords(
            tookTooLong: "This took too long",
            closed: {
                """
                The sign-in started more than \(ours: englishSpan(minutes: $0)) ago, so we closed it \
                to keep you safe.
                """
            },
            unmatched: "We couldn’t match this sign-in",
            otherBrowser:
                "It was started in another browser, or your browser didn’t keep our cookie.",
            answered: "You’ve already completed this sign-in",
            worksOnce: "It works only once. If the app hasn’t signed you in, start again.",
            returnToApp: "Go back to the app and sign in again."
        ),
        cookies: CookiesWords(
            heading: "Cookies are blocked",
            why:
                "We need one cookie to keep sign-in safe, and your browser didn’t send it.",
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
        case "email": "See your email address"
        case "address": "See your postal address"
        case "phone": "See your phone number"
        case "roles": "See which roles you have"
        case "groups": "See which groups you belong to"
        case "offline_access": "Keep this access while you’re not using it"
        default: "Use the permission \(name: scope)"
        }
    }
}
