import ArgumentParser
import PorticoAdministration
import PorticoStores

extension UserCommand {
    struct ResetSecondFactor: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-second-factor",
            abstract: "Take the authenticator apps and recovery codes from a person who lost them.",
            discussion: """
                From then on their password is enough. Make sure that it is they who ask. Where they \
                are signed in, they stay so; set-password signs them out.
                """
        )

        @Argument(help: "The username, or the id.") var name: String
        @OptionGroup var realm: RealmOptions
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let person = try await administration.person(name, in: realm).person
            let name = person.username
            let kept = try await administration.people
                .secondFactors(of: person.id, realmID: realm.id)
            guard kept.contains(where: { $0.kind != .other }) else {
                console.done("\(name) has no second factor in realm \(realm.name).")
                return
            }
            guard administration.mayWrite("taken the second factors of \(name)") else { return }
            try await administration.changing {
                try await $0.removeSecondFactors(of: person, by: .commandLine)
            }
            console.done(
                "Took the second factors of \(name) in realm \(realm.name). "
                    + "Their password is enough now."
            )
        }
    }
}
