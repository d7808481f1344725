import PorticoBytes
package import PorticoStores

/// The rules for new passwords (NIST SP 800-63B §3.1.1.2; OWASP ASVS 6.2): length and a list of bad
/// ones, no rules about kinds of characters.
package struct PasswordPolicy: Sendable {
    package init() {}

    package enum Refusal: Error, Hashable, Sendable {
        case tooShort
        case tooLong
        case common
        /// It contains the person's own name or address, or the realm's.
        case containsName

        /// One English sentence for the person who sets the password.
        package var description: StaticString {
            switch self {
            case .tooShort: "A password needs at least 8 characters."
            case .tooLong: "A password has at most 1024 bytes."
            case .common: "This password is one of those that are guessed first."
            case .containsName: "A password must not be made of the name or address it protects."
            }
        }
    }

    /// The shortest password in characters.
    package static let minimumLength = 8

    /// - Throws: The first rule that the password breaks.
    package func check(_ text: String, for person: Person, in realmName: String) throws(Refusal)
        -> PasswordText
    {
        guard let password = PasswordText(text) else { throw .tooLong }
        guard password.characterCount >= Self.minimumLength else { throw .tooShort }
        let folded = password.folded
        guard !CommonPasswords.contains(folded) else { throw .common }
        let address = person.email?.split(separator: "@").first.map(String.init)
        for word in [person.username, address, person.givenName, person.familyName, realmName] {
            guard let word = word?.lowercased(), word.count >= 4 else { continue }
            // The rest without the name must be a password by itself.
            let rest = folded.replacing(word, with: "")
            guard rest == folded || rest.count >= Self.minimumLength else { throw .containsName }
        }
        return password
    }
}

/// The passwords that are guessed first.
enum CommonPasswords {
    /// - Parameter folded: The password in lower case.
    static func contains(_ folded: String) -> Bool {
        if isRun(folded) { return true }
        // "password123", "password2024!", "!!qwerty!!", "P@ssw0rd!", "1loveyou"
        let stem = stem(of: folded)
        return [stem, stem.map(plain), self.stem(of: plain(folded))]
            .contains { $0.map(words.contains) ?? false }
    }

    /// The text without non-letters at its ends, if these are at most five characters.
    private static func stem(of text: String) -> String? {
        let stem = text.drop { !$0.isLetter }.reversed().drop { !$0.isLetter }.reversed()
        return text.count - stem.count <= 5 ? String(stem) : nil
    }

    /// "11111111", "12345678", "abcdefgh", "87654321", "abababab".
    private static func isRun(_ folded: String) -> Bool {
        let scalars = folded.unicodeScalars.map { Int($0.value) }
        guard scalars.count >= 2 else { return true }
        let steps = zip(scalars, scalars.dropFirst()).map { $1 - $0 }
        if Set(steps).count == 1, abs(steps[0]) <= 1 { return true }
        // "1234567890" wraps around, "12341234" starts again.
        if steps.count(where: { $0 == 1 || $0 == 0 }) >= steps.count - 1 { return true }
        return Set(scalars).count <= 2
    }

    /// "p@ssw0rd" is "password".
    private static func plain(_ folded: String) -> String {
        String(
            folded.map { character in
                switch character {
                case "@": "a"
                case "0": "o"
                case "1", "!": "i"
                case "3": "e"
                case "$", "5": "s"
                default: character
                }
            }
        )
    }

    private static let words: Set<String> = Set(
        """
        password passwort passw passwords iloveyou princess sunshine football baseball
        basketball superman batman trustno welcome welcomeback letmein letmeinnow monkey dragon
        master shadow michael jennifer jordan hunter killer charlie qwerty qwertyui qwertyuiop
        qwertz qwertzui qwertzuiop azerty azertyuiop asdfgh asdfghjk asdfghjkl zxcvbn zxcvbnm
        yxcvbnm qazwsx qazwsxedc iqazowsx iqazzwsx qweasd qweasdzxc zaqwsx starwars pokemon naruto
        computer internet samsung google facebook whatsapp microsoft windows android iphone
        administrator admin adminadmin root rootroot toor guest test testtest tester testing changeme
        changeit default secret secretsecret topsecret login loginlogin access mypassword
        yourpassword newpassword oldpassword hello hellohello helloworld freedom whatever forever
        liverpool arsenal chelsea barcelona realmadrid juventus bayern manchester hannover
        schalke dortmund summer winter spring autumn sommer herbst fruehling monday tuesday
        wednesday thursday friday saturday sunday january february march april august september
        october november december flower butterfly chocolate cookie pepper ginger buster daniel
        andrew joshua matthew ashley jessica nicole samantha michelle amanda thomas robert george
        maggie tigger snoopy mickey babygirl lovely loveme iloveme ilovegod jesus jesuschrist god
        blessed angel angels anthony william patrick alexander christian hallo hallohallo schatz
        schatzi geheim ficken arschloch portico keycloak company corporate business office
        """
        .split(whereSeparator: \.isWhitespace).map(String.init)
    )
}

/// A typed password, normalised (Unicode NFC) in the same manner when it is set and when it is
/// checked; and as it was typed, for hashes of servers that do not normalise.
package struct PasswordText: Sendable {
    private let secret: SecretText
    private let typed: SecretText

    /// The longest password in bytes: a limit against denial of service by hashing.
    package static let maximumLength = NormalForm.longest

    /// - Returns: `nil` if the text is longer than ``maximumLength``. It is never cut.
    package init?(_ text: String) {
        guard let normal = NormalForm.nfc(text) else { return nil }
        secret = SecretText(normal)
        typed = SecretText(text)
    }

    package var bytes: [UInt8] { Array(secret.reveal().utf8) }

    /// The bytes that a hash may have been made from: as typed, and ``bytes`` if they differ.
    var candidates: [[UInt8]] {
        let typed = Array(typed.reveal().utf8)
        return typed == bytes ? [bytes] : [typed, bytes]
    }

    /// The number of visible characters.
    package var characterCount: Int { secret.reveal().count }

    /// For comparing with lists of bad passwords.
    var folded: String { secret.reveal().lowercased() }
}
