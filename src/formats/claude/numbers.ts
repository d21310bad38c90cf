/** A list of integers of 31 bits that grows: four bytes each, where an array takes eight or more. */
export class Numbers {
  #values = new Int32Array(1024)

  get(index: number): number {
    return this.#values[index] as number
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) {
      const larger = new Int32Array(Math.max(2 * this.#values.length, index + 1))
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[index] = value
  }
}
