/** Parameters of a call that are JSON already: large ones need not be written again for every call. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
