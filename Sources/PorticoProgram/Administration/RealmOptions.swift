import ArgumentParser

/// Which realm a command is about.
struct RealmOptions: ParsableArguments {
    @Option(help: .value("name", "The realm; optional if there is only one."))
    var realm: String?
}

/// Which part of a long list in a realm is shown.
struct RealmListOptions: ParsableArguments {
    @OptionGroup var realm: RealmOptions
    @OptionGroup var list: ListOptions
}
