package import PorticoBytes
package import PorticoStores

/// A password that an administrator gives a person.
package struct NewPassword: Sendable {
    package enum Value: Sendable {
        /// It must meet the policy.
        case typed(SecretText, HashingAsker)
        /// A hash that was made already, here or by another server.
        case hash(PasswordHash)
    }

    package let value: Value
    /// Whether the person has to choose another one at their next sign-in.
    package let isTemporary: Bool

    package init(_ value: Value, isTemporary: Bool) {
        self.value = value
        self.isTemporary = isTemporary
    }

    func actions(_ former: [String]) -> [String] {
        let others = former.filter { $0 != RequiredAction.updatePassword }
        return isTemporary ? others + [RequiredAction.updatePassword] : others
    }
}
