import Logging
import PorticoBackend
import PorticoBytes
import PorticoMail
import PorticoOutbound
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// Every setting, in the order of `portico serve --help` and `docs/configuration.md`.
///
/// Its property of ``Settings``, option, variable, key in a file, check, default and row in the
/// document all follow from its entry.
struct SettingTable: Sendable {
    static let entries = SettingTable()

    /// Its default depends on the environment: ``Settings/init(dataDirectory:)``.
    let dataDirectory = Entry(
        "data-directory",
        .folder,
        default: "",
        as: "`$XDG_DATA_HOME/portico/server`"
    ).help("The folder with the server's data.")
    let listen = Entry(
        "listen",
        .init(
            "address:port",
            expected: "an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080",
            read: { ListenAddress($0) },
            show: { $0.text }
        ),
        default: ListenAddress(host: "127.0.0.1", port: 8080)
    ).help("The IP address and port to listen on. Port 0 takes any free port.")
    let publicURL = Entry(
        "public-url",
        .init(
            "url",
            expected:
                "https://HOST without a path, or http://127.0.0.1:PORT or http://localhost:PORT; "
                + "a HOST in other letters in its form xn--NAME",
            read: { try PublicURL($0.hasSuffix("/") ? String($0.dropLast()) : $0) },
            show: { $0.origin }
        ),
        none: "`http://` and the listen address"
    ).help(
        "The server's public address.",
        more: """
            `https://host` without a path or, on this machine, `http://127.0.0.1:port` or \
            `http://localhost:port`. Every issuer begins with it, unless the realm has a host of its \
            own.
            """
    )
    let hstsSubdomains = Entry("hsts.subdomains", .onOff, default: true).help(
        "Whether browsers use https at names below the public URL's host, too: on or off.",
        more: "Turn it off where the host has names below it that are served without https."
    )
    let backendRealm = Entry(
        "backend.realm",
        .init(
            "name",
            expected: "the name of a realm",
            read: { Realm.isName($0) ? $0 : nil },
            show: { $0 }
        ),
        none: "the only realm; where there are several, `home`, which is made for it"
    ).help(
        "The realm whose people sign in at the backend.",
        more: """
            It is settled with the first provider or app, and does not change by itself. Another one \
            takes effect when the server starts: people of the former realm no longer sign in there.
            """
    )
    let trustedProxies = Entry(
        "trusted-proxies",
        option: "trusted-proxy",
        list: .text(
            "address",
            expected: "IP addresses or ranges, such as 10.0.0.2 or 10.0.0.0/8",
            check: { NetworkRange($0) != nil }
        )
    ).help(
        "A proxy whose X-Forwarded headers are trusted.",
        more: "An address or a range. The headers are `X-Forwarded-For` and `X-Forwarded-Proto`."
    )
    let importRealm = Entry("import-realm", list: .path("paths of realm files"))
        .help(
            "Import new realms from this file.",
            more: "Existing realms stay as they are. A broken file stops the start."
        )
    let importSubstitute = Entry("import-substitute", .onOff, default: false).help(
        "Whether placeholders in those files are replaced from the environment: on or off.",
        more:
            "`${NAME}`, `${NAME:default}` and `$(env:NAME)`. Otherwise a file that has one is refused."
    )
    let backchannelAllow = Entry(
        "backchannel-allow",
        list: .text(
            "host:port",
            expected: "hosts with their ports, such as 10.0.0.7:8443 or app.internal:443",
            check: { NamedHost($0) != nil }
        )
    ).help(
        "A client's host at a private address that may be notified of logouts.",
        more: "A host with its port, such as `10.0.0.7:8443`."
    )
    let providersAllow = Entry(
        "providers-allow",
        list: .text(
            "host:port",
            expected: "hosts with their ports, such as 10.0.0.7:8443 or sso.internal:443",
            check: { NamedHost($0) != nil }
        )
    ).help(
        "An identity provider of a realm's file at a private address.",
        more: "A host with its port, such as `sso.internal:443`."
    )
    let testNetwork = Entry("test-network", .file)
        .help(
            "A file with names whose servers are on this machine.",
            more: "For trials without the public network: see [a test network](#a-test-network)."
        )

    let adminREST = Entry("admin.rest", .onOff, default: false)
        .help(
            "Whether realms are administered over HTTP too: on or off.",
            more: "At `/admin/`, as in Keycloak: see [the admin REST API](admin-rest.md)."
        )
    let adminMaster = Entry("admin.master", .onOff, default: false)
        .help(
            "Whether administrators of the realm master administer all realms: on or off.",
            more: "If there is no such realm, it is made, with its client `admin-cli`."
        )
    let adminPasswordGrant = Entry("admin.password-grant", .onOff, default: false).help(
        "Whether admin-cli of the realm master may send people's passwords: on or off.",
        more: "For scripts that know no other way. Not for people with a second factor."
    )

    let logLevel = Entry("log.level", .choice("level", of: Logger.Level.allCases), default: .info)
        .help("What to log: trace, debug, info, notice, warning, error or critical.")
    let logFormat = Entry("log.format", .choice("format", of: LogFormat.allCases), default: .logfmt)
        .help("The format of the log: logfmt or json.")

    let hashingThreads = Entry("hashing.threads", .number(1...64, "count"), default: 2)
        .help("Passwords to hash at once.", more: "Each takes 19 MiB and about 20 ms of a core.")
    let hashingQueue = Entry("hashing.queue", .number(0...10_000, "count"), default: 32)
        .help("Passwords that may wait to be hashed.", more: "The answer to any more is 503.")

    let limitConnections = Entry(
        "limits.connections",
        .number(16...100_000, "count"),
        none: "what the open files allow, at most 8192"
    ).help(
        "Connections that may be open at once.",
        more: "Fewer where the open files do not allow as many."
    )
    let limitBody = Entry("limits.body", .number(4096...16_777_216, "bytes"), default: 65_536)
        .help(
            "The longest request body, in bytes.",
            more: """
                The backend never accepts more than 4194304 bytes at `/bff/NAME/`, or 65536 at its \
                other addresses. At `/xrpc/`, see `limits.upload`.
                """
        )
    let limitUpload = Entry(
        "limits.upload",
        .number(0...1_073_741_824, "bytes"),
        default: 52_428_800
    ).help(
        "The longest body that an app may send to a person's host, in bytes.",
        more: """
            At `/xrpc/`, from people who are signed in. What is longer than 1048576 bytes waits in the \
            data directory, all of it together in 20 times this number. 0: no more than `limits.body`.
            """
    )
    let limitRequestSeconds = Entry(
        "limits.request-seconds",
        .number(1...600, "seconds"),
        default: 10
    )
    .help(
        "How long a request may take to arrive.",
        more: "The head and the body each have this long."
    )
    let limitIdleSeconds = Entry("limits.idle-seconds", .number(1...3600, "seconds"), default: 75)
        .help("How long a connection may be idle between requests.")
    let limitSignIns = Entry("limits.sign-ins", .number(1...10_000, "count"), default: 5)
        .help(
            "Sign-ins that one browser may begin at the backend in a minute.",
            more: "At each provider. The answer to any more is 429."
        )
    let limitSignInsOfAddress = Entry(
        "limits.sign-ins-of-address",
        .number(1...100_000, "count"),
        default: 60
    ).help(
        "The same, for all browsers at one address together.",
        more:
            "A whole office, or a whole mobile network, may share one. Native sign-ins of apps, and their nonces, are counted by it as well."
    )

    // ``OutgoingMail`` checks what the settings of mail say together.
    let mailFrom = Entry(
        "mail.from",
        .init(
            "address",
            expected: "an address, or Name <address>, such as Example <portico@example.com>",
            read: { try MailSender($0) },
            show: { sender in
                sender.name.map { "\($0) <\(sender.address.text)>" } ?? sender.address.text
            }
        )
    ).help("The sender of emails.", more: "An address, or `Name <address>`.")
    let mailSMTP = Entry(
        "mail.smtp",
        .init(
            "url",
            expected: "smtps://USER@HOST:465, or smtp://USER@HOST:587, without a password",
            read: { try SMTPServer($0) },
            show: { $0.text }
        ),
        mayHoldSecret: true
    ).help(
        "The mail server to send with.",
        more: "`smtps://user@host:465`, or `smtp://user@host:587`, where STARTTLS is required."
    )
    let mailPasswordFile = Entry("mail.password-file", .file)
        .help("A file with the mail server's password.", more: "Its mode must be 0600.")
    let mailCAFile = Entry("mail.ca-file", .file, none: "the system's")
        .help("Certificates to trust for the mail server.", more: "In PEM.")
    let mailSendmail = Entry("mail.sendmail", .file)
        .help(
            "A program to send email with, instead of a mail server.",
            more: "It is called like `sendmail -i`."
        )

    let serviceName = Entry(
        "service.name",
        .text("name", expected: "a name of 1 to 60 characters") {
            (1...60).contains($0.count) && !$0.contains(where: \.isNewline)
        },
        default: "Portico"
    ).help("The name of your service, as people know it.")
    let serviceContact = Entry(
        "service.contact",
        .text("address", expected: "an email address or an https address") { text in
            (text.hasPrefix("https://") || text.hasBytes("@"))
                && text.utf8.allSatisfy { $0.isVisible }
        }
    ).help("Where people get help: an email address or an https address.")
    let servicePrivacy = Entry("service.privacy", .link)
        .help("Your privacy notice: an https address.", more: "The help page links to it.")
    let serviceTerms = Entry("service.terms", .link)
        .help("Your terms: an https address.", more: "The help and welcome pages link to them.")

    let isSignUpOpen = Entry(
        "accounts.sign-up",
        .choice("rule", yes: "open", no: "closed"),
        default: true
    ).help("Whether new people get an account: open or closed.")
    let linking = Entry(
        "accounts.linking",
        .choice("rule", of: [AccountRules.Linking.ask, .auto]),
        default: .ask
    ).help(
        "How to connect a second provider that has an account's address: ask or auto.",
        more: """
            With `ask` the person decides. With `auto` it is connected if both sides have proven the \
            address, by a code sent to it or as a provider with authority over the mailbox.
            """
    )

    let apis = Entry(
        "bff.apis",
        option: "bff-api",
        list: .init(
            "name=address,provider",
            expected:
                "NAME=ADDRESS,PROVIDER, such as orders=https://orders.example.com,keycloak",
            read: { try ProxiedAPI($0) },
            show: { $0.text }
        )
    ).help(
        "An API of yours to serve at /bff/NAME/.",
        more: "`NAME=ADDRESS,PROVIDER`; requests carry that provider's access token."
    )

    let sidPasswordFile = Entry(
        "sid.password-file",
        .file,
        none: "`seal-passwords` in the data folder"
    ).help(
        "A file with the passwords of the cookie sid.",
        more: """
            A line for each, the newest last: an id, a space, the password, of 32 characters at \
            least. Its mode must be 0600.
            """
    )

    let sidDays = Entry("sid.days", .number(1...90, "days"), default: 14)
        .help(
            "How many days a sign-in by internet handle lasts unused.",
            more: "And with it the cookie sid. It ends after 90 days in any case."
        )

    let pagesHome = Entry(
        "pages.home",
        .text(
            "path",
            expected: "a path on the backend's host that is no page of sign-ins, such as /app",
            check: { ServiceIdentity.isHome($0) }
        ),
        none: "`/dashboard`"
    ).help(
        "Where people go after a sign-in that names no other place.",
        more: "A path of your service on the same host. Without it they see a page of ours."
    )

    let pagesOnboarding = Entry(
        "pages.onboarding",
        .text(
            "path",
            expected: "a path on the backend's host that is no page of sign-ins, or off",
            check: { ServiceIdentity.Onboarding($0) != nil }
        ),
        none: "`/onboarding`"
    ).help(
        "Where a person with a new account goes first, or off.",
        more: "Your page gets `return_to`, and leads there. With `off` they go there at once."
    )
    let pagesLight = Entry(
        "pages.light",
        .properties(
            "NAME=VALUE, such as accent=#2450a8, radius=4px or font=Inter",
            names: PageColour.allCases.map(\.rawValue) + ["radius", "font"],
            check: { try PageTheme(light: $0) }
        ),
        default: [:]
    ).help(
        "A colour, the radius or the font of pages.",
        more:
            "`NAME=VALUE`, such as `accent=#2450a8`; the names are in [the theme](pages.md#theme)."
    )
    let pagesDark = Entry(
        "pages.dark",
        .properties(
            "NAME=VALUE for the dark scheme, such as accent=#a3bdf7",
            names: PageColour.allCases.map(\.rawValue),
            check: { try PageTheme(dark: $0) }
        ),
        default: [:]
    ).help("A colour of pages in the dark scheme.", more: "`NAME=VALUE`.")
    let pagesLogo = Entry("pages.logo", .file)
        .help("A logo beside the service's name.", more: "SVG, PNG, JPEG or WebP, 256 KiB at most.")
    let pagesBrand = Entry("pages.brand", .folder).help(
        "A folder with identity providers' logos.",
        more: "`apple.svg`, `google.svg`, `facebook.svg`, or the same names as PNG, JPEG or WebP."
    )
}
