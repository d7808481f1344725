import Portico
import PorticoTesting
import Testing

@MainActor @Suite("The tests of an app, as its developers write them")
struct OrdersModelTests {
    @Test func anEditorMayEdit() async {
        let fake = FakeProvider(people: [.ann(roles: ["editor"]), .bob()])
        let model = OrdersModel(client: .testing(fake))
        await model.signIn()
        #expect(model.session?.user.name == "Ann Arnold")
        #expect(model.canEdit)
        fake.next(.signsIn(as: .bob()))
        await model.signIn()
        #expect(!model.canEdit)
    }

    @Test func whoClosesTheBrowserSeesNoMessage() async {
        let fake = FakeProvider()
        let model = OrdersModel(client: .testing(fake))
        fake.next(.closesBrowser)
        await model.signIn()
        #expect(model.session == nil && model.message == nil)
        fake.next(.denies)
        await model.signIn()
        #expect(model.message == "You said no.")
        await model.signIn()
        #expect(model.session != nil)
    }

    @Test func theSessionOutlivesTheAppAndAnHourOffline() async {
        let fake = FakeProvider()
        let storage = InMemory()
        await OrdersModel(client: .testing(fake, storage: storage)).signIn()

        let restarted = OrdersModel(client: .testing(fake, options: options, storage: storage))
        await restarted.start()
        fake.serve("https://api.example.com") { call in
            .json(["of": .string(call.person.subject)])
        }
        fake.clock.advance(by: .hours(2))
        fake.next(.refresh, fails: .offline)
        #expect(await restarted.orders() == nil)
        #expect(restarted.message == "Try again later.")
        #expect(await restarted.orders() != nil)
        #expect(fake.count(.refresh) == 2)
    }

    @Test func whoIsSignedOutAtTheProviderIsAskedToSignIn() async {
        let fake = FakeProvider()
        let model = OrdersModel(client: .testing(fake, options: options))
        fake.serve("https://api.example.com") { _ in .status(204) }
        await model.signIn()
        #expect(await model.orders() == 0)
        fake.endSessions()
        #expect(await model.orders() == nil)
        #expect(model.message == "Please sign in.")
    }

    @Test(arguments: [
        SignInError(.denied), SignInError(.interactionRequired(.expired)),
        SignInError(.transient(.serverError, retryAfter: .seconds(5))),
        SignInError(.misconfigured(.redirectInvalid)), SignInError(.rejected(.nonce)),
        SignInError(.storage(.locked)),
    ])
    func everyErrorHasItsWords(error: SignInError) {
        #expect(OrdersModel.words(for: error) != nil)
    }

    private var options: SignInClient.Options {
        var options = SignInClient.Options()
        options.apiOrigins = ["https://api.example.com"]
        return options
    }
}
