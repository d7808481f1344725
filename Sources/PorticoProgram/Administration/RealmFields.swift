import ArgumentParser
import PorticoAdministration
import PorticoPages
import PorticoProvider
import PorticoStores

/// The fields of a new or changed realm. What is left out stays as it is.
struct RealmFields: ParsableArguments {
    @OptionGroup var members: MemberOptions<Realm>

    func apply(to realm: inout Realm) throws {
        try members.apply(to: &realm)
        if realm.displayName.isEmpty { realm.displayName = realm.name }
        guard !members.says("display-name") || PlainText.isLine(realm.displayName, length: 200)
        else { throw RealmCreation.Refusal.displayName }
        if let language = realm.defaultLanguage, members.says("default-language"),
            Language(rawValue: language) == nil
        {
            throw Failure(
                .wrongValue,
                "The pages have no language \"\(printable(language))\".",
                "They have: \(Language.allCases.map(\.rawValue).joined(separator: " "))"
            )
        }
    }
}

/// What a new realm begins with.
enum RealmTemplate: String, CaseIterable, ExpressibleByArgument {
    /// The scopes of OpenID Connect, and no client.
    case standard
    /// As Keycloak makes one: with its client scopes, clients and roles.
    case keycloak
}
