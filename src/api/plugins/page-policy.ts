/** The one style that Swagger UI writes into its page, in its own logo. Browsers complain of what a policy leaves out. */
const LOGO_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

/**
 * Content policy of the pages that show an OpenAPI document: everything from here, over http as well. A policy that
 * upgrades requests leaves the page of a server without TLS empty.
 */
export const PAGE_POLICY = `default-src 'self'; base-uri 'self'; font-src 'self' data:; frame-ancestors 'self'; img-src 'self' data:; object-src 'none'; script-src 'self'; script-src-attr 'none'; style-src 'self' ${LOGO_STYLE}`
