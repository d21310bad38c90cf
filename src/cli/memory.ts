import { setFlagsFromString } from 'node:v8'

/** From this size of a file on, memory goes before speed. */
export const LARGE = 128 << 20

/**
 * Keeps the engine's heap close to what is in use: it is cleaned when it has grown by a fifth, not to its double, and
 * new objects get a megabyte, not sixteen. Costs a quarter more time and holds for the rest of the process.
 */
export function boundMemory(): void {
  setFlagsFromString('--heap-growing-percent=20')
  setFlagsFromString('--semi-space-growth-factor=1')
}

/**
 * Makes the engine optimize a function after three times the usual number of runs. An import runs most of its code for
 * a few seconds: by default the compiler's threads take as much processor time as the import itself.
 */
export function optimiseLate(): void {
  setFlagsFromString('--interrupt-budget=400000')
}
