import ArgumentParser
import PorticoAdministration
import PorticoProvider
import PorticoStores

/// The fields of a new or changed realm. What is left out stays as it is.
struct RealmFields: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Whether people may replace a forgotten password by mail.")
    var passwordReset: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether people confirm their email address before an app gets anything."
    )
    var confirmEmail: Bool?

    @Option(
        help: .value(
            "name",
            "How people make an account: with a username, with their email address, or none."
        )
    )
    var registration: RegistrationChoice?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether an ID Token signs out without the browser's cookie, as Keycloak's apps expect."
    )
    var signOutByHint: Bool?

    @Option(
        help: .value(
            "typ",
            "The header typ of access tokens, unless a client has its own: at+jwt or JWT."
        )
    )
    var accessTokenType: AccessTokenType?

    @Option(
        help: .value(
            "time",
            "How long people stay signed in to an app without using it, such as 30d."
        )
    )
    var staySignedIn: DurationText?

    func apply(to realm: inout Realm) throws(Failure) {
        if let staySignedIn {
            guard Realm.Lifetimes.longestUnused.contains(staySignedIn.seconds) else {
                throw Failure(
                    .wrongValue,
                    "A person stays signed in for one minute to 3,650 days without use.",
                    "For instance: --stay-signed-in 30d"
                )
            }
            realm.lifetimes.appIdle = staySignedIn.seconds
        }
        if let accessTokenType { realm.accessTokenType = accessTokenType }
        if let passwordReset { realm.allowsPasswordReset = passwordReset }
        if let confirmEmail { realm.confirmsEmail = confirmEmail }
        if let registration { realm.registration = registration.way }
        if let signOutByHint { realm.signsOutByHintAlone = signOutByHint }
    }
}

/// How people of a realm make an account, or that they cannot.
enum RegistrationChoice: String, CaseIterable, ExpressibleByArgument {
    case username, email, none

    var way: Realm.Registration? {
        switch self {
        case .username: .username
        case .email: .email
        case .none: nil
        }
    }
}
