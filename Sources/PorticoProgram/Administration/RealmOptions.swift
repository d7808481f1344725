import ArgumentParser

/// Which realm a command is about.
struct RealmOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The realm; may be left out where there is one only.", valueName: "name")
    )
    var realm: String?
}
