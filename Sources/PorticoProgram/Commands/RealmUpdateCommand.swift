import ArgumentParser
import PorticoAdministration
import PorticoKeycloak
import PorticoStores

extension RealmCommand {
    struct Update: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a realm. What you leave out stays."
        )

        @OptionGroup var name: Name
        @OptionGroup var fields: RealmFields
        @OptionGroup var scopes: ScopeOptions
        @OptionGroup var swap: TokenSwapFields
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let former = try administration.realm(name.name)
            var realm = former
            try fields.apply(to: &realm)
            if realm.signingAlgorithm != former.signingAlgorithm {
                try administration.expectKey(
                    of: realm,
                    among: try await administration.realms.keys(realmID: realm.id)
                )
            }
            for name in scopes.added { _ = try await administration.scope(name, in: realm) }
            if !scopes.isEmpty {
                var lists = (
                    defaults: realm.defaultClientScopes, optionals: realm.optionalClientScopes
                )
                try scopes.change(&lists, of: "Realm \(realm.name)")
                (realm.defaultClientScopes, realm.optionalClientScopes) = lists
            }
            let keys = try await administration.realms.keptKeys(realmID: realm.id)
            try await swap.apply(to: &realm, keys: keys, administration)
            let name = realm.name
            administration.installation.warnOfMail(in: realm, replacing: former, console)
            guard administration.mayWrite(realm, replacing: former, "realm \(name)") else { return }
            try await administration.changing {
                try await $0.update(realm, replacing: former, by: .commandLine)
            }
            console.done("Changed realm \(name). See it: \(portico("realm show \(name)"))")
        }
    }
}
