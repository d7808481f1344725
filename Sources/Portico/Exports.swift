// An app that imports Portico can name the few public types of the vocabulary below it
// (HTTPTransport, ProviderMetadata, Scope, Roles) without a second import.
@_exported public import PorticoProtocol
