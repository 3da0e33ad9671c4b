/** Call parameters that are already JSON text: large ones need not be serialized again for every call. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
