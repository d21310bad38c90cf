import pc from 'picocolors'

/** How a piece of a line looks on a terminal. */
export type TextStyle = 'plain' | 'dim' | 'bold' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

/**
 * A piece of text with a look. Text is made safe when it is printed, so that no other escape gets through.
 */
export interface Styled {
  readonly text: string
  readonly look: TextStyle
  /** Whether it stays in one line where lines are broken to fit: a command to copy. */
  readonly whole?: true
}

export type Piece = string | Styled

/** A line for people, in pieces; without pieces an empty line. */
export type Line = readonly Piece[]

/** Returns a text a look. */
export const styled = (look: TextStyle, text: string): Styled => ({ text, look })

/** Returns a text that is never broken, such as a command to copy. */
export const whole = (text: string): Styled => ({ text, look: 'plain', whole: true })

/** Returns the text of a piece. */
export const textOfPiece = (piece: Piece): string => (typeof piece === 'string' ? piece : piece.text)

const colors = pc.createColors(true)

/** Returns a text as a terminal shows it in a look. */
export const painted = (look: TextStyle, text: string): string =>
  look === 'plain' || text === '' ? text : colors[look](text)
