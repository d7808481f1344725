import Testing

@testable import PorticoProgram

@Suite("Commands that messages print") struct OwnCommandTests {
    private static func command(_ arguments: String...) -> OwnCommand {
        OwnCommand(arguments: arguments) { _ in "/data/demo" }
    }

    @Test("are for the data directory and the settings file of this run")
    func place() {
        let plain = Self.command("realm", "create", "shop")
        #expect(plain.text("realm delete shop") == "portico realm delete shop")
        let there = Self.command(
            "realm",
            "create",
            "shop",
            "--data-directory",
            "my data",
            "--config=a.yaml"
        )
        #expect(
            there.text("realm delete shop")
                == "portico realm delete shop --data-directory 'my data' --config a.yaml"
        )
    }

    @Test("are for the realm of this run, where they are about what is in one")
    func realm() {
        let run = Self.command("client", "create", "app", "--for", "expo", "--realm", "demo")
        #expect(
            run.text("client update app --pkce") == "portico client update app --pkce --realm demo"
        )
        #expect(run.text("keys list --realm shop") == "portico keys list --realm shop")
        #expect(run.text("realm list") == "portico realm list")
    }

    @Test("that import again have the same address")
    func address() {
        let run = Self.command("realm", "import", "a.json", "--public-url", "https://a.example")
        #expect(
            run.text("realm import a.json --accept-weaker")
                == "portico realm import a.json --accept-weaker --public-url https://a.example"
        )
        #expect(run.text("realm delete acme") == "portico realm delete acme")
    }

    @Test("of a demo are for its folder, and it is served again as it was")
    func demo() {
        let run = Self.command(
            "serve",
            "--demo",
            "--listen",
            "127.0.0.1:18610",
            "--log-level=debug"
        )
        #expect(
            run.text("realm delete shop") == "portico realm delete shop --data-directory /data/demo"
        )
        #expect(
            run.text("serve --listen 127.0.0.1:0")
                == "portico serve --listen 127.0.0.1:0 --demo --log-level debug"
        )
        let named = Self.command("serve", "--demo", "--data-directory", "d")
        #expect(named.text("doctor") == "portico doctor --data-directory d")
    }

    @Test("are for the folder of this run, whatever a thing in it is called")
    func named() {
        let run = Self.command("client", "create", "--data-directory", "d", "--realm", "shop")
        let name = "a --data-directory x --realm y"
        #expect(
            run.text("client show \(name)")
                == "portico client show '\(name)' --realm shop --data-directory d"
        )
        let words: CommandWords = "update \(words: ["--realm", "acme"])"
        #expect(
            run.text("client \(words)")
                == "portico client update --realm acme --data-directory d"
        )
    }

    @Test(
        "at the address that an issuer has, a name of this machine is listened for at its literal",
        arguments: [
            ("http://localhost:8080", "--listen 127.0.0.1:8080 "),
            ("http://127.0.0.1:8080", "--listen 127.0.0.1:8080 "), ("https://localhost:8443", ""),
            ("https://id.example.com", ""),
        ]
    )
    func serving(base: String, listening: String) {
        let command = porticoServing("\(base)/realms/shop", of: "shop")
        let expected = "portico serve \(listening)--public-url \(base)"
        #expect(command.hasPrefix(expected), "\(command)")
    }

    @Test(
        "quote for a shell what others chose",
        arguments: [
            ("ann", "ann"), ("https://a.example/cb?x=1", "'https://a.example/cb?x=1'"),
            ("a b", "'a b'"), ("o'neil", #"'o'\''neil'"#), ("$(id)", "'$(id)'"), ("", "''"),
            ("a;id", "'a;id'"), ("=ls", "'=ls'"), ("~root", "'~root'"),
            ("a\u{1B}[0m", #"'a\u{1b}[0m'"#),
        ]
    )
    func quoted(name: String, expected: String) {
        #expect(
            Self.command().text("user delete \(name) --confirm \(name)")
                == "portico user delete \(expected) --confirm \(expected)"
        )
        #expect(
            Self.command().text("user delete \(words: [name])") == "portico user delete \(expected)"
        )
    }
}
