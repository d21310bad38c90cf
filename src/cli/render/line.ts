import type { Piece } from '../style.ts'

/** A line for people, in pieces; without pieces an empty line. */
export type Line = readonly Piece[]
