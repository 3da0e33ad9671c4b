/** A body or argument that Go's JSON decoder refuses; the message is the decoder's own text, as clients see it. */
export class GoJsonError extends Error {}
