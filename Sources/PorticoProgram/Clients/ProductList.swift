/// The products that `portico client create --for` knows: one entry each, in the form of ``ProductFile``, with the
/// placeholders of ``ProductValues``, in a file of `Resources` for each kind of product. `docs/clients.md` is made of
/// them:
///
///     portico client products --markdown > docs/clients.md
///
/// Name no setting that the product's documentation does not have. Write `ran:` only for what you ran. The order does
/// not matter.
enum ProductList {
    static let text = [
        PackageResources.products_page_txt, PackageResources.products_apps_txt,
        PackageResources.products_frameworks_txt, PackageResources.products_python_txt,
        PackageResources.products_proxies_txt, PackageResources.products_services_txt,
    ]
    .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n\n")
}
