import ArgumentParser

@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "portico",
        abstract: "Sign-in for native apps: an OpenID Provider, and a client for any other.",
        discussion: """
            Completion for your shell (bash, zsh or fish):
              portico --generate-completion-script bash
            """,
        version: "portico 0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Sign in",
                subcommands: [
                    LoginCommand.self, LogoutCommand.self, WhoamiCommand.self, TokenCommand.self,
                    UserinfoCommand.self,
                ]
            ),
            CommandGroup(
                name: "Realms",
                subcommands: [
                    RealmCommand.self, ClientCommand.self, UserCommand.self, RoleCommand.self,
                    GroupCommand.self, ScopeCommand.self, MapperCommand.self, KeysCommand.self,
                ]
            ),
            CommandGroup(
                name: "Backend",
                subcommands: [ProviderCommand.self, SessionCommand.self]
            ),
            CommandGroup(
                name: "Server",
                subcommands: [
                    ServeCommand.self, EventsCommand.self, DoctorCommand.self, ConfigCommand.self,
                ]
            ),
        ]
    )

    static func main() async {
        await Invocation(arguments: Array(CommandLine.arguments.dropFirst())).run().endProcess()
    }
}
