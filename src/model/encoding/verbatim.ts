/** Containers nested deeper than this below the root of a value are kept as text, up to `MAX_SCANNED_DEPTH`. */
export const MAX_PARSED_DEPTH = 256

/**
 * A JSON value kept as normalised text, because JavaScript would change it: an object with a key twice, with
 * `__proto__`, or with integer-like keys that it would move to the front; a string with half a surrogate
 * pair; `-0` and numbers that no double holds; containers nested over 256 deep. Equal values have equal
 * texts.
 */
export class Verbatim {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
