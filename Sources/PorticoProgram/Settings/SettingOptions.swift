import ArgumentParser

/// The settings as options of a command: one for each, so that `--help` has them all.
struct SettingOptions: ParsableArguments {
    @OptionGroup var place: DataDirectoryOptions

    @Option(help: ArgumentHelp("Where to listen; port 0: any free one.", valueName: "address:port"))
    var listen: String?

    @Option(help: ArgumentHelp("The server's public address.", valueName: "url"))
    var publicURL: String?

    @Option(
        name: .customLong("trusted-proxy"),
        help: ArgumentHelp("A proxy whose X-Forwarded headers count.", valueName: "address")
    )
    var trustedProxies: [String] = []

    @Option(
        help: ArgumentHelp("Import this realm file, unless its realm is there.", valueName: "path")
    )
    var importRealm: [String] = []

    @Option(
        help: ArgumentHelp(
            "A client's host that may be told of logouts at a private address.",
            valueName: "host:port"
        )
    )
    var backchannelAllow: [String] = []

    @Option(
        help: ArgumentHelp(
            "What is logged: trace, debug, info, notice, warning, error.",
            valueName: "level"
        )
    )
    var logLevel: String?

    @Option(help: ArgumentHelp("How it is logged: logfmt or json.", valueName: "format"))
    var logFormat: String?

    @Option(help: ArgumentHelp("Passwords hashed at once.", valueName: "count"))
    var hashingThreads: String?

    @Option(help: ArgumentHelp("Passwords that may wait to be hashed.", valueName: "count"))
    var hashingQueue: String?

    @Option(help: ArgumentHelp("Connections at one time.", valueName: "count"))
    var limitsConnections: String?

    @Option(help: ArgumentHelp("The longest request body.", valueName: "bytes"))
    var limitsBody: String?

    @Option(help: ArgumentHelp("How long a request may take to arrive.", valueName: "seconds"))
    var limitsRequestSeconds: String?

    @Option(help: ArgumentHelp("How long a connection may be idle.", valueName: "seconds"))
    var limitsIdleSeconds: String?

    @Option(help: ArgumentHelp("The sender of mail.", valueName: "address"))
    var mailFrom: String?

    @Option(help: ArgumentHelp("The mail server to send with.", valueName: "url"))
    var mailSMTP: String?

    @Option(help: ArgumentHelp("A file with the mail server's password.", valueName: "path"))
    var mailPasswordFile: String?

    @Option(help: ArgumentHelp("Certificates to trust for the mail server.", valueName: "path"))
    var mailCAFile: String?

    @Option(help: ArgumentHelp("A program to send mail with instead.", valueName: "path"))
    var mailSendmail: String?

    @Option(help: ArgumentHelp("What people call the service.", valueName: "name"))
    var serviceName: String?

    @Option(
        help: ArgumentHelp("Where people ask for help: email or https.", valueName: "address")
    )
    var serviceContact: String?

    @Option(help: ArgumentHelp("The notice of privacy: https.", valueName: "address"))
    var servicePrivacy: String?

    @Option(help: ArgumentHelp("The terms: https.", valueName: "address"))
    var serviceTerms: String?

    @Option(help: ArgumentHelp("New accounts: open or closed.", valueName: "rule"))
    var accountsSignUp: String?

    @Option(
        help: ArgumentHelp(
            "What one address at two providers means: ask or auto.",
            valueName: "rule"
        )
    )
    var accountsLinking: String?

    @Option(
        name: .customLong("bff-api"),
        help: ArgumentHelp("An API behind /bff/NAME/.", valueName: "name=address,provider")
    )
    var apis: [String] = []

    @Option(
        help: ArgumentHelp("A colour, the radius or the font of pages.", valueName: "name=value")
    )
    var pagesLight: [String] = []

    @Option(help: ArgumentHelp("A colour of pages in the dark.", valueName: "name=value"))
    var pagesDark: [String] = []

    @Option(help: ArgumentHelp("An image beside the service's name.", valueName: "path"))
    var pagesLogo: String?

    @Option(
        help: ArgumentHelp("A folder with the marks of identity providers.", valueName: "path")
    )
    var pagesBrand: String?

    /// What was given, by option.
    var values: [String: [String]] {
        let single = [
            "listen": listen, "public-url": publicURL, "log-level": logLevel,
            "log-format": logFormat, "hashing-threads": hashingThreads,
            "hashing-queue": hashingQueue, "limits-connections": limitsConnections,
            "limits-body": limitsBody, "limits-request-seconds": limitsRequestSeconds,
            "limits-idle-seconds": limitsIdleSeconds, "mail-from": mailFrom,
            "mail-smtp": mailSMTP, "mail-password-file": mailPasswordFile,
            "mail-ca-file": mailCAFile, "mail-sendmail": mailSendmail, "service-name": serviceName,
            "service-contact": serviceContact, "service-privacy": servicePrivacy,
            "service-terms": serviceTerms, "accounts-sign-up": accountsSignUp,
            "accounts-linking": accountsLinking, "pages-logo": pagesLogo,
            "pages-brand": pagesBrand,
        ]
        var values = place.values
        for (option, value) in single {
            values[option] = value.map { [$0] }
        }
        if !trustedProxies.isEmpty { values["trusted-proxy"] = trustedProxies }
        if !importRealm.isEmpty { values["import-realm"] = importRealm }
        if !apis.isEmpty { values["bff-api"] = apis }
        if !backchannelAllow.isEmpty { values["backchannel-allow"] = backchannelAllow }
        if !pagesLight.isEmpty { values["pages-light"] = pagesLight }
        if !pagesDark.isEmpty { values["pages-dark"] = pagesDark }
        return values
    }
}

/// Where the server's data and settings are: all that the commands which administer it need.
struct DataDirectoryOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder with the server's data.", valueName: "path"))
    var dataDirectory: String?

    @Option(help: ArgumentHelp("The settings file instead of ./portico.yaml.", valueName: "path"))
    var config: String?

    var values: [String: [String]] {
        dataDirectory.map { ["data-directory": [$0]] } ?? [:]
    }
}
