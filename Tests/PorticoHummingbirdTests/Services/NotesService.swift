import Hummingbird
import Portico
import PorticoHummingbird

func notesRoutes() throws -> Router<BasicPersonContext> {
    let router = Router(context: BasicPersonContext.self)
    router.get("health") { _, _ in "up" }

    let session = try AuthenticationMethod.session(backend: "https://api.notes.example.com")
    let notes = router.group("notes").add(middleware: PersonAuthenticator(session))
    notes.get("mine") { _, context in
        let person = try context.requirePerson()
        return "Notes of \(person.id.subject)"
    }
    return router
}

func ordersRoutes() throws -> Router<BasicPersonContext> {
    let router = Router(context: BasicPersonContext.self)
    let accessToken = try AuthenticationMethod.accessToken(
        issuer: "https://id.example.com/realms/shop",
        audience: "orders",
        scopes: ["orders.read"]
    )
    let orders = router.group("orders").add(middleware: PersonAuthenticator(accessToken))
    orders.delete(":id") { _, context in
        let editor = try context.requirePerson(with: "editor")
        return "Deleted by \(editor.id.subject)"
    }
    return router
}

func boundRoutes() throws -> Router<BasicPersonContext> {
    let router = Router(context: BasicPersonContext.self)
    let bound = try AuthenticationMethod.accessToken(
        issuer: "https://id.example.com/realms/shop",
        audience: "orders",
        proofs: ProofsOfPossession(publicURL: "https://api.example.com")
    )
    router.group("orders").add(middleware: PersonAuthenticator(bound)).get("mine") { _, context in
        try context.requirePerson().id.subject
    }
    return router
}

struct NotesContext: PersonRequestContext {
    var coreContext: CoreRequestContextStorage
    var person: AuthenticatedPerson?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}
