import ArgumentParser
import PorticoStores

extension RealmCommand {
    struct Update: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a realm. What you leave out stays."
        )

        @OptionGroup var name: Name
        @OptionGroup var fields: RealmFields
        @OptionGroup var swap: TokenSwapFields
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let former = try administration.realm(name.name)
            var realm = former
            fields.apply(to: &realm)
            let keys = administration.snapshot.keptKeys.filter { $0.realmID == realm.id }
            try await swap.apply(to: &realm, keys: keys, administration)
            let name = realm.name
            guard administration.mayWrite(realm, replacing: former, "realm \(name)") else { return }
            try administration.expectChanged(
                await administration.realms.update(realm, replacing: former),
                "Realm \(name)"
            )
            console.done("Changed realm \(name). See it: portico realm show \(name)")
        }
    }
}
