// An app that imports Portico can name the few public types of PorticoProtocol (HTTPTransport,
// ProviderMetadata, Scope, Roles) without a second import.
@_exported public import PorticoProtocol
