/// Words of the account pages that list sign-in methods, devices and apps.
struct ListWords: WordGroup {
    let methodsIntro: Phrase
    let yours: Phrase
    let more: Phrase
    let added: JoinedText
    let removeMethod: NamedText
    let onlyOne: Phrase
    let onlyOneProblem: Phrase
    /// Of a provider that is disabled, or not set up any more.
    let unavailable: Phrase
    let methodAdded: NamedText
    let methodRemoved: NamedText
    let addWhat: Phrase
    let devicesIntro: Phrase
    let thisDevice: Phrase
    /// One that did not send its name.
    let unknownDevice: Phrase
    let inApp: NamedText
    let seen: JoinedText
    let address: ExactText
    let end: Phrase
    let endOthers: Phrase
    let ended: Phrase
    let othersEnded: Phrase
    let noOthers: Phrase
    let appsIntro: Phrase
    let noApps: Phrase
    /// Stands before a list of what an app may do.
    let may: Phrase
    let allowed: JoinedText
    let used: JoinedText
    let removeApp: NamedText
    let appRemoved: NamedText
    let appRemovedNext: Phrase
    /// Of one of several sessions of an app.
}
