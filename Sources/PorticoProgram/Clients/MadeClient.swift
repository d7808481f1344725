import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A client that was made, and what its owner is told of it.
struct MadeClient {
    let client: Client
    let realm: Realm
    /// The one that was made, to be shown once.
    let secret: SecretText?
    let chosen: ChosenProduct?
    /// Whether it was not made after all: then its secret is of no use.
    let isDryRun: Bool

    func show(asJSON json: Bool, _ administration: Administration) {
        let console = administration.console
        let values = values(random: administration.moment.random)
        let product = chosen?.product
        let configuration = (product?.configuration ?? []).map {
            ClientProduct.Part(place: values.filled($0.place), text: values.filled($0.text))
        }
        let notes = (product?.notes ?? []).map(values.filled)
        if json {
            var object = client.description.json
            if let secret, !isDryRun { object["client_secret"] = .string(secret.reveal()) }
            if let product {
                object["product"] = .string(product.name)
                object["configuration"] = .array(
                    configuration.map { ["place": .string($0.place), "text": .string($0.text)] }
                )
                object["notes"] = .array(notes.map { .string($0) })
            }
            return console.data(object.serialized())
        }
        administration.sayWhereLogoutsGo(client, replacing: nil)
        guard let product else {
            for hint in [client.demand, client.missingOrigin].compactMap(\.self) {
                console.say(hint)
            }
            guard let secret, !isDryRun else { return }
            console.say("This secret is shown once:")
            return console.made("Secret", secret.reveal())
        }
        if secret != nil, !isDryRun { console.say("The secret in it is shown once.") }
        for part in configuration {
            console.say("\(part.place):")
            console.data(String(part.text.dropLast()))
        }
        for note in notes { console.say(note) }
        if !product.hasRun {
            console.say("Written from the documentation of \(product.title), and never run.")
        }
    }

    private func values(random: RandomSource) -> ProductValues {
        ProductValues(
            urls: RealmURLs(of: realm),
            realm: realm.name,
            clientID: client.clientID,
            secret: shownSecret,
            url: chosen?.urls.first
                ?? client.redirectURIs.first.map { ProductValues.origin(of: $0.text) } ?? "",
            redirectURI: client.redirectURIs.first?.text ?? "",
            postLogoutRedirectURI: client.postLogoutRedirectURIs.first?.text ?? "",
            random: { random.text(32) }
        )
    }

    /// In a configuration. One that the administrator chose is known to them, and not repeated.
    private var shownSecret: String {
        if isDryRun { return "the-secret-that-will-be-made" }
        if let secret { return secret.reveal() }
        return client.secret == nil ? "" : "the-secret-that-you-chose"
    }
}
