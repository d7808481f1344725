import PorticoBytes
import PorticoStores

extension SignInEvent {
    /// A person signs in for the first time.
    ///
    /// - Parameter form: By default in a browser.
    init(
        _ key: IdentityKey,
        at provider: String,
        name: String? = nil,
        email: String? = nil,
        token: String? = nil,
        form: NewAccountSession.Form? = nil,
        device: String = "",
        now: Int64
    ) {
        let random = RandomSource.system
        self.init(
            spending: [],
            identity: Identity(
                key: key,
                provider: provider,
                email: email.map { AccountEmail(address: $0, verification: .authoritative) },
                linkedAt: now,
                lastUsedAt: now,
                sealedToken: token
            ),
            name: name,
            picture: nil,
            language: "en",
            emailRule: .never,
            isSignUpOpen: true,
            newAccountID: UniqueID(random: random),
            session: NewAccountSession(
                id: UniqueID(random: random),
                form: form
                    ?? .browser(cookieHash: Hash256(of: random.bytes(16)), replacing: nil),
                providerSessionID: nil,
                device: device,
                address: "192.0.2.7",
                idleSeconds: 86_400,
                expiresAt: now + 86_400
            ),
            userAgent: "Firefox",
            notice: nil
        )
    }
}
