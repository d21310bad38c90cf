import type { Word } from './expression.ts'

const FLAGS = 'isu'

const plain = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Returns a pattern that finds a text, in upper or lower case. */
export const textPattern = ({ text, regex }: Word): RegExp => new RegExp(regex ? text : plain(text), FLAGS)

/** Returns a pattern that matches a whole name, in upper or lower case: `*` for any characters, `?` for one. */
export const namePattern = ({ text, regex }: Word): RegExp =>
  regex
    ? new RegExp(text, FLAGS)
    : new RegExp(`^${plain(text).replaceAll('\\*', '.*').replaceAll('\\?', '.')}$`, FLAGS)
