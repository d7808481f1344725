import PorticoBytes
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Placeholders in realm files")
struct PlaceholderTests {
    private static func read(_ text: String, _ placeholders: Placeholders) throws -> [JSONObject] {
        let bytes = Array(text.utf8)
        let file = RealmFile(name: "file", placeholders: placeholders) {
            offset throws(FileBytes.Refusal) in BytesSource(Array(bytes[offset...]))
        }
        var found: [JSONObject] = []
        for place in try RealmSource([file]).realms {
            found.append(try place.representation().object)
            var reader = PeopleReader(place.people)
            while let person = try reader.next() { found.append(person.object) }
        }
        return found
    }

    private static func unfilled(_ text: String, _ placeholders: Placeholders = .refused)
        -> [String]
    {
        do {
            _ = try read(text, placeholders)
            return []
        } catch let error as RealmFileError {
            guard case .placeholders(let unfilled) = error.reason else { return ["\(error)"] }
            return unfilled.map { "\($0.path) \($0.text)" }
        } catch {
            return ["\(error)"]
        }
    }

    private static func user(_ members: String) -> String {
        #"{"realm": "r", "enabled": true, "users": [{"username": "ann", \#(members)}]}"#
    }

    private static func client(_ members: String) -> String {
        #"{"realm": "r", "clients": [{"clientId": "a", \#(members)}]}"#
    }

    @Test(
        "A text that stands for a value of the environment becomes no value: the file is refused by name and place",
        arguments: [
            (
                user(#""credentials": [{"type": "password", "value": "${ANN_PASSWORD}"}]"#),
                "users[0].credentials[0].value ${ANN_PASSWORD}"
            ),
            (user(#""email": "${env.MAIL}""#), "users[0].email ${env.MAIL}"),
            (user(#""email": "ann@${HOST:example.com}""#), "users[0].email ${HOST…}"),
            (user(#""firstName": "${ann_name}""#), "users[0].firstName ${ann_name}"),
            (user(#""attributes": {"a": ["x", "$(env:A)"]}"#), "users[0].attributes.a[1] $(env:A)"),
            (user(#""realmRoles": ["${ROLE}"]"#), "users[0].realmRoles[0] ${ROLE}"),
            (
                #"{"realm": "r", "users": [{"username": "${ADMIN_USER}"}]}"#,
                "users[0].username ${ADMIN_USER}"
            ),
            (#"{"realm": "${REALM}"}"#, "realm ${REALM}"),
            (
                client(#""secret": "$(env:CLIENT_SECRET)""#),
                "clients[0].secret $(env:CLIENT_SECRET)"
            ),
            (client(#""secret": "${CLIENT_SECRET}""#), "clients[0].secret ${CLIENT_SECRET}"),
            (
                client(#""secret": "$(file:UTF-8:/run/s)""#),
                "clients[0].secret $(file…)"
            ),
            (client(#""secret": "$(SECRET)""#), "clients[0].secret $(SECRET)"),
            (client(#""rootUrl": "${APP_URL}""#), "clients[0].rootUrl ${APP_URL}"),
            (client(#""redirectUris": ["${APP_URL}/*"]"#), "clients[0].redirectUris[0] ${APP_URL}"),
            (client(#""name": "${APP_NAME}""#), "clients[0].name ${APP_NAME}"),
            (client(#""enabled": "${ON}""#), "clients[0].enabled ${ON}"),
            (
                client(#""attributes": {"jwks.url": "https://${A,B}/"}"#),
                "clients[0].attributes.jwks.url ${A,B}"
            ),
            (
                client(
                    #""protocolMappers": [{"name": "m", "config": {"claim.value": "${TENANT}"}}]"#
                ),
                "clients[0].protocolMappers[0].config.claim.value ${TENANT}"
            ),
            (
                #"{"realm": "r", "roles": {"client": {"${APP}": [{"name": "x"}]}}}"#,
                "roles.client.${APP} ${APP}"
            ),
            (
                #"{"realm": "r", "smtpServer": {"password": "${SMTP_PASSWORD:-x}"}}"#,
                "smtpServer.password ${SMTP_PASSWORD…}"
            ),
            (#"{"realm": "r", "displayName": "${TITLE}"}"#, "displayName ${TITLE}"),
            (
                #"{"realm": "r", "identityProviders": [{"alias": "g", "config": {"clientSecret": "${G}"}}]}"#,
                "identityProviders[0].config.clientSecret ${G}"
            ),
        ]
    )
    func refused(text: String, unfilled: String) {
        #expect(Self.unfilled(text) == [unfilled])
        // Nor is one replaced that the environment does not have.
        if !unfilled.contains("…") || unfilled.contains("$(file") {
            #expect(Self.unfilled(text, .from(["OTHER": "x"])) == [unfilled])
        }
    }

    @Test(
        "Keycloak's own keys and templates stay, with and without an environment",
        arguments: [
            client(#""name": "${client_account}", "description": "${client_a.b}""#),
            client(#""rootUrl": "${authBaseUrl}", "baseUrl": "${authAdminUrl}/x""#),
            client(
                #""protocolMappers": [{"config": {"claim.name": "resource_access.${client_id}.roles"}}]"#
            ),
            client(#""description": "${vault.web} a$b{c}$(d e)${5}${}${ a }$(""#),
            client(#""secret": "a$b{c}${d$(e""#),
            #"{"realm": "r", "smtpServer": {"password": "${vault.smtp}"}}"#,
            client(#""attributes": {"consent.screen.text": "${profileScopeConsentText}"}"#),
            #"{"realm": "r", "roles": {"realm": [{"name": "x", "description": "${role_x}"}]}}"#,
            #"{"realm": "r", "identityProviderMappers": [{"config": {"template": "${ALIAS}.${CLAIM.sub}"}}]}"#,
            #"{"realm": "r", "localizationTexts": {"de": {"a": "${B}"}}}"#,
            #"{"realm": "r", "components": {"x": [{"config": {"kc.user.profile.config": ["{\"displayName\":\"${username}\"}"]}}]}}"#,
        ]
    )
    func stays(text: String) throws {
        let without = try Self.read(text, .refused)
        #expect(try Self.read(text, .from(["OTHER": "x"])) == without)
        let json = try JSONValue(parsing: Array(text.utf8)).object
        for (name, value) in try #require(json) where name != "clients" && name != "roles" {
            #expect(without[0][name] == value)
        }
        let said = json?.array("clients")?.first?.object
        #expect(without[0].array("clients")?.first?.object == said || said == nil)
    }

    @Test(
        "What has the form of a placeholder is no password and no secret of a client, whatever it names",
        arguments: [
            ("${vault.ann-password}", "${vault.ann-password}"),
            ("${authBaseUrl}", "${authBaseUrl}"),
            ("${secrets/ann}", "${secrets…}"), ("${ANN PASSWORD}", "${ANN…}"),
            ("${ANN?err}", "${ANN…}"), ("a$(d e)b", "$(d…)"), ("${5}", "${5}"), ("${}", "${}"),
            ("$(env:1 2)", "$(env:1…)"), ("$(const:HOME)", "$(const…)"),
        ]
    )
    func secrets(text: String, shown: String) {
        for (file, path) in [
            (
                Self.user(#""credentials": [{"type": "password", "value": "\#(text)"}]"#),
                "users[0].credentials[0].value"
            ),
            (Self.client(#""secret": "\#(text)""#), "clients[0].secret"),
        ] {
            #expect(Self.unfilled(file) == ["\(path) \(shown)"])
            #expect(Self.unfilled(file, .from(["HOME": "x", "d": "x"])) == ["\(path) \(shown)"])
        }
    }

    @Test("A secret that looks like a placeholder can be had from the environment")
    func secretsAsTheyStand() async throws {
        let text = Self.client(#""secret": "${SECRET}""#)
        let file = RealmFile(name: "file", placeholders: .from(["SECRET": "${vault.web} as it is"]))
        {
            offset throws(FileBytes.Refusal) in BytesSource(Array(Array(text.utf8)[offset...]))
        }
        let place = try #require(try RealmSource([file]).realms.first)
        let client = try #require(try place.said().children("clients").first)
        #expect(try client.text("secret") == "${vault.web} as it is")
    }

    @Test("The default of a placeholder is not shown: it may be the secret")
    func defaults() {
        for text in [
            "${ANN_PASSWORD:Sommer-2026}", "$(env:ANN_PASSWORD:-Sommer-2026)",
            "${ANN_PASSWORD:${OTHER:Sommer-2026}}", "$(base64Decoder:Sommer-2026)",
        ] {
            let file = Self.user(#""credentials": [{"type": "password", "value": "\#(text)"}]"#)
            let shown = Self.unfilled(file)
            #expect(shown.count == 1 && shown[0].contains("…"), "\(shown)")
            #expect(!shown.joined().contains("Sommer"), "\(shown)")
        }
    }

    @Test("With an environment each placeholder is its value, a default counts where there is none")
    func filled() async throws {
        let environment = [
            "REALM": "acme", "USER": "ann", "PW": "correct ${USER} staple", "ON": "true",
            "APP": "shop",
            "title": "Acme", "SECOND": "b",
        ]
        let objects = try Self.read(
            #"""
            {"realm": "${REALM}", "enabled": "${ON}", "displayName": "${title} & ${FIRST,SECOND}",
             "accessTokenLifespan": "${LIFE:600}",
             "clients": [{"clientId": "${env.APP}", "secret": "$(env:NONE:-a $(env:APP) secret)",
                          "rootUrl": "https://$(env:APP).example", "name": "${client_x}"}],
             "roles": {"client": {"${APP}": [{"name": "${NONE:${APP}}-reader"}]}},
             "users": [{"username": "${USER}", "email": "${USER}@${HOST:example.com}",
                        "credentials": [{"value": "${PW}"}]}]}
            """#,
            .from(environment)
        )
        let realm = objects[0]
        #expect(realm.string("realm") == "acme" && realm.bool("enabled") == true)
        #expect(
            realm.string("displayName") == "Acme & b" && realm.int64("accessTokenLifespan") == 600
        )
        let client = try #require(realm.array("clients")?.first?.object)
        #expect(client.string("clientId") == "shop" && client.string("secret") == "a shop secret")
        #expect(client.string("rootUrl") == "https://shop.example")
        #expect(client.string("name") == "${client_x}")
        let roles = realm.object("roles")?.object("client")?.array("shop")
        #expect(roles?.first?.object?.string("name") == "shop-reader")
        let ann = objects[1]
        #expect(ann.string("username") == "ann" && ann.string("email") == "ann@example.com")
        // A value is a value: what it looks like is not replaced again.
        let value = ann.array("credentials")?.first?.object?.string("value")
        #expect(value == "correct ${USER} staple")
    }

    private static let three = #"""
        {"realm": "r", "smtpServer": {"host": "${SMTP}"}, "clients": [{"secret": "${SECRET}"}],
         "users": [{"username": "ann", "credentials": [{"value": "${PW}"}]},
                   {"username": "bob", "credentials": [{"value": "${PW}"}], "email": "${MAIL}"}]}
        """#

    private static let ofThree = [
        "smtpServer.host ${SMTP}", "clients[0].secret ${SECRET}",
        "users[0].credentials[0].value ${PW}", "users[1].email ${MAIL}",
    ]

    @Test("All that a file lacks is named at once, of people and of the rest, each once")
    func atOnce() {
        #expect(Self.unfilled(Self.three) == Self.ofThree)
        #expect(Self.unfilled(Self.three, .from(["SMTP": "a", "PW": "b"])).count == 2)
    }

    @Test("Brackets without end, and many of them, take no time")
    func hostile() {
        let open = String(repeating: "${A:", count: 1000)
        #expect(Self.unfilled(Self.user(#""email": "\#(open)""#)) == [])
        let many = String(repeating: "${A}", count: 20_000)
        #expect(Self.unfilled(Self.user(#""email": "\#(many)""#)).count == 10)
    }
}
