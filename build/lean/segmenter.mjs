// Replaces `Intl.Segmenter`, which string-width creates when loaded: the first one takes longer than starting
// Node. This one is created when a text must be segmented.
const Real = globalThis.Intl['Segmenter']
export class Segmenter {
  #real
  #options
  constructor(...options) {
    this.#options = options
  }
  segment(text) {
    this.#real ??= new Real(...this.#options)
    return this.#real.segment(text)
  }
}
