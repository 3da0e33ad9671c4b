/**
 * Content policy of the pages that show an OpenAPI document: everything from here, over http as well. A policy that
 * upgrades requests leaves the page of a server without TLS empty.
 */
export const PAGE_POLICY =
  "default-src 'self'; base-uri 'self'; font-src 'self' data:; frame-ancestors 'self'; img-src 'self' data:; object-src 'none'; script-src 'self'; script-src-attr 'none'; style-src 'self'"
