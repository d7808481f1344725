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
