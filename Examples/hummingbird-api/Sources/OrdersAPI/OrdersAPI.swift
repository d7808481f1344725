import Foundation
import Hummingbird
import PorticoHummingbird

/// An API that admits access tokens of one issuer, made out to the audience `orders`.
@main struct OrdersAPI {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let application = Application(
            router: try router(
                issuer: environment["ORDERS_ISSUER"] ?? "http://127.0.0.1:8080/realms/demo"
            ),
            configuration: .init(
                address: .hostname("127.0.0.1", port: Int(environment["PORT"] ?? "") ?? 8090)
            )
        )
        try await application.runService()
    }

    static func router(issuer: String) throws -> Router<BasicPersonContext> {
        let router = Router(context: BasicPersonContext.self)
        router.get("health") { _, _ in "up" }

        let token = try AuthenticationMethod.accessToken(
            issuer: issuer,
            audience: "orders",
            // Only while the provider runs on this machine.
            allowInsecureLoopback: true
        )
        let orders = router.group("orders").add(middleware: PersonAuthenticator(token))
        orders.get { _, context in
            let person = try context.requirePerson()
            return "Orders of \(person.name ?? person.id.subject)"
        }
        // The server decides what a person may do, whatever the app shows.
        orders.delete(":id") { _, context in
            let editor = try context.requirePerson(with: "editor")
            return "Deleted by \(editor.name ?? editor.id.subject)"
        }
        return router
    }
}
