import PorticoStores
import PorticoSystem

extension Realm {
    /// What does not work in it while the server sends no mail.
    var lackingMail: [String] {
        var lacking: [String] = []
        if confirmsEmail {
            lacking.append("whoever has not confirmed their email address cannot sign in")
        }
        if registration == .email || registration == .username && confirmsEmail {
            lacking.append("nobody can make an account, and the sign-in page does not offer it")
        }
        return lacking
    }
}

extension Installation {
    /// Whether the server sends mail, as far as these settings say. Those that contradict each other
    /// keep it from starting, and are another matter.
    var sendsMail: Bool {
        guard !directory.isOfDemo else { return true }
        do {
            let environment = ProcessInfo.processInfo.environment
            return try OutgoingMail(settings, environment: environment) != nil
        } catch {
            return true
        }
    }

    /// Says what a realm's rules come to without mail, where that is new.
    func warnOfMail(in realm: Realm, replacing former: Realm?, _ console: Console) {
        let known = former?.lackingMail ?? []
        let lacking = realm.lackingMail.filter { !known.contains($0) }
        guard !lacking.isEmpty, !console.isQuiet, !sendsMail else { return }
        console.warn(
            "These settings send no mail. Without it, in realm \(realm.name) "
                + lacking.joined(separator: "; ") + ". Set mail.from and mail.smtp in portico.yaml."
        )
    }
}
