/// Words of the pages on which a code is typed or shown.
struct CodeWords: WordGroup {
    let heading: Phrase
    let sent: ExactText
    let label: Phrase
    let lasts: JoinedText
    let confirm: Phrase
    let sendAgain: Phrase
    let changeAddress: Phrase
    let sentAgain: Phrase
    let problem: Phrase
    let missing: Phrase
    let wrong: JoinedText
    let tries: CountedText
    let expired: Phrase
    let used: Phrase
    let tooMany: Phrase
    let confirmFirst: Phrase
    let confirmWhy: ExactText
    let send: Phrase
    let elsewhereAsked: Phrase
    let elsewhereWhy: Phrase
    let elsewhereDoubt: Phrase
    let show: Phrase
    let elsewhere: Phrase
    let elsewhereAdvice: Phrase
    let linkAsked: Phrase
    let linkWhy: ExactText
    let linkAccount: Phrase
    let linkProves: ExactText
    let linkSignIn: Phrase
    let linkDemands: Phrase
    let linkDemanded: Phrase
    let linkDone: Phrase
    let linkDoneWhat: Phrase
    let linkOver: Phrase
}

/// Words of the account pages about second factors.
struct FactorWords: WordGroup {
    let intro: Phrase
    let none: Phrase
    let demanded: Phrase
    let app: Phrase
    let add: Phrase
    let addAnother: Phrase
    let remove: Phrase
    let codes: Phrase
    let left: CountedText
    let makeCodes: Phrase
    let replaceCodes: Phrase
    let added: Phrase
    let removed: Phrase
    let full: Phrase
    let goOn: Phrase
    let setup: Phrase
    let setupKey: Phrase
    let qrCode: Phrase
    let endOthersWhy: Phrase
    let codesNext: Phrase
    let codesWhy: Phrase
    let codesLater: Phrase
    let openApp: Phrase
    let key: Phrase
    let setupCode: Phrase
    let newCodes: Phrase
    let newCodesWhat: Phrase
    let newCodesOnce: Phrase
    let newCodesReplace: Phrase
    let copy: Phrase
    let print: Phrase
    let download: Phrase
    let copied: Phrase
    let saved: Phrase
}

/// Words of the mails.
struct MailWords: WordGroup {
    struct Mail: WordGroup {
        let subject: FilledText
        /// A paragraph each.
        let lines: TextList
    }

    /// What a code does, said in front of it.
    struct Purposes: WordGroup {
        let confirmAddress: FilledText
        let claimAccount: FilledText
        let confirmItsYou: FilledText
    }

    let greeting: Phrase
    let deviceAndTime: FilledText
    let purpose: Purposes
    let confirmationCode: Mail
    let emailChanged: Mail
    let newDevice: Mail
    let methodAdded: Mail
    let methodRemoved: Mail
    let passwordReset: Mail
    let accountActions: Mail
    let passwordChanged: Mail
    let accountReclaimed: Mail
    let alreadyRegistered: Mail
    let secondFactorAdded: Mail
    let secondFactorRemoved: Mail
    let recoveryCodesMade: Mail
    let accountDeleted: Mail
}
