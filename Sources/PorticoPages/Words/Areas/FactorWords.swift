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
