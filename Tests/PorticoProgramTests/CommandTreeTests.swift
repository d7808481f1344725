import ArgumentParser
import Testing

@testable import PorticoProgram

@Suite("The tree of commands")
struct CommandTreeTests {
    private struct Place {
        let words: [String]
        let command: any ParsableCommand.Type
    }

    private static func places(below place: Place) -> [Place] {
        let children = place.command.configuration.subcommands.map {
            Place(words: place.words + [$0._commandName], command: $0)
        }
        return [place] + children.flatMap(places)
    }

    private static var all: [Place] {
        places(below: Place(words: ["portico"], command: Program.self))
    }

    @Test("every command says in its help what it does, and so does every option")
    func help() throws {
        for place in Self.all {
            let name = place.words.joined(separator: " ")
            #expect(place.command.configuration.abstract.hasSuffix("."), "\(name)")
            let help = Program.helpMessage(for: place.command, includeHidden: true, columns: 200)
            for match in help.matches(of: #/\n  ((?:-\w, )?--\S+(?: <[^>]+>)?)([^\n]*)\n( *)/#) {
                // What an option does stands behind it, or on the next line.
                #expect(match.2.contains(#/\w/#) || match.3.count > 10, "\(name): \(match.1)")
            }
        }
    }

    @Test("a command in a help is never wrapped, so that it can be pasted")
    func examples() throws {
        for place in Self.all {
            let name = place.words.joined(separator: " ")
            let discussion = place.command.configuration.discussion
            let help = Program.helpMessage(for: place.command, includeHidden: true, columns: 80)
            let lines = help.split(separator: "\n").map { $0.drop { $0 == " " } }
            for line in discussion.split(separator: "\n") where line.hasPrefix("  ") {
                #expect(lines.contains(line.drop { $0 == " " }), "\(name): \(line)")
            }
            // One that stands in a sentence has no options, which a line could end before.
            for line in discussion.split(separator: "\n") where !line.hasPrefix(" ") {
                #expect(!line.contains(#/portico [a-z][^.,;]* --[a-z]/#), "\(name): \(line)")
            }
        }
    }

    @Test(
        "the commands and options that were promised are there",
        arguments: [
            "serve --demo --config --listen --public-url --import-realm --data-directory",
            "login --issuer --client-id --scope --no-browser --timeout --callback-port --pkce-unannounced",
            "login --trusted-audience --tenant-issuers",
            "provider update --trusted-audience --tenant-issuers --algorithm",
            "logout --no-browser", "whoami --json", "token print --min-ttl", "token inspect --json",
            "userinfo --claim", "realm list --json --limit --cursor --filter", "realm show --json",
            "realm create --sign-out-by-hint --dry-run", "realm create --apps-by-document",
            "realm update --apps-by-document",
            "realm update --sign-out-by-hint --no-sign-out-by-hint --dry-run",
            "client create --stay-signed-in", "client update --stay-signed-in",
            "realm create --stay-signed-in", "realm update --stay-signed-in",
            "realm delete --confirm --dry-run", "realm import --dry-run",
            "realm export -o --output --with-users --with-keys", "realm diff --json",
            "client list --json", "client show --json", "client create --secret-file --dry-run",
            "client create --for --url --json --claim --audience --strict --pkce-or-nonce",
            "client products --json --plain --markdown",
            "client update --dry-run --remove-claim --remove-audience --remove-scope",
            "client update --id-token-algorithm --access-token-algorithm --access-token-type",
            "realm create --access-token-type", "client delete --confirm --dry-run",
            "user list --json",
            "user show --json", "user create --password-file --dry-run", "user update --dry-run",
            "user delete --confirm --dry-run", "user set-password --password-file --dry-run",
            "user reset-second-factor --dry-run",
            "role list --json", "role create --dry-run", "role delete --confirm --dry-run",
            "role assign --dry-run", "role remove --dry-run", "role show --json",
            "role assign --group --service-account --composite --seen-by-client --seen-by-scope",
            "realm create --template", "client create --template", "client update --no-full-scope",
            "client update --compatibility --token-form --redirect-rule",
            "realm update --access-token-lifetime --code-lifetime --pushed-request-lifetime",
            "realm update --session-idle --session-maximum --offline-idle --offline-maximum",
            "realm update --refresh-grace --display-name --disable-realm --no-sign-in-with-email",
            "realm update --default-scope --optional-scope --remove-scope",
            "user set-password --temporary", "group list --json --limit --cursor --filter",
            "group show --json", "group create --parent --dry-run", "group members --json",
            "group update --name --parent --dry-run", "group delete --confirm --dry-run",
            "group add-member --dry-run", "group remove-member --dry-run", "scope list --json",
            "scope show --json", "scope create --dry-run", "scope delete --confirm --dry-run",
            "mapper list --client --scope --json", "mapper remove --confirm --dry-run",
            "mapper add --client --scope --type --setting --into --dry-run", "keys list --json",
            "keys rotate --alg --overlap --dry-run", "config show --origin --json",
            "provider list --json", "provider show --json",
            "provider update --secret-file --enable-provider --display-name --dry-run",
            "provider add --name --realm --client-id --secret-file --issuer --team-id --key-id -n",
            "provider add --scopes",
            "provider test --json", "provider remove --confirm --dry-run",
            "client create --apple-app --android-app --native-audience --store-link --default",
            "client create --hand-off --redirect-uri --dry-run",
            "user list --email --json", "user sessions --json", "user block --dry-run",
            "user unblock --dry-run", "user identities --json", "user sign-out --session --dry-run",
            "session import --app --dry-run --json --plain", "provider keys list --json",
            "provider keys rotate --dry-run", "provider keys withdraw --end-sessions --dry-run",
            "provider update --end-sessions",
            "events -f --kind --realm --user --client --since --count --jsonl",
            "doctor --public-url --offline --json",
            "client links --public-url --json", "realm update --signing-algorithm --acr-level",
            "realm update --default-language --code-drift --sign-in-events --event-kind",
            "realm update --event-lifetime --administration-events",
        ]
    )
    func promised(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let names = words.prefix { !$0.hasPrefix("-") }
        let place = try #require(Self.all.first { $0.words.dropFirst().elementsEqual(names) })
        let help = Program.helpMessage(for: place.command, columns: 200)
        for option in words.dropFirst(names.count) + ["--quiet", "--no-color", "--no-input"] {
            #expect(help.contains(option), "\(line): \(option)")
        }
    }

    @Test("no option takes a secret itself, only the file that has it")
    func secrets() throws {
        let secretWords = ["password", "secret", "token"]
        for place in Self.all {
            let help = Program.helpMessage(for: place.command, includeHidden: true, columns: 200)
            for match in help.matches(of: /(--[a-z-]+) <([^>]+)>/) {
                let option = String(match.1)
                guard secretWords.contains(where: option.contains) else { continue }
                // "access-token-lifetime" is about tokens and takes none; so is a target of login tokens.
                // A state is on or off.
                let isHarmless = ["path", "time", "algorithm", "name", "client", "state"]
                    .contains(match.2)
                #expect(isHarmless, "\(place.words.joined(separator: " ")) \(match.0)")
            }
        }
    }

    @Test("every command ends with a code that scripts know, and has one for every problem")
    func codes() {
        let codes = Set(Problem.allCases.map(\.exitStatus.rawValue))
        #expect(codes.isSubset(of: [1, 2, 3, 4, 5, 6, 7, 10, 130]))
        #expect(Set(Problem.allCases.map(\.rawValue)).count == Problem.allCases.count)
    }
}

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
