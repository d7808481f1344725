import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProvider
import PorticoStores

/// The administrator whom the environment names for a first start, as containers are started with one:
/// a person of the realm `master` with its role `admin`. A realm `master` that has a person already gets
/// none.
struct FirstAdministrator {
    let username: String
    let password: SecretText
    let variable: String
    let passwordVariable: String

    /// Ours first. The others are Keycloak's, of today and of before 26.
    private static let variables = [
        ("PORTICO_ADMIN_USERNAME", "PORTICO_ADMIN_PASSWORD"),
        ("KC_BOOTSTRAP_ADMIN_USERNAME", "KC_BOOTSTRAP_ADMIN_PASSWORD"),
        ("KEYCLOAK_ADMIN", "KEYCLOAK_ADMIN_PASSWORD"),
    ]

    /// Those that are no settings.
    static let own = [variables[0].0, variables[0].1]

    /// - Returns: `nil` if no administrator is named.
    /// - Throws: `wrong-value` if one of a pair is missing.
    init?(_ environment: [String: String]) throws(Failure) {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        for (username, password) in Self.variables {
            switch (value(username), value(password)) {
            case (nil, nil): continue
            case (let name?, let secret?):
                self.username = name
                self.password = SecretText(secret)
                variable = username
                passwordVariable = password
                return
            case (let name, _):
                throw Failure(
                    .wrongValue,
                    "\(name == nil ? password : username) is set, and "
                        + "\(name == nil ? username : password) is not.",
                    "Set both, or neither."
                )
            }
        }
        return nil
    }

    func create(in installation: Installation, _ console: Console) async throws {
        guard installation.settings.adminMaster else {
            console.warn(
                "\(variable) has no effect: no one administers over HTTP. Turn it on: "
                    + "admin.rest, admin.master and, for scripts that send a password, "
                    + "admin.password-grant (docs/admin-rest.md)."
            )
            return
        }
        guard let realm = try await installation.realms.realm(named: MasterRealm.name),
            try await installation.people.people(realmID: realm.id, after: nil, limit: 1).isEmpty
        else { return }
        let administration = Administration(
            installation: installation,
            realmList: [realm],
            console: console
        )
        let moment = administration.moment
        try await administration.changing { changes in
            let registration = changes.registration
            let person = try registration.checked(
                try registration.person(username: username, realmID: realm.id, at: moment)
            )
            var new = NewPerson(person: person, password: nil)
            new.roles.append(RoleName(clientID: nil, name: "admin"))
            do {
                try await changes.create(
                    new,
                    password: NewPassword(.typed(password, .server), isTemporary: false),
                    by: .commandLine,
                    at: moment
                )
            } catch AdministrationRefusal.taken {
                return
            } catch AdministrationRefusal.password(let refusal) {
                throw Failure(
                    .refused,
                    "The password in \(passwordVariable) is refused.",
                    "\(refusal.description)"
                )
            }
            console.done(
                "Created administrator \(printable(person.username)) in realm \(realm.name), as "
                    + "\(variable) says. The variables are not needed any more."
            )
        }
    }
}
