import PorticoAdministration
import PorticoWeb

extension RealmContext {
    /// - Parameter account: A person's id, or the name that was typed.
    func asker(_ account: String, isSuspect: Bool = false) -> HashingAsker {
        HashingAsker(
            address: address,
            account: "\(realm.id) \(account)",
            isSuspect: isSuspect
        )
    }
}
