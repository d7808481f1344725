import Foundation
import Testing

/// Rules for every source that a reader of one file cannot check.
@Suite("Rules for all sources")
struct SourceRuleTests {
    /// The files whose code holds any of the words, comments left out, without those that may.
    private func files(
        with words: [String],
        in folder: String = "Sources/",
        except allowed: Set<String> = []
    ) -> [String] {
        let code = Project.code.filter { $0.key.hasPrefix(folder) }
        #expect(!code.isEmpty, "\(folder)")
        return code.mapValues(Project.withoutComments)
            .filter { file in words.contains { file.value.contains($0) } }
            .keys.filter { !allowed.contains($0) }.sorted()
    }

    @Test("no optional marks a kind of client or realm; where a client is from, few ask")
    func kinds() {
        let kinds = ["keycloak", "documented", "atProtocol"].flatMap {
            ["\($0) == nil", "\($0) != nil"]
        }
        for target in ["PorticoProvider", "PorticoStores"] {
            #expect(files(with: kinds, in: "Sources/\(target)/").isEmpty)
        }
        let asking: Set = [
            "Sources/PorticoStores/Realms/Client.swift",
            "Sources/PorticoStores/Realms/RealmStore+Clients.swift",
            "Sources/PorticoStores/Schema/ClientMembers.swift",
            "Sources/PorticoAdministration/Registration/ClientRegistration.swift",
            "Sources/PorticoProvider/Browser/BrowserFlow+Pages.swift",
        ]
        #expect(files(with: ["source == .", "source != ."], except: asking).isEmpty)
    }

    @Test("RFC 8252 §8.12: no source of ours can show a web page within an app")
    func webViews() {
        #expect(files(with: ["WebKit", "WKWebView", "UIWebView", "WebView("]).isEmpty)
    }

    @Test("RFC 8252 §8.5: the library for apps has no place for a client secret")
    func secrets() {
        let words = ["client_secret", "clientSecret", "client_assertion", "clientAssertion"]
        #expect(files(with: words, in: "Sources/Portico/").isEmpty)
    }

    @Test("The privacy manifest names what Apple asks a reason for, and nothing else")
    func privacyManifest() throws {
        // Apple's list of required-reason APIs, by category.
        let listed = [
            "FileTimestamp": [
                "creationDate", "modificationDate", "fileModificationDate", "getattrlist", "stat(",
                "fstatat(", "lstat(", "attributesOfItem",
            ],
            "SystemBootTime": ["systemUptime", "mach_absolute_time"],
            "DiskSpace": [
                "volumeAvailableCapacity", "volumeTotalCapacity", "systemFreeSize", "systemSize",
                "statfs(", "statvfs(",
            ],
            "ActiveKeyboards": ["activeInputModes"],
            "UserDefaults": ["UserDefaults"],
        ]
        let folders = [
            "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoURLSession", "Portico",
        ]
        let used = listed.filter { _, words in
            folders.contains { !files(with: words, in: "Sources/\($0)/").isEmpty }
        }
        let manifest = try Project.text("Sources/PorticoPrivacy/PrivacyInfo.xcprivacy")
        let named = manifest.matches(of: /NSPrivacyAccessedAPICategory(\w+)/).map { String($0.1) }
        #expect(Set(named) == Set(used.keys))
        #expect(named == ["FileTimestamp"])
        // Of files in the app's own container.
        #expect(manifest.contains("<string>C617.1</string>"))
    }

    @Test("WEB-CRYPT-1: chance comes from the system's generator, by way of one file")
    func chance() {
        let words = ["SystemRandomNumberGenerator", ".random(in", "randomElement", "UUID()"]
        #expect(files(with: words, except: ["Sources/PorticoBytes/RandomSource.swift"]).isEmpty)
    }

    @Test("Time is read where clocks are made, and given to every rule")
    func time() {
        let clocks: Set = [
            "Sources/PorticoBytes/Moment.swift", "Sources/Portico/SignInClient.swift",
            "Sources/Portico/Backend/BackendClient.swift",
        ]
        let found = files(
            with: ["Date()", "Date.now", "Date(timeIntervalSinceNow"],
            except: clocks
        )
        #expect(found.filter { !$0.contains("/PorticoProgram/") }.isEmpty)
    }

    /// What takes apart requests, and answers of others.
    private static let readers = [
        "Bytes", "Protocol", "Web", "Administration", "Provider", "SignIn", "Backend", "Upstream",
        "Hummingbird", "ATProtocol",
    ].map { "Sources/Portico\($0)/" }

    @Test("WEB-INPUT-1: bytes of strangers become text in few places, and each of them is bounded")
    func foreignText() {
        let words = ["String(validating:", "String(decoding:", "String(cString:", "String(bytes:"]
        let found = Self.readers.flatMap { files(with: words, in: $0) }
        let bounded: Set = [
            // The rule itself, and the two readers that keep it: of forms and of JSON.
            "Sources/PorticoBytes/ForeignText.swift", "Sources/PorticoProtocol/FormEncoding.swift",
            "Sources/PorticoProtocol/JSON/JSONParser.swift",
            // ASCII that was checked before, or is cut to a few bytes.
            "Sources/PorticoBytes/Base32.swift",
            "Sources/PorticoBytes/Base64.swift", "Sources/PorticoBytes/Base64URL.swift",
            "Sources/PorticoBytes/Hexadecimal.swift",
            "Sources/PorticoBytes/UniqueID.swift",
            "Sources/PorticoWeb/Requests/RequestID.swift",
            // Out of a text that is bounded already.
            "Sources/PorticoProtocol/Authorization/AuthorizationResponse.swift",
            "Sources/PorticoProtocol/HTTP/AuthenticationChallenge.swift",
            "Sources/PorticoProtocol/Token/ErrorResponse.swift",
            "Sources/PorticoProtocol/Rules/OriginPattern.swift",
            "Sources/PorticoProtocol/Rules/RedirectPattern.swift",
            "Sources/PorticoProtocol/Rules/RedirectPatterns.swift",
            "Sources/PorticoProtocol/Rules/RedirectURI.swift",
            "Sources/PorticoProtocol/Rules/RequestedRedirect.swift",
            "Sources/PorticoAdministration/Registration/WebOrigin.swift",
            "Sources/PorticoProvider/SecondFactor/AuthenticatorSetup.swift",
            "Sources/PorticoWeb/Cookies/CookiePolicy.swift",
            "Sources/PorticoWeb/Errors/CORSPolicy.swift",
            // What we wrote or sealed ourselves.
            "Sources/PorticoAdministration/Passwords/KeycloakHash.swift",
            "Sources/PorticoSignIn/Accounts/EmailCodes.swift",
            "Sources/PorticoSignIn/Accounts/ProviderTokens.swift",
            "Sources/PorticoBackend/Endpoints/NativeEndpoint.swift",
            "Sources/PorticoBackend/Handles/HandleCompletion.swift",
            "Sources/PorticoSignIn/Mail/MailText+Draft.swift",
            "Sources/PorticoSignIn/Configuration/ProviderConnection.swift",
            "Sources/PorticoProtocol/DPoP/DPoPKey.swift",
            "Sources/PorticoProtocol/JOSE/SigningKey.swift",
            "Sources/PorticoProtocol/Authorization/ClaimsRequest.swift",
            "Sources/PorticoAdministration/Passwords/OneTimePassword.swift",
            "Sources/PorticoProvider/SecondFactor/RecoveryCodes.swift",
            "Sources/PorticoProvider/Tokens/RequestedClaims.swift",
            "Sources/PorticoProvider/Mailboxes/TypedAddressSeal.swift",
            "Sources/PorticoWeb/Cookies/KnownDevice.swift",
        ]
        #expect(found.filter { !bounded.contains($0) }.isEmpty)
        #expect(bounded.subtracting(found).isEmpty)
    }

    @Test("WEB-INPUT-1: words of the wire are looked up by bytes, not as Swift compares texts")
    func wireWords() {
        let found = Self.readers.flatMap { files(with: ["(rawValue: "], in: $0) }
        let others: Set = [
            // Codes that are texts themselves.
            "Sources/PorticoProtocol/OAuthError.swift",
            "Sources/PorticoProtocol/Token/ErrorResponse.swift",
            "Sources/PorticoAdministration/Registration/ClientRegistrationRefusal.swift",
            "Sources/PorticoUpstream/People/FacebookGraph.swift",
            // A path, which is ASCII; a row of ours.
            "Sources/PorticoWeb/Service/RouteTable.swift",
            "Sources/PorticoSignIn/Configuration/ProviderConnection.swift",
            // A number.
            "Sources/PorticoAdministration/Registration/StandardClaims.swift",
            "Sources/PorticoProvider/Tokens/AuthorizationCode.swift",
        ]
        #expect(found.filter { !others.contains($0) }.isEmpty)
    }

    @Test("WEB-INPUT-1: tables that strangers fill have keys of a fixed size")
    func limitKeys() {
        let folder = "Sources/PorticoWeb/Limits/"
        #expect(files(with: ["[String:", "Set<String>", "<String,"], in: folder).isEmpty)
    }

    @Test("Every error of the services says its own answer, or is caught before one is needed")
    func refusals() {
        // With where they are caught.
        let caught: Set = [
            // ProviderService and HTTPService render what is within.
            "ProgramRefusal", "ErrorAfterSignIn",
            // ClientAuthenticator, TokenEndpoint and BrowserFlow.
            "UnprovenClient", "ReplayRefusal", "RequestAnswered",
            // Commands of the program.
            "Failure",
            // ProtocolMappers, which lists it.
            "ProtocolMapperError",
            // The endpoints that call what throws them.
            "SignInFailure", "KeyIsGone", "SecondStepWanted", "SignedRequestTooOld", "CodeSpent",
            "SwapRefusal",
            // ClientDocuments itself.
            "FullHost",
            // HandleTokens and HandleRevocation.
            "HandleServerFailure", "HandleRefreshFailure",
            // HandleLogin and HandleCallback; ProviderDirectory, and commands.
            "HandleFault", "HandleProviderRefusal",
            // The import of a realm, which says where it stands.
            "KeycloakHashError",
        ]
        let services = [
            "Sources/PorticoProvider/", "Sources/PorticoSignIn/", "Sources/PorticoBackend/",
        ]
        for (path, text) in Project.code
        where services.contains(where: path.hasPrefix) && !path.contains("/Administration/") {
            let code = Project.withoutComments(text)
            for match in code.matches(of: /(?:struct|enum) (\w+): (?:\w+, )?Error\b/) {
                let name = String(match.1)
                // What registration refuses, the commands say.
                guard name != "Refusal" else { continue }
                #expect(caught.contains(name), "\(path): \(name) is no Refusal")
            }
        }
    }

    @Test("attack H12: nothing from outside is trusted to be there, or to be what is expected")
    func traps() {
        // Force unwraps are the formatter's to refuse, in scripts/check.
        #expect(
            files(with: ["try!", " as! ", "fatalErr" + "or(", "precondition(", "assert("]).isEmpty
        )
        let programmersErrors: Set = [
            "Sources/PorticoSeals/Seal.swift", "Sources/PorticoSeals/SealedAtRest.swift",
            "Sources/PorticoProtocol/HTTP/FieldNames.swift",
            // A property of Words that is no text.
            "Sources/PorticoPages/Words/Words.swift",
            // A system without randomness.
            "Sources/PorticoBytes/RandomSource.swift",
            // A person without a subject, in a test's or a preview's own code.
            "Sources/PorticoTesting/Session+Preview.swift",
        ]
        #expect(files(with: ["preconditionFailure("], except: programmersErrors).isEmpty)
        // A trap in one test would end all the others. Written apart, not to find itself.
        let tests = Project.tests.mapValues(Project.withoutComments)
        #expect(tests.filter { $0.value.contains("fatalErr" + "or(") }.isEmpty)
    }

    @Test("what the formatter refuses includes every trap that a line can hide")
    func formatter() throws {
        let configuration = try Project.text(".swift-format")
        for rule in [
            "NeverForceUnwrap", "NeverUseForceTry", "NeverUseImplicitlyUnwrappedOptionals",
        ] {
            #expect(configuration.contains("\"\(rule)\": true"))
        }
    }

    @Test("the program writes to its streams in one place, and no one else writes to them")
    func output() {
        let streams = [" print(", "STDOUT_FILENO", "STDERR_FILENO", "standardOutput", "NSLog("]
        let places: Set = [
            "Sources/PorticoProgram/Output/Console.swift",
            "Sources/PorticoProgram/Output/Table.swift",
            // A script's own: the browser prints the page.
            "Sources/PorticoPages/Account/RecoveryCodesPage.swift",
        ]
        #expect(files(with: streams, except: places).isEmpty)
    }

    @Test("no Codable and no base64 of Foundation's on what strangers send")
    func parsers() {
        let words = [
            "Codable", "Decodable", "JSONDecoder", "JSONEncoder", "JSONSerialization",
            "base64Encoded", "URLComponents", "CharacterSet",
        ]
        let places: Set = [
            // Into a type of the app's own, from an answer that our parser has read.
            "Sources/Portico/Session/Session+UserInfo.swift",
            // From a file of ours that the binary holds.
            "Sources/PorticoPages/Words/Texts.swift",
            "Sources/PorticoPages/Words/WordsDecoder.swift",
            // The hash of our own style, for its header.
            "Sources/PorticoBytes/InlineSource.swift",
        ]
        #expect(files(with: words, except: places).isEmpty)
    }

    @Test("nothing changes behind a type's back: no singletons, no unchecked sharing")
    func shared() {
        let places: Set = [
            "Sources/PorticoBytes/Locked.swift", "Sources/PorticoSQLite/CommitQueue.swift",
            "Sources/PorticoSQLite/SQLiteConnection.swift",
            "Sources/PorticoProtocol/JOSE/RSAKey+Security.swift",
            // A handle of libcurl's, which one thread at a time has.
            "Sources/PorticoOutbound/CurlExchange.swift",
            // The address of a text that stays as it is for good.
            "Sources/PorticoStores/SQL/SQLText.swift",
        ]
        let words = ["@unchecked", "nonisolated(unsafe)", "@preconcurrency", "static let shared"]
        #expect(files(with: words, except: places).isEmpty)
        for (path, text) in Project.code {
            #expect(!text.contains(/static var \w+(?:: [^{\n]+)? =/), "\(path)")
        }
    }

    @Test("a `try?` says why losing the error is right")
    func lostErrors() {
        for (path, text) in Project.code {
            let lines = text.components(separatedBy: "\n")
            for (index, line) in lines.enumerated()
            where Project.withoutComments(line).contains(/\btry\?/) {
                // On its line, or in the comment above the statement it belongs to.
                let nearby = lines[max(0, index - 12)...index]
                #expect(
                    nearby.contains { $0.contains("//") && $0.contains("`try?`") },
                    "\(path):\(index + 1)"
                )
            }
        }
    }

    @Test("one concept or one aggregate a file: at most 500 lines, and no fifth mark")
    func length() {
        for (path, text) in Project.code {
            #expect(text.components(separatedBy: "\n").count <= 501, "\(path)")
            #expect(text.matches(of: /\/\/ MARK:/).count < 5, "\(path)")
        }
    }

    @Test("names say what a thing is: no Manager, Helper, Util, Data or Info")
    func names() {
        for (path, text) in Project.code.merging(Project.tests, uniquingKeysWith: { one, _ in one })
        where !path.hasPrefix("Tests/Apple/StandIns/") {
            let names = text.matches(of: /\b(?:struct|class|enum|actor|protocol|typealias) (\w+)/)
            for name in names.map(\.1) where name.contains(/(Manager|Helpers?|Util\w*|Data|Info)$/)
            {
                // OpenID Connect Core §5.3 calls it so.
                #expect(name.hasSuffix("UserInfo"), "\(path): \(name)")
            }
        }
    }

    @Test("nothing of the machine that a source was written on stands in it")
    func machines() {
        let everything = [Project.code, Project.scripts, Project.tests, Project.examples].flatMap(
            \.self
        )
        // Written apart, so that this file does not find itself.
        let homes = ["/wor" + "k/", "/ho" + "me/", "/Use" + "rs/", "/ro" + "ot/"]
        for (path, text) in everything {
            #expect(!homes.contains { text.contains($0) }, "\(path)")
        }
    }

    @Test("a test that reads files from outside says that it is to be looked at by hand")
    func outsideFiles() {
        // `.ci/run` lets only these be skipped.
        for (path, text) in Project.tests {
            let condition = /\.enabled\(if: [\w.]*(?:fixtures|[fF]older) != nil, "(.*?)"/
            for reason in text.matches(of: condition).map(\.1) {
                #expect(reason.hasSuffix("from outside, to be looked at by hand"), "\(path)")
            }
        }
    }

    @Test("cookies are SameSite=Lax, and one function writes their attributes")
    func cookies() {
        // A script of ours tries whether one would be kept, and removes it again.
        let trial: Set = ["Sources/PorticoPages/Frame/HiddenFrame.swift"]
        let writers = files(with: ["SameSite", "HttpOnly"], except: trial)
        #expect(writers == ["Sources/PorticoWeb/Cookies/CookiePolicy.swift"])
        #expect(files(with: ["SameSite=None", "SameSite=Strict"]).isEmpty)
    }

    @Test(
        "attacks B26, C27: the Provider fetches nothing that a request names, but documents of clients"
    )
    func nothingIsFetched() {
        let words = [
            "HTTPTransport", "URLSession", "AsyncHTTPClient", "PorticoOutbound", "HTTPClient(",
            "ClientBootstrap", "CCurl",
        ]
        #expect(files(with: words, in: "Sources/PorticoWeb/").isEmpty)
        // It tells clients of logouts, at addresses that the operator registered; nothing of an
        // answer is kept. It fetches documents of clients, in realms that take them.
        #expect(
            files(with: words, in: "Sources/PorticoProvider/")
                == [
                    "Sources/PorticoProvider/Clients/ClientDocuments.swift",
                    "Sources/PorticoProvider/Logout/BackchannelLogout.swift",
                    "Sources/PorticoProvider/Provider.swift",
                ]
        )
    }

    @Test("WEB-CMP-1: secrets are compared by the one function that takes the same time for all")
    func constantTime() throws {
        let code = Project.code.mapValues(Project.withoutComments)
        for path in [
            "PorticoBytes/SecretText", "PorticoBytes/Hash256", "PorticoProtocol/Rules/PKCE",
            "PorticoAdministration/Keys/StoredSecrets", "PorticoProvider/Tokens/RefreshToken",
            "PorticoWeb/Forms/FormToken",
        ] {
            let text = try #require(code["Sources/\(path).swift"], "\(path)")
            #expect(text.contains("ConstantTime.equal("), "\(path)")
        }
        // Outside its own type no one compares what a secret reveals.
        for (path, text) in code {
            #expect(
                text.firstMatch(of: /reveal(Stored)?\(\)\s*[=!]=|[=!]=\s*[\w.]*reveal(Stored)?\(\)/)
                    == nil,
                "\(path)"
            )
        }
    }
}
