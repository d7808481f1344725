package import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// The relation of a request's origin to ours, sent by the browser (Fetch Metadata §2.3).
package enum FetchSite {
    /// Whether a form post may come from our page: `Sec-Fetch-Site`, if present, must be
    /// `same-origin`.
    ///
    /// `Origin` is not checked: with `Referrer-Policy: no-referrer` our own forms send `Origin:
    /// null`.
    package static func permitsPost(_ headers: HTTPFields) -> Bool {
        headers[values: .fetchSite].isEmpty || saysOurs(headers)
    }

    /// Whether the browser says that a page of ours made the request. It says nothing of which browser
    /// had the page.
    package static func saysOurs(_ headers: HTTPFields) -> Bool {
        headers[values: .fetchSite] == ["same-origin"]
    }

    /// Whether a form post was sent by a foreign page: the browser then withholds our cookies,
    /// because they are `SameSite=Lax`, but would still accept new ones in their place.
    ///
    /// - Parameter address: One of ours. Without `Sec-Fetch-Site`, as in older browsers, `Origin`
    ///   decides.
    package static func isForeignPost(_ headers: HTTPFields, to address: String) -> Bool {
        guard permitsPost(headers) else { return true }
        let isSaid = !headers[values: .fetchSite].isEmpty
        let origins = headers[values: .origin]
        guard !isSaid, !origins.isEmpty else { return false }
        guard origins.count == 1, let origin = HTTPAddress(origins[0])?.origin,
            let ours = HTTPAddress(address)?.origin
        else { return true }
        return !sameBytes(origin, ours)
    }

    /// Whether the browser says that a page of another site, or of another host of ours, made the
    /// request.
    package static func saysOtherSite(_ headers: HTTPFields) -> Bool {
        !isUnsaid(headers) && headers[values: .fetchSite] != ["same-origin"] && !isOfNoPage(headers)
    }

    /// The same, also of browsers that send no `Sec-Fetch-Site`: they say only where a post, or a
    /// script, came from.
    ///
    /// - Parameter own: Whether an `Origin` is ours.
    package static func isOtherSite(_ headers: HTTPFields, own: (String) -> Bool) -> Bool {
        isUnsaid(headers) ? !headers[values: .origin].allSatisfy(own) : saysOtherSite(headers)
    }

    /// Whether a page is shown to a person for it: no picture, frame or script of another page asks,
    /// and no page that is fetched in case the person goes there. Browsers that say nothing of it may
    /// show one.
    package static func isShown(_ headers: HTTPFields) -> Bool {
        let (mode, place) = (headers[values: .fetchMode], headers[values: .fetchDestination])
        return (mode.isEmpty || mode == ["navigate"]) && (place.isEmpty || place == ["document"])
            && headers[values: .fetchPurpose].isEmpty
    }

    /// Whether a script asks, and gets no answer that it may not read (Fetch §3.2). A browser that
    /// sends no mode may be running such a script.
    package static func isByScript(_ headers: HTTPFields) -> Bool {
        let mode = headers[values: .fetchMode]
        return mode.isEmpty || mode == ["cors"]
    }

    /// Whether the browser says that no page made the request: a person opened an address, of a mail
    /// or a code that was scanned, and someone else may have made that.
    package static func isOfNoPage(_ headers: HTTPFields) -> Bool {
        headers[values: .fetchSite] == ["none"]
    }

    /// Whether nothing says where the request comes from: a program, Safari before 16.4, or a proxy
    /// that takes the field away.
    package static func isUnsaid(_ headers: HTTPFields) -> Bool {
        headers[values: .fetchSite].isEmpty
    }
}
