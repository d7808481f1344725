import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A client that was made, and what its owner is told of it.
struct MadeClient {
    let client: Client
    let realm: Realm
    let secret: SecretText?
    let chosen: ChosenProduct?
    /// Whether it was not made after all: then its secret is of no use.
    let isDryRun: Bool

    /// Which part of it: what is written has to be before the client is made, or a secret that could not
    /// be written would be lost. What is said beside it follows, unless both go to one screen.
    enum Part {
        case all, written, said
    }

    func show(_ part: Part = .all, asJSON json: Bool, _ administration: Administration) throws {
        do throws(Failure) {
            try write(part, asJSON: json, administration)
        } catch {
            guard !isDryRun else { throw error }
            throw Failure(.output, error.what, "Nothing was made.")
        }
    }

    private func write(_ part: Part, asJSON json: Bool, _ administration: Administration)
        throws(Failure)
    {
        let console = administration.console
        let product = chosen?.product
        func say(_ text: String) { if part != .written { console.say(text) } }
        if json {
            guard part != .said else { return }
            return try console.data(object(random: administration.moment.random).serialized())
        }
        if part != .written { administration.sayWhereLogoutsGo(client, replacing: nil) }
        guard let product else {
            for hint in [client.demand, client.missingOrigin].compactMap(\.self) { say(hint) }
            guard let secret, !isDryRun else { return }
            say("This secret is shown once:")
            if part != .said { try console.secret(secret.reveal()) }
            return
        }
        if secret != nil, !isDryRun { say("The secret in it is shown once.") }
        let values = values(random: administration.moment.random)
        for piece in product.configuration {
            let place = values.filled(piece.place)
            // Several files of one app, which may go into one stream.
            let mark = product.isOfApple ? Self.comment(place, before: piece.text) : nil
            if part != .all || mark == nil { say("\(place):") }
            guard part != .said else { continue }
            if let mark { try console.data(mark) }
            try console.data(String(values.filled(piece.text).dropLast()))
        }
        for note in product.notes { say(values.told(note)) }
        if part != .written, !console.isQuiet { warnOfStandIns(console) }
        if !product.hasRun {
            say("This configuration was written from documentation and has never been tried.")
        }
    }

    /// A second app with the same scheme would get the answers of the first.
    private func warnOfStandIns(_ console: Console) {
        guard let chosen, chosen.product.isOfApple, !chosen.app.standIns.isEmpty else { return }
        let values = chosen.app.standIns.map(\.value).joined(separator: " and ")
        let isOne = chosen.app.standIns.count == 1
        console.warn(
            "\(values) \(isOne ? "stands in for yours" : "stand in for yours"), here and in what is "
                + "registered. Make it with "
                + chosen.app.standIns.map(\.option).joined(separator: " and ")
        )
    }

    private static func comment(_ place: String, before text: String) -> String {
        text.hasPrefix("<") ? "<!-- \(place) -->" : "// \(place)"
    }

    private func object(random: RandomSource) -> JSONObject {
        var object = client.description.json
        if let secret, !isDryRun { object["client_secret"] = .string(secret.reveal()) }
        guard let product = chosen?.product else { return object }
        let values = values(random: random)
        object["product"] = .string(product.name)
        object["configuration"] = .array(
            product.configuration.map {
                [
                    "place": .string(values.filled($0.place)),
                    "text": .string(values.filled($0.text)),
                ]
            }
        )
        object["notes"] = .array(product.notes.map { .string(values.told($0)) })
        return object
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
            app: chosen?.app ?? .example,
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
