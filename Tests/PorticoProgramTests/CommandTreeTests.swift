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
            "provider add --name --client-id --secret-file --issuer --team-id --key-id --scopes -n",
            "provider test --json", "provider remove --confirm --dry-run",
            "client create --apple-app --android-app --native-audience --store-link --default",
            "client create --hand-off --redirect-uri --dry-run",
            "account list --email --json", "account show --json", "account block --dry-run",
            "account unblock --dry-run", "account delete --confirm --dry-run",
            "session list --account --json", "session revoke --account --dry-run",
            "session import --app --dry-run --json --plain", "provider keys list --json",
            "provider keys rotate --dry-run", "provider keys withdraw --end-sessions --dry-run",
            "provider update --end-sessions",
            "events -f --kind --realm --user --account --client --since --count --jsonl",
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
