import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A person makes an account (decision 0052)") struct RegistrationTests {
    private let scene: RegistrationScene

    init() async throws {
        scene = try await RegistrationScene()
    }

    @Test("decision 0052: from the page by mail to a signed-in account, and on to the app")
    func whole() async throws {
        let page = try await scene.submit()
        scene.expectCodeAsked(page)
        #expect(page.text.contains("cora@example.com"))
        #expect(try await scene.person("cora") == nil)
        let mail = try #require(try await scene.server.mails().first)
        #expect(mail.draft.to == "cora@example.com")
        let answer = expectCode(try await scene.confirm(page))
        let info = try await scene.server.userInfo(try scene.server.redeem(answer).accessToken).json
        #expect(info.string("email") == "cora@example.com" && info["email_verified"] == true)
        #expect(info.string("given_name") == "Cora" && info.string("family_name") == "Sample")
        #expect(info.string("preferred_username") == "cora")
        // The session is there, and the password is good elsewhere.
        expectCode(try await scene.browser.authorize(TestFlow.request()))
        let elsewhere = TestBrowser(scene.server)
        expectCode(try await elsewhere.signIn("cora", password: RegistrationScene.password))
        #expect(scene.server.log.contains("event=registration.ok "))
        #expect(!scene.server.log.contains("cora"))
    }

    @Test("decision 0052: the page for signing in leads there, for an app and for the account")
    func offered() async throws {
        for path in [
            TestBrowser.authorizationPath(TestFlow.request()), "/realms/test/account/apps",
        ] {
            let browser = TestBrowser(scene.server)
            let signIn = try await browser.get(path)
            #expect(signIn.text.contains(#"value="register""#))
            let page = try await browser.submit(signIn, [("action", "register")])
            scene.expectAsked(page)
            // And back again.
            let back = try await browser.submit(page, [("action", "switch")])
            #expect(back.text.contains(#"value="register""#))
        }
        let account = TestBrowser(scene.server)
        let signIn = try await account.get("/realms/test/account/apps")
        let page = try await account.submit(signIn, [("action", "register")])
        let asked = try await account.submit(page, RegistrationScene.form)
        let done = try await scene.confirm(asked, in: account)
        #expect(done.status == 303 && done.location == "/realms/test/account/apps")
        #expect(try await scene.person("cora") != nil)
    }

    @Test("decision 0052: the address is the user name where the realm says so")
    func byEmail() async throws {
        let scene = try await RegistrationScene(.email)
        let page = try await scene.browser.authorize(RegistrationScene.request)
        #expect(!page.text.contains(#"name="username""#))
        let asked = try await scene.submit([("email", "Cora@Example.com"), ("username", "x y")])
        expectCode(try await scene.confirm(asked))
        let person = try #require(try await scene.person("cora@example.com")).person
        #expect(person.username == "cora@example.com" && person.email == "cora@example.com")
    }

    @Test("decision 0052: without mail there is an account without an address, at once")
    func withoutMail() async throws {
        let scene = try await RegistrationScene(sendsMail: false)
        let page = try await scene.browser.authorize(RegistrationScene.request)
        #expect(!page.text.contains(#"name="email""#))
        expectCode(try await scene.submit())
        let person = try #require(try await scene.person("cora")).person
        #expect(person.email == nil && !person.isEmailVerified)
    }

    @Test(
        "decision 0052: where an address has to be proven and no mail is sent, the app is told",
        arguments: [Realm.Registration.email, .username]
    )
    func needsMail(_ registration: Realm.Registration) async throws {
        let scene = try await RegistrationScene(registration, sendsMail: false) {
            $0.realm.confirmsEmail = registration == .username
        }
        expectError(try await scene.browser.authorize(RegistrationScene.request), "server_error")
        try await scene.expectNotOffered()
        #expect(try await scene.count() == 2)
    }

    @Test("PROMPTCREATE-4-2: prompt=create is refused where people cannot register")
    func closed() async throws {
        let scene = try await RegistrationScene(nil)
        expectError(try await scene.browser.authorize(RegistrationScene.request), "invalid_request")
        try await scene.expectNotOffered()
        let path = String.endpoint("registrations")
        let page = try await scene.browser.get(
            FormEncoding.appending(TestFlow.request().map { (name: $0.0, value: $0.1) }, to: path)
        )
        #expect(page.status == 400 && page.location == nil)
        #expect(page.text.contains("You can’t create an account here"))
        let metadata = try await scene.server
            .send(.get, "/realms/test/.well-known/openid-configuration").json
        let prompts = metadata.strings("prompt_values_supported")
        #expect(prompts == ["none", "login", "consent", "select_account"])
        #expect(try await scene.count() == 2)
    }

    @Test("A draft counts for nothing once people cannot register any more")
    func closedMeanwhile() async throws {
        let signIn = try await scene.browser.authorize(TestFlow.request())
        let asked = try await scene.browser.submit(signIn, [("action", "register")])
        let page = try await scene.browser.submit(asked, RegistrationScene.form)
        scene.expectCodeAsked(page)
        try await scene.server.changeRealm { $0.registration = nil }
        #expect(try await scene.confirm(page).status == 404)
        #expect(try await scene.person("cora") == nil)
    }

    @Test(
        "PROMPTCREATE-4-1: registrations takes what auth takes, and shows the page for an account"
    )
    func registrations() async throws {
        func get(_ request: [(String, String)]) async throws -> Reply {
            try await scene.browser.get(
                TestBrowser.authorizationPath(request, at: String.endpoint("registrations"))
            )
        }
        let page = try await get(TestFlow.request())
        scene.expectAsked(page)
        scene.expectAsked(try await get(TestFlow.silent))
        expectCode(try await scene.confirm(scene.browser.submit(page, RegistrationScene.form)))
        // Errors go where those of auth go.
        let other = TestFlow.request("native1", [("redirect_uri", "https://elsewhere.example")])
        #expect(try await get(other).status == 400)
        expectError(
            try await get(TestFlow.request("native1", [("code_challenge", "")])),
            "invalid_request"
        )
        let metadata = try await scene.server
            .send(.get, "/realms/test/.well-known/openid-configuration").json
        #expect(metadata.strings("prompt_values_supported")?.contains("create") == true)
    }

    @Test("PROMPTCREATE-4-1: whoever is signed in, the app gets the one who signs in instead")
    func signedIn() async throws {
        _ = try await scene.browser.signIn("alice", TestFlow.request())
        let page = try await scene.browser.authorize(RegistrationScene.request)
        scene.expectAsked(page)
        let signIn = try await scene.browser.submit(page, [("action", "switch")])
        let bob = TestRealm.login("bob")
        let tokens = try await scene.server.redeem(
            expectCode(try await scene.browser.submit(signIn, bob))
        )
        let info = try await scene.server.userInfo(try tokens.accessToken).json
        #expect(info.string("preferred_username") == "bob")
        // Another person's session ends where an account is made.
        let again = try await scene.browser.authorize(RegistrationScene.request)
        expectCode(try await scene.confirm(scene.browser.submit(again, RegistrationScene.form)))
        #expect(try await scene.server.userInfo(try tokens.accessToken).status == 401)
    }

    @Test("Cancelling tells the app; login_hint fills in the address or the name")
    func otherWays() async throws {
        let page = try await scene.browser.authorize(RegistrationScene.request)
        expectError(try await scene.browser.submit(page, [("action", "cancel")]), "access_denied")
        for hint in ["dora@example.com", "dora"] {
            let hinted = TestFlow.request("native1", [("prompt", "create"), ("login_hint", hint)])
            #expect(try await scene.browser.authorize(hinted).text.contains(#"value="\#(hint)""#))
        }
    }

    /// What is wrong with one field, and the words that tell.
    private static let wrong: [(String, String, String)] = [
        ("given_name", String(repeating: "n", count: 201), "Enter a shorter first name"),
        ("family_name", "a\u{202E}b", "Enter a shorter last name"),
        ("email", "", "Enter your email address"), ("email", "cora", "in the form"),
        ("username", "", "Enter a username"), ("username", "co ra", "without spaces or @"),
        ("username", "alice@example.com", "without spaces or @"),
        ("username", "Service-Account-web1", "This one is taken"),
        ("username", "alice", "This one is taken"), ("username", "ALICE", "This one is taken"),
        ("password", "", "Enter a new password"), ("password", "short", "at least 8 characters"),
        ("password", "password123", "easy to guess"), ("password", "cora1234", "made of your name"),
        ("password", String(repeating: "long ", count: 300), "too long"),
    ]

    @Test(
        "What is missing or wrong is said beside its field, and nothing is sent",
        arguments: wrong
    )
    func fields(_ name: String, _ value: String, _ words: String) async throws {
        let page = try await scene.submit([(name, value)])
        scene.expectAsked(page)
        #expect(page.text.contains(#"id="\#(name)-problem""#) && page.text.contains(words))
        #expect(!page.text.contains(RegistrationScene.password))
        #expect(try await scene.server.mails().isEmpty)
        #expect(try await scene.count() == 2)
    }

    @Test(
        "One name is enough, and joiners belong to names",
        arguments: [
            ("Cora", ""), ("", "Sample"),
            ("\u{646}\u{6CC}\u{644}\u{648}\u{200C}\u{641}\u{631}", ""),
            ("\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}", "\u{915}\u{94D}\u{200C}\u{937}"),
        ]
    )
    func oneName(_ given: String, _ family: String) async throws {
        let page = try await scene.submit([("given_name", given), ("family_name", family)])
        expectCode(try await scene.confirm(page, try await scene.server.mailedCode()))
        let realm = try #require(scene.server.provider.realms.realm(named: "test"))
        let cora = try #require(
            try await scene.server.database.people.credentials(
                realmID: realm.id,
                login: "cora@example.com",
                byEmail: true
            )
        ).person
        #expect(cora.givenName == (given.isEmpty ? nil : given))
        #expect(cora.familyName == (family.isEmpty ? nil : family))
    }

    @Test("Without any name the first one is asked for")
    func noName() async throws {
        let page = try await scene.submit([("given_name", ""), ("family_name", " ")])
        scene.expectAsked(page)
        #expect(page.text.contains("Enter your first name"))
        #expect(try await scene.count() == 2)
    }

    @Test("Another code can be sent, to another address too; then the former one is not right")
    func codes() async throws {
        let page = try await scene.submit()
        let first = try await scene.server.mailedCode()
        scene.server.clock.advance(by: 1)
        let again = try await scene.browser.submit(page, [("action", "resend")])
        #expect(again.text.contains("We’ve sent a new code"))
        let second = try await scene.server.mailedCode()
        if second != first { #expect(try await scene.confirm(again, first).location == nil) }
        let change = try await scene.browser.submit(again, [("action", "change-address")])
        scene.expectAsked(change)
        #expect(change.text.contains(#"value="cora@example.com""#))
        scene.server.clock.advance(by: 1)
        let other = try await scene.browser.submit(
            change,
            RegistrationScene.change([("email", "cora@example.net")])
        )
        if second != (try await scene.server.mailedCode()) {
            #expect(try await scene.confirm(other, second).location == nil)
        }
        expectCode(try await scene.confirm(other))
        #expect(try await scene.person("cora")?.person.email == "cora@example.net")
        #expect(try await scene.count() == 3)
    }

    @Test("WEB-BRUTE-2: five wrong codes cost the code; none is good after ten minutes")
    func tries() async throws {
        let page = try await scene.submit()
        let code = try await scene.server.mailedCode()
        let wrong = code == "000001" ? "000002" : "000001"
        #expect(try await scene.confirm(page, "").text.contains("Enter the six-digit code"))
        for left in ["4 more tries", "3 more", "2 more", "one more try", "too many times"] {
            let reply = try await scene.confirm(page, wrong)
            scene.expectCodeAsked(reply)
            #expect(reply.text.contains(left))
        }
        #expect(try await scene.confirm(page, code).text.contains("already been used"))
        scene.server.clock.advance(by: 1)
        let again = try await scene.browser.submit(page, [("action", "resend")])
        let late = try await scene.server.mailedCode()
        scene.server.clock.advance(by: 600)
        #expect(try await scene.confirm(again, late).text.contains("has expired"))
        #expect(try await scene.count() == 2)
    }

    private func registered(
        actions: [RealmPart] = [],
        configure: @escaping (inout NewRealm) -> Void = { _ in }
    ) async throws -> (RegistrationScene, Reply) {
        let scene = try await RegistrationScene(sendsMail: false, configure: configure)
        let realm = try #require(scene.server.provider.realms.realm(named: "test"))
        for action in actions {
            var action = action
            action.realmID = realm.id
            try await scene.server.database.realms.put(action)
        }
        return (scene, try await scene.submit())
    }

    private func action(_ alias: String, _ isEnabled: Bool, _ isDefault: Bool) -> RealmPart {
        RealmPart(
            realmID: "",
            kind: "requiredActions",
            id: alias,
            document: [
                "alias": .string(alias), "enabled": .bool(isEnabled),
                "defaultAction": .bool(isDefault),
            ]
        )
    }

    @Test("decision 0052: new people get the default roles and groups")
    func rolesAndGroups() async throws {
        let roles = [
            RoleName(clientID: nil, name: "reader"), RoleName(clientID: "web1", name: "publisher"),
        ]
        let (scene, reply) = try await registered { new in
            let realmID = new.realm.id
            let top = Group(id: "g-1", realmID: realmID, parentID: nil, name: "customers")
            let child = Group(id: "g-2", realmID: realmID, parentID: "g-1", name: "new ones")
            new.groups = [GroupWithRoles(group: top), GroupWithRoles(group: child)]
            new.realm.defaultRoles = roles
            new.realm.defaultGroupIDs = ["g-2"]
        }
        expectCode(reply)
        let person = try #require(try await scene.person("cora"))
        #expect(person.roles == roles)
        #expect(person.groupIDs == ["g-2"])
    }

    @Test("Where no defaults are set, new people get nothing")
    func nothing() async throws {
        let (scene, reply) = try await registered()
        expectCode(reply)
        let person = try #require(try await scene.person("cora"))
        #expect(person.roles.isEmpty && person.groupIDs.isEmpty)
    }

    @Test("decision 0052: what the realm demands of new people comes before the app")
    func actions() async throws {
        let (scene, reply) = try await registered(
            actions: [
                action("CONFIGURE_TOTP", true, true), action("UPDATE_PASSWORD", true, false),
                action("TERMS_AND_CONDITIONS", false, true), action("two words", true, true),
            ]
        )
        #expect(reply.location?.hasPrefix("/realms/test/account/second-factor") == true)
        #expect(try await scene.person("cora")?.person.requiredActions == ["CONFIGURE_TOTP"])
    }
}
