// Stands for `Intl.Segmenter`, which string-width makes as soon as it is loaded: the first one takes longer
// than starting Node. This one makes it when a text is to be segmented.
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
